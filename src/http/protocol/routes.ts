import { Hono } from "hono";
import { stringifyJson } from "../../json.ts";
import type { AppOptions } from "../app.ts";
import { parseBody } from "../body.ts";
import { AnyBody } from "../schemas.ts";
import { requestedThread } from "../thread-call.ts";
import { answer } from "./commands.ts";
import { eventStream } from "./event-stream.ts";
import { EventStreamBody } from "./schemas.ts";

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  // Nothing on the way is to collect events before it passes them on.
  "x-accel-buffering": "no",
};

/** LangGraph's protocol of threads: commands, and the events of all runs. */
export function protocolRoutes(options: AppOptions): Hono {
  const app = new Hono();

  app.post("/commands", async (context) => {
    const thread = requestedThread(context, options);
    const command = await parseBody(context.req, AnyBody, options.maxBodySize);
    const response = await answer({ context, options, thread }, command);
    return context.body(stringifyJson(response), 200, { "content-type": "application/json" });
  });

  app.post("/stream/events", async (context) => {
    const thread = requestedThread(context, options);
    const { since, ...filter } = await parseBody(context.req, EventStreamBody, options.maxBodySize);
    return context.body(eventStream(thread, filter, since ?? 0, options.heartbeat), 200, HEADERS);
  });

  return app;
}
