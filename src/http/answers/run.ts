import * as v from "valibot";
import { Interrupt, JsonObject, Time, Waiting } from "./parts.ts";

/** What the plain verbs answer when the run has ended. */
export const RunAnswer = v.object({
  thread_id: v.string(),
  run_id: v.string(),
  status: v.picklist(["success", "interrupted"]),
  values: v.pipe(v.unknown(), v.description("The state at `checkpoint_id`.")),
  next: v.pipe(v.array(v.string()), v.description("The nodes that would run next; empty at the end.")),
  interrupts: v.array(Interrupt),
  waiting: v.optional(v.array(Waiting)),
  checkpoint_id: v.pipe(v.nullable(v.string()), v.description("Where the thread now is.")),
});

export const RunStatus = v.picklist(["pending", "running", "success", "error", "interrupted", "timeout"]);

const RunError = v.object({ code: v.string(), message: v.string(), details: JsonObject });

const Answered = v.object({
  interrupt_id: v.string(),
  checkpoint_id: v.string(),
  answered_at: Time,
  answered_by: v.nullable(v.string()),
  on_behalf_of: v.nullable(v.string()),
});

/** A run as LangGraph's platform tells of it, and what only we do. */
export const Run = v.object({
  run_id: v.string(),
  thread_id: v.string(),
  assistant_id: v.nullable(v.string()),
  status: RunStatus,
  created_at: Time,
  updated_at: Time,
  metadata: JsonObject,
  multitask_strategy: v.picklist(["reject", "enqueue", "interrupt", "rollback"]),
  kwargs: v.pipe(
    JsonObject,
    v.description("What the run was started with, but for what is erased when it ends."),
  ),
  attempts: v.pipe(v.number(), v.integer(), v.description("How often the run was entered.")),
  progress: v.object({
    supersteps: v.pipe(v.number(), v.integer()),
    checkpoint_id: v.nullable(v.string()),
  }),
  timings: v.object({
    starts_at: v.nullable(Time),
    started_at: v.nullable(Time),
    ended_at: v.nullable(Time),
    limit_seconds: v.nullable(v.number()),
  }),
  limits: v.nullable(JsonObject),
  answers: v.pipe(v.array(Answered), v.description("The questions that it has answered.")),
  cancelled: v.nullable(v.picklist(["interrupt", "rollback"])),
  cancel_reason: v.pipe(
    v.nullable(v.string()),
    v.description("As `cancelled`, or what begins with `taken:` when another run has taken its input."),
  ),
  error: v.nullable(RunError),
});

/** A run with only the keys that were selected. */
export const RunPart = v.partial(Run);

/** The values alone; questions under `__interrupt__`, a failure under `__error__`. */
export const RunValues = v.pipe(
  v.record(v.string(), v.unknown()),
  v.description(
    "The values of the state. Open questions are under `__interrupt__`; of a run that failed, or was cancelled, there is only `__error__`: the name, message and code of the error.",
  ),
);

export type RunAnswer = v.InferOutput<typeof RunAnswer>;
export type Run = v.InferOutput<typeof Run>;
export type RunPart = v.InferOutput<typeof RunPart>;
export type RunValues = v.InferOutput<typeof RunValues>;
