import type { Bytes, StartedBy, ThreadAddress } from "../protocol.ts";

/** What callers may ask of runs, beside starting them. */

/** What becomes of the runs under way when another one comes: it is refused, waits, ends them, or undoes and ends them. */
export type MultitaskStrategy = "reject" | "enqueue" | "interrupt" | "rollback";

/** `rollback` removes what the run has written, too. */
export type CancelAction = "interrupt" | "rollback";

/** What a run was cancelled with; `taken`: an interrupt, because another run has taken its input. */
export type Cancellation = CancelAction | "taken";

export interface NamedRun extends ThreadAddress {
  readonly runId: string;
}

/** JSON text of a run, and what a router wants to know of it. */
export interface ToldRun {
  readonly runId: string;
  readonly isCancelled: boolean;
  /** The number of the last event of the thread that comes before all of this run. */
  readonly after: number;
  readonly run: Bytes;
}

/** A run that was taken in. */
export interface AcceptedRun {
  readonly runId: string;
  /** As `joinRun` answers with them; absent where they are still to come, or not to be had. */
  readonly values?: Bytes;
}

export interface ListRuns extends ThreadAddress {
  readonly status?: "pending" | "running" | "success" | "error" | "interrupted" | "timeout";
  readonly limit: number;
  readonly offset: number;
  /** The keys of a run that are wanted; absent: all. */
  readonly select?: readonly string[];
}

export interface ListGraphs extends ThreadAddress {
  /** Absent: the newest one. */
  readonly runId?: string | undefined;
}

export interface CancelRun extends NamedRun {
  readonly action: Cancellation;
  /** Answers when nothing of the run goes on any more, and what is to be undone is. */
  readonly wait: boolean;
  /** A run that another call has started stays as it is: this one was led to it by the same answer. */
  readonly startedBy?: StartedBy;
}
