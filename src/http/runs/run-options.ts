import * as v from "valibot";
import { isRecord } from "../../values/containers.ts";
import type { RunRequest } from "../../thread/protocol.ts";
import { exactly, whole } from "../requests/exactly.ts";

/** In seconds. */
const TEN_YEARS = 10 * 365 * 24 * 60 * 60;

const Seconds = v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(TEN_YEARS));

const Amount = v.pipe(v.number(), v.finite(), v.gtValue(0, "must be above 0"));

const Usage = v.custom<Readonly<Record<string, number>>>(
  (value) =>
    isRecord(value) &&
    Object.entries(value).every(
      ([name, amount]) => name !== "" && name !== "__proto__" && v.safeParse(Amount, amount).success,
    ),
  "must be an object of numbers above 0, by name",
);

/** How far a run may go before it pauses. */
const Limits = exactly({
  supersteps: v.optional(whole(1)),
  seconds: v.optional(v.pipe(Amount, v.maxValue(TEN_YEARS))),
  usage: v.optional(Usage),
});

/** When a run begins and how it ends, on every way of starting it. */
export const runOptions = {
  /** What becomes of the runs before it. */
  multitask_strategy: v.optional(v.picklist(["reject", "enqueue", "interrupt", "rollback"]), "enqueue"),
  /** It waits so long before it takes its place. */
  after_seconds: v.optional(Seconds, 0),
  /** It is ended when it takes longer, counted from its first attempt. */
  timeout_seconds: v.optional(v.pipe(Seconds, v.minValue(0.001))),
  /** It pauses with a question when it has gone so far. */
  limits: v.optional(Limits),
  /** A URL that is told how the run came out. */
  webhook: v.optional(v.pipe(v.string(), v.maxLength(2048))),
};

export interface RunOptionsBody {
  readonly multitask_strategy: NonNullable<RunRequest["multitask"]>;
  readonly after_seconds: number;
  readonly timeout_seconds?: number | undefined;
  readonly limits?: v.InferOutput<typeof Limits> | undefined;
  readonly webhook?: string | undefined;
}

export function requestedOptions({
  multitask_strategy: multitask,
  after_seconds: after,
  timeout_seconds: timeout,
  limits,
  webhook,
}: RunOptionsBody): Pick<RunRequest, "multitask" | "delay" | "timeLimit" | "limits" | "webhook"> {
  return {
    ...(multitask !== "enqueue" && { multitask }),
    ...(after > 0 && { delay: milliseconds(after) }),
    ...(webhook !== undefined && { webhook }),
    ...(limits !== undefined && { limits: limitsOf(limits) }),
    ...(timeout !== undefined && { timeLimit: milliseconds(timeout) }),
  };
}

function milliseconds(seconds: number): number {
  return Math.ceil(seconds * 1000);
}

function limitsOf({
  supersteps,
  seconds,
  usage,
}: v.InferOutput<typeof Limits>): NonNullable<RunRequest["limits"]> {
  return {
    ...(supersteps !== undefined && { supersteps }),
    ...(seconds !== undefined && { seconds }),
    ...(usage !== undefined && { usage }),
  };
}
