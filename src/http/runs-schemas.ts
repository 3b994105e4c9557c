import * as v from "valibot";
import type { RequestedInput, RunRequest } from "../thread/protocol.ts";
import { requestedOptions, runOptions } from "./run-options.ts";
import { requestedConfig } from "./run-request.ts";
import { AnsweredBy, AnyObject, CheckpointId, Config, Count, exactly, StreamModes } from "./schemas.ts";

/** The bodies and queries of the routes below `/threads/:id/runs`, in the words of LangGraph's platform. */

const Checkpoint = exactly({
  thread_id: v.nullish(v.string()),
  checkpoint_id: CheckpointId,
  checkpoint_ns: v.nullish(v.literal("", "must be empty: runs begin in the outermost graph")),
  checkpoint_map: v.nullish(v.unknown()),
});

/** Clients send null for what they leave out. */
const withoutNulls = v.transform((body: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)),
);

export const RunCreateBody = v.pipe(
  AnyObject,
  withoutNulls,
  exactly({
    /** The name of the graph, which is its assistant. */
    assistant_id: v.optional(v.string()),
    input: v.optional(v.unknown()),
    /** Answers by interrupt id. */
    command: v.optional(exactly({ resume: AnyObject })),
    config: v.optional(Config, {}),
    context: v.optional(v.unknown()),
    metadata: v.optional(AnyObject, {}),
    checkpoint_id: v.optional(CheckpointId),
    checkpoint: v.optional(Checkpoint),
    ...runOptions,
    on_interrupted: v.optional(v.picklist(["refuse", "discard"]), "discard"),
    on_disconnect: v.optional(v.picklist(["continue", "cancel"]), "continue"),
    if_not_exists: v.optional(v.picklist(["create", "reject"]), "create"),
    stream_mode: v.optional(StreamModes, "values"),
    stream_subgraphs: v.optional(v.boolean(), false),
    answered_by: v.optional(AnsweredBy),
  }),
);

export type RunCreate = v.InferOutput<typeof RunCreateBody>;

const STATUSES = ["pending", "running", "success", "error", "interrupted", "timeout"] as const;

const Offset = v.pipe(v.string(), v.regex(/^\d{1,9}$/, "must be a whole number"), v.transform(Number));

/** Of a query, where 1 and 0 are usual too. */
const Switch = v.pipe(
  v.picklist(["true", "false", "1", "0"], 'must be "true" or "false"'),
  v.transform((flag) => flag === "true" || flag === "1"),
);

export const ListRunsQuery = exactly({
  limit: v.optional(Count, "10"),
  offset: v.optional(Offset, "0"),
  status: v.optional(v.picklist(STATUSES)),
  /** The keys that are wanted, each in a parameter of its own. */
  select: v.optional(
    v.pipe(
      v.union([v.string(), v.array(v.string())]),
      v.transform((keys) => (typeof keys === "string" ? [keys] : keys)),
    ),
  ),
});

export const CancelQuery = exactly({
  action: v.optional(v.picklist(["interrupt", "rollback"]), "interrupt"),
  wait: v.optional(Switch, "false"),
});

export const JoinQuery = exactly({ cancel_on_disconnect: v.optional(Switch, "false") });

export function createdRunRequest(body: RunCreate): RunRequest {
  const { assistant_id: graph, context, metadata, stream_mode: mode, answered_by: answeredBy } = body;
  const checkpointId = body.checkpoint_id ?? body.checkpoint?.checkpoint_id;
  return {
    config: requestedConfig({ ...body.config, metadata: { ...body.config.metadata, ...metadata } }),
    input: requestedInput(body),
    ...requestedOptions(body),
    ...(graph !== undefined && { graph }),
    ...(context !== undefined && { context }),
    ...(checkpointId !== undefined && { checkpointId }),
    ...(answeredBy !== undefined && { answeredBy }),
    onInterrupted: body.on_interrupted,
    modes: typeof mode === "string" ? [mode] : mode,
    subgraphs: body.stream_subgraphs,
  };
}

/** A command comes before an input. */
function requestedInput({ input, command }: RunCreate): RequestedInput {
  if (command !== undefined) return { kind: "answers", answers: Object.entries(command.resume) };
  return input === undefined ? { kind: "continue" } : { kind: "input", value: input };
}
