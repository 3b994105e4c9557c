import type { WireError } from "../../errors.ts";
import type { Interrupt } from "../../interrupt-error.ts";
import type { Waiting } from "../../pregel/question.ts";
import type { RunOutcome } from "../../pregel/types.ts";
import { failureError } from "../wire-errors.ts";
import type { RunStatus } from "./run-row.ts";

/** How a run ended, as its row keeps it: enough to answer again to whoever asks later. The values are the checkpoint's. */
export interface RunEnd {
  readonly status: "success" | "interrupted" | "error";
  readonly checkpointId?: string;
  readonly next: readonly string[];
  readonly interrupts: readonly Interrupt[];
  /** The graphs inside nodes that ask, by interrupt id: the parts of their namespaces. */
  readonly askedIn?: Readonly<Record<string, readonly string[]>>;
  /** What it waits for without asking. */
  readonly waiting?: readonly Waiting[];
  readonly error?: WireError;
}

/** `next`: the nodes that wait at the checkpoint the run has reached. */
export function runEndOf(
  outcome: Exclude<RunOutcome, { status: "refused" | "limited" }>,
  next: readonly string[],
  asked: ReadonlyMap<string, readonly string[]>,
): RunEnd {
  const place = outcome.checkpointId === undefined ? {} : { checkpointId: outcome.checkpointId };
  switch (outcome.status) {
    case "success":
      return { status: "success", next, interrupts: [], ...place };
    case "interrupted":
      return { status: "interrupted", next, ...pausesOf(outcome), ...askedIn(asked), ...place };
    case "failed":
      return { ...failed(failureError(outcome.error, outcome.failures, outcome.checkpointId)), ...place };
    case "cancelled":
      return { ...failed(failureError(outcome.reason, [], outcome.checkpointId)), ...place };
  }
}

function pausesOf({
  interrupts,
  waiting,
}: Extract<RunOutcome, { status: "interrupted" }>): Pick<RunEnd, "interrupts" | "waiting"> {
  return waiting.length === 0 ? { interrupts } : { interrupts, waiting };
}

function askedIn(asked: ReadonlyMap<string, readonly string[]>): Pick<RunEnd, "askedIn"> {
  return asked.size === 0 ? {} : { askedIn: Object.fromEntries(asked) };
}

export function rowStatus(end: RunEnd): RunStatus {
  return end.status === "error" ? "error" : "success";
}

function failed(error: WireError): RunEnd {
  return { status: "error", next: [], interrupts: [], error };
}
