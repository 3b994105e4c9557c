import * as v from "valibot";
import type { RunRequest } from "../thread/protocol.ts";

/** In seconds. */
const TEN_YEARS = 10 * 365 * 24 * 60 * 60;

const Seconds = v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(TEN_YEARS));

/** When a run begins and how it ends, on every way of starting it. */
export const runOptions = {
  /** What becomes of the runs before it. */
  multitask_strategy: v.optional(v.picklist(["reject", "enqueue", "interrupt", "rollback"]), "enqueue"),
  /** It waits so long before it takes its place. */
  after_seconds: v.optional(Seconds, 0),
  /** It is ended when it takes longer, counted from its first attempt. */
  timeout_seconds: v.optional(v.pipe(Seconds, v.minValue(0.001))),
  /** A URL that is told how the run came out. */
  webhook: v.optional(v.pipe(v.string(), v.maxLength(2048))),
};

export interface RunOptionsBody {
  readonly multitask_strategy: NonNullable<RunRequest["multitask"]>;
  readonly after_seconds: number;
  readonly timeout_seconds?: number | undefined;
  readonly webhook?: string | undefined;
}

export function requestedOptions({
  multitask_strategy: multitask,
  after_seconds: after,
  timeout_seconds: timeout,
  webhook,
}: RunOptionsBody): Pick<RunRequest, "multitask" | "delay" | "timeLimit" | "webhook"> {
  return {
    ...(multitask !== "enqueue" && { multitask }),
    ...(after > 0 && { delay: milliseconds(after) }),
    ...(webhook !== undefined && { webhook }),
    ...(timeout !== undefined && { timeLimit: milliseconds(timeout) }),
  };
}

function milliseconds(seconds: number): number {
  return Math.ceil(seconds * 1000);
}
