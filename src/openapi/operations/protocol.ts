import * as v from "valibot";
import { CommandAnswer } from "../../http/answers/protocol.ts";
import {
  Count,
  EventStreamBody,
  GetTreeParams,
  InputRespondParams,
  ListCheckpointsParams,
  RunStartParams,
  StateForkParams,
  StateGetParams,
} from "../../http/protocol/schemas.ts";
import { type Operations, STARTING } from "../operation.ts";

/** Each command, with what it takes: the route itself looks at the method first. */
const Command = v.union([
  command("run.start", RunStartParams),
  command("input.respond", InputRespondParams),
  command("state.fork", StateForkParams),
  command("state.get", v.optional(StateGetParams)),
  command("state.listCheckpoints", v.optional(ListCheckpointsParams)),
  command("agent.getTree", v.optional(GetTreeParams)),
]);

function command<Method extends string, Params extends v.GenericSchema>(method: Method, params: Params) {
  return v.looseObject({ id: Count, method: v.literal(method), params });
}

const EVENTS = {
  contentType: "text/event-stream",
  description:
    "The events of all runs of the thread, as the filter wants them. The stream stays open while nothing happens; `seq` only grows, and `event_id` is the same whenever an event is read again.",
} as const;

export const protocolOperations = {
  "POST /threads/:thread_id/commands": {
    id: "command",
    summary: "Send a command of LangGraph's thread protocol",
    description:
      "`run.start`, `input.respond`, `state.get`, `state.listCheckpoints`, `state.fork` and `agent.getTree`. What a command is refused for is an answer too, with the status 200.",
    body: {
      schema: Command,
      example: {
        id: 1,
        method: "run.start",
        params: { assistant_id: "support", input: { messages: [{ role: "user", content: "Hello" }] } },
      },
    },
    headers: STARTING,
    answers: { 200: CommandAnswer },
    errors: [],
  },
  "GET /threads/:thread_id/stream/events": {
    id: "threadSocket",
    summary: "Open a WebSocket for commands and events",
    description:
      "Commands go to the server as messages of text, each one JSON; answers and events come back. A page names its key among the subprotocols, as `bearer.<key>`. What is refused is closed with 4000 and the status.",
    answers: { 101: null },
    errors: ["invalid_request", "invalid_filter"],
  },
  "POST /threads/:thread_id/stream/events": {
    id: "threadEvents",
    summary: "Read the events of all runs of a thread",
    body: { schema: EventStreamBody, example: { channels: ["values", "messages", "lifecycle", "input"] } },
    answers: { 200: EVENTS },
    errors: ["invalid_filter"],
  },
} as const satisfies Operations;
