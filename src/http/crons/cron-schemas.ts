import * as v from "valibot";
import type { PatchCron, RunRequest } from "../../thread/protocol.ts";
import { Breakpoints, requestedModes, RunModes } from "../runs/run-create.ts";
import { requestedOptions, runOptions } from "../runs/run-options.ts";
import { requestedConfig } from "../runs/run-request.ts";
import { JsonBody, whole } from "../requests/exactly.ts";
import { AnyObject, Config, exactly } from "../requests/schemas.ts";

/** The bodies of the routes about crons, in the words of LangGraph's platform: null counts as absent. */

const Time = v.pipe(
  v.string(),
  v.isoTimestamp("must be a time with an offset, in ISO 8601"),
  v.transform((text) => Date.parse(text)),
);

/** Minute, hour, day of the month, month, day of the week. */
const Schedule = v.pipe(v.string(), v.maxLength(256));
/** An IANA name: by its clock the schedule goes. */
const Timezone = v.pipe(v.string(), v.maxLength(64));
const OnInterrupted = v.picklist(["refuse", "discard"]);
const OnRunCompleted = v.picklist(["delete", "keep"]);

const { multitask_strategy, timeout_seconds, webhook } = runOptions;

/** What may be left out of a cron, and of a change. */
const optional = {
  /** Null: it does not end. */
  end_time: v.nullish(Time),
  input: v.optional(v.unknown()),
  context: v.optional(v.unknown()),
  timeout_seconds: v.nullish(timeout_seconds.wrapped),
  webhook: v.nullish(webhook.wrapped),
  interrupt_before: v.nullish(Breakpoints),
  interrupt_after: v.nullish(Breakpoints),
  stream_mode: v.nullish(RunModes),
  /** The events of a run are always kept, and its checkpoints always stored before it goes on. */
  stream_resumable: v.nullish(v.boolean()),
  durability: v.nullish(v.picklist(["sync", "async", "exit"])),
};

/** What a cron is made of. */
const cron = {
  ...optional,
  schedule: Schedule,
  timezone: v.nullish(Timezone, "UTC"),
  enabled: v.nullish(v.boolean(), true),
  config: v.nullish(Config, {}),
  metadata: v.nullish(AnyObject, {}),
  multitask_strategy: v.nullish(multitask_strategy.wrapped, "enqueue"),
  stream_subgraphs: v.nullish(v.boolean(), false),
  checkpoint_during: v.nullish(v.boolean()),
};

/** Of a thread. */
export const ThreadCronBody = exactly({
  ...cron,
  assistant_id: v.nullish(v.string()),
  on_interrupted: v.nullish(OnInterrupted, "refuse"),
  /** Clients send it in any case: the runs are of a thread that stays. */
  on_run_completed: v.nullish(OnRunCompleted),
});

/** Of a graph, or an assistant: each run has a thread of its own. */
export const GraphCronBody = exactly({
  ...cron,
  assistant_id: v.string(),
  on_run_completed: v.nullish(OnRunCompleted, "delete"),
});

export const PatchCronBody = exactly({
  ...optional,
  schedule: v.nullish(Schedule),
  timezone: v.nullish(Timezone),
  enabled: v.nullish(v.boolean()),
  config: v.nullish(Config),
  metadata: v.nullish(AnyObject),
  multitask_strategy: v.nullish(multitask_strategy.wrapped),
  on_run_completed: v.nullish(OnRunCompleted),
  stream_subgraphs: v.nullish(v.boolean()),
});

const filter = {
  assistant_id: v.nullish(v.string()),
  /** Absent: the crons that belong to no thread. */
  thread_id: v.nullish(v.string()),
  enabled: v.nullish(v.boolean()),
  metadata: v.nullish(JsonBody),
};

export const CountCronsBody = exactly(filter);

export const SearchCronsBody = exactly({
  ...filter,
  limit: v.nullish(whole(1, 1000), 10),
  offset: v.nullish(whole(0), 0),
  sort_by: v.nullish(
    v.picklist(["cron_id", "assistant_id", "thread_id", "created_at", "updated_at", "next_run_date"]),
    "created_at",
  ),
  sort_order: v.nullish(v.picklist(["asc", "desc"]), "desc"),
  select: v.nullish(v.array(v.string())),
});

export type CronFilter = v.InferOutput<typeof CountCronsBody>;

type CronBody = Omit<v.InferOutput<typeof ThreadCronBody>, "assistant_id" | "on_interrupted">;

/** `graph`: that of the assistant. */
export function cronRequest(
  body: CronBody,
  graph: string | undefined,
  onInterrupted: RunRequest["onInterrupted"],
): RunRequest {
  const { context, config, metadata, stream_mode: modes } = body;
  const { interrupt_before: interruptBefore, interrupt_after: interruptAfter } = body;
  return {
    config: requestedConfig({ ...config, metadata: { ...config.metadata, ...metadata } }),
    input: requestedInput(body.input),
    ...optionsOf(body),
    ...(graph !== undefined && { graph }),
    ...(context != null && { context }),
    ...(interruptBefore != null && { interruptBefore }),
    ...(interruptAfter != null && { interruptAfter }),
    onInterrupted,
    ...(modes == null ? { modes: [] } : requestedModes(modes)),
    subgraphs: body.stream_subgraphs,
  };
}

export function cronPatch(
  body: v.InferOutput<typeof PatchCronBody>,
): Omit<PatchCron, "tenant" | "threadId" | "cronId"> {
  const { schedule, timezone, enabled, end_time: endAt, metadata, config, context, input } = body;
  const { multitask_strategy: multitask, interrupt_before: before, interrupt_after: after } = body;
  const { on_run_completed: threads } = body;
  const { metadata: ofConfig, ...otherConfig } = config ?? {};
  return {
    ...(schedule != null && { schedule }),
    ...(timezone != null && { timezone }),
    ...(enabled != null && { enabled }),
    ...(threads != null && { threads }),
    ...(endAt !== undefined && { endAt }),
    ...((metadata ?? ofConfig) != null && { metadata: { ...ofConfig, ...metadata } }),
    request: {
      ...optionsOf(body),
      ...(multitask != null && { multitask }),
      ...(config != null && { config: requestedConfig(otherConfig) }),
      ...(context != null && { context }),
      ...(input !== undefined && { input: requestedInput(input) }),
      ...(before != null && { interruptBefore: before }),
      ...(after != null && { interruptAfter: after }),
      ...(body.stream_mode != null && requestedModes(body.stream_mode)),
      ...(body.stream_subgraphs != null && { subgraphs: body.stream_subgraphs }),
    },
  };
}

type OptionsBody = Pick<
  v.InferOutput<typeof PatchCronBody>,
  "multitask_strategy" | "timeout_seconds" | "webhook"
>;

function optionsOf({ multitask_strategy: multitask, timeout_seconds: timeout, webhook: url }: OptionsBody) {
  return requestedOptions({
    multitask_strategy: multitask ?? "enqueue",
    after_seconds: 0,
    timeout_seconds: timeout ?? undefined,
    webhook: url ?? undefined,
  });
}

function requestedInput(input: unknown): RunRequest["input"] {
  return input === undefined || input === null ? { kind: "continue" } : { kind: "input", value: input };
}
