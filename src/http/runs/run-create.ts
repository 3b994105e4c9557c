import * as v from "valibot";
import { answersOf } from "../../named-answers.ts";
import type {
  LangGraphMode,
  RequestedCommand,
  RequestedGoto,
  RequestedInput,
  RunRequest,
} from "../../thread/protocol.ts";
import type { StreamMode } from "../../stream-modes.ts";
import { requestedOptions, runOptions } from "./run-options.ts";
import { requestedConfig } from "./run-request.ts";
import { exactlyOrNull, shownAs } from "../requests/exactly.ts";
import { AnsweredBy, AnyObject, CheckpointId, Config, exactly } from "../requests/schemas.ts";

/** The body that starts a run on the paths of LangGraph's platform. Clients send null for what they leave out. */

const Checkpoint = exactly({
  thread_id: v.nullish(v.string()),
  checkpoint_id: v.nullish(CheckpointId),
  checkpoint_ns: v.nullish(v.literal("", "must be empty: runs begin in the outermost graph")),
  checkpoint_map: v.nullish(v.unknown()),
});

/** The library says the class of what it sends; that of a body is known. */
const ofLibrary = { lg_name: v.optional(v.string()) };

const Sent = exactly({
  ...ofLibrary,
  node: v.string(),
  input: v.optional(v.unknown()),
  /** The same in the library's words. */
  args: v.optional(v.unknown()),
});
const Goto = v.union([v.string(), Sent], "must name a node");

/** Answers, writes, and says what runs next. */
export const Command = exactly({
  ...ofLibrary,
  /** The answer to the one question, or answers by interrupt id. */
  resume: v.optional(v.unknown()),
  /** By channel, or pairs of a channel and a value. */
  update: v.nullish(v.union([AnyObject, v.array(v.strictTuple([v.string(), v.unknown()]))])),
  goto: v.nullish(v.union([Goto, v.array(Goto)])),
});

/** The platform's words, and what the library says for each. */
const MODES = {
  values: ["values"],
  updates: ["updates"],
  custom: ["custom"],
  messages: ["messages", "values"],
  "messages-tuple": ["messages"],
  tasks: ["tasks"],
  checkpoints: ["checkpoints"],
  debug: ["debug"],
  tools: ["tools"],
  /** LangChain's: what models say comes as messages. */
  events: ["messages"],
  /** Where graphs inside nodes begin and end: seen, not said by the graphs. */
  lifecycle: [],
} as const satisfies Record<LangGraphMode, readonly StreamMode[]>;

export const Mode = v.picklist(Object.keys(MODES) as (keyof typeof MODES)[]);

export const RunModes = v.union(
  [Mode, v.array(Mode)],
  `must be one of ${Object.keys(MODES).join(", ")}, or a list of them`,
);

/** A page that reads nothing of a stream names no mode: that is as if it had not spoken of them. */
const NamedModes = v.pipe(
  RunModes,
  v.transform((modes) => (modes.length === 0 ? undefined : modes)),
);

export function requestedModes(
  modes: v.InferOutput<typeof RunModes>,
): Pick<RunRequest, "modes" | "langGraphModes"> {
  const langGraphModes = [...new Set([modes].flat())];
  return { modes: [...new Set(langGraphModes.flatMap((mode) => MODES[mode]))], langGraphModes };
}

export const Breakpoints = v.union([v.literal("*"), v.array(v.string())], 'must be "*" or a list of nodes');

export const RunCreateBody = exactlyOrNull({
  /** The id of an assistant, or the name of a graph. */
  assistant_id: v.optional(v.string()),
  input: v.optional(v.unknown()),
  command: v.optional(Command),
  config: v.optional(Config, {}),
  context: v.optional(v.unknown()),
  metadata: v.optional(AnyObject, {}),
  checkpoint_id: v.optional(CheckpointId),
  checkpoint: v.optional(Checkpoint),
  ...runOptions,
  interrupt_before: v.optional(Breakpoints),
  interrupt_after: v.optional(Breakpoints),
  on_interrupted: v.optional(v.picklist(["refuse", "discard"]), "discard"),
  on_disconnect: v.optional(v.picklist(["continue", "cancel"]), "continue"),
  on_completion: v.optional(v.picklist(["delete", "keep"]), "delete"),
  if_not_exists: v.optional(v.picklist(["create", "reject"]), "create"),
  /** Absent, or none: values, and nothing for who only waits for the run. */
  stream_mode: v.optional(NamedModes),
  stream_subgraphs: v.optional(v.boolean(), false),
  answered_by: v.optional(AnsweredBy),
  /** Asks for the events of a run that is only waited for; those of others are kept anyway. */
  stream_resumable: v.optional(v.boolean()),
  durability: v.optional(v.picklist(["sync", "async", "exit"])),
  checkpoint_during: v.optional(v.boolean()),
  strict_resume: v.optional(v.boolean()),
  /** Whether Python's client throws what the run fails with, which it also tells the server. */
  raise_error: v.optional(v.boolean()),
  /** LangSmith's. */
  feedback_keys: v.optional(v.array(v.string())),
  langsmith_tracer: v.optional(v.unknown()),
});

/** What is the client's own matter. */
const OF_CLIENT = new Set(["signal", "_langsmithTracer"]);

/** Some clients send all that their caller has given, by the library's names beside the platform's. */
const inSnakeCase = v.transform((body: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(body).flatMap(([key, value]) =>
      OF_CLIENT.has(key) ? [] : [[key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]],
    ),
  ),
);

export const RunBatchBody = v.pipe(
  v.array(shownAs(RunCreateBody, v.pipe(AnyObject, inSnakeCase, RunCreateBody))),
  v.minLength(1, "must have one run at least"),
  v.maxLength(100, "must have 100 runs at most"),
);

export type RunCreate = v.InferOutput<typeof RunCreateBody>;

/** `graph`: that of the assistant. */
export function createdRunRequest(body: RunCreate, graph: string | undefined): RunRequest {
  const { context, metadata, answered_by: answeredBy } = body;
  const { checkpoint_id: checkpointId } = body;
  const { interrupt_before: interruptBefore, interrupt_after: interruptAfter } = body;
  return {
    config: requestedConfig({ ...body.config, metadata: { ...body.config.metadata, ...metadata } }),
    input: requestedInput(body),
    ...requestedOptions(body),
    ...(graph !== undefined && { graph }),
    ...(body.assistant_id !== undefined && { assistant: body.assistant_id }),
    ...(context !== undefined && { context }),
    ...(checkpointId !== undefined && { checkpointId }),
    ...(answeredBy !== undefined && { answeredBy }),
    ...(interruptBefore !== undefined && { interruptBefore }),
    ...(interruptAfter !== undefined && { interruptAfter }),
    onInterrupted: body.on_interrupted,
    ...requestedModes(body.stream_mode ?? "values"),
    subgraphs: body.stream_subgraphs,
  };
}

/** A command comes before an input. */
function requestedInput({ input, command }: RunCreate): RequestedInput {
  if (command === undefined)
    return input === undefined ? { kind: "continue" } : { kind: "input", value: input };
  const { resume, update, goto } = command;
  const isAnswer = update == null && gotosOf(goto).length === 0;
  const answers = isAnswer ? answersOf(resume) : undefined;
  return answers === undefined
    ? { kind: "command", ...requestedCommand(command) }
    : { kind: "answers", answers: [...answers] };
}

export function requestedCommand({ resume, update, goto }: v.InferOutput<typeof Command>): RequestedCommand {
  return {
    ...(resume !== undefined && { resume }),
    ...(update != null && { update }),
    goto: gotosOf(goto),
  };
}

function gotosOf(goto: v.InferOutput<typeof Command>["goto"]): readonly RequestedGoto[] {
  return [goto ?? []]
    .flat()
    .map((to) => (typeof to === "string" ? to : { node: to.node, input: to.input ?? to.args }));
}
