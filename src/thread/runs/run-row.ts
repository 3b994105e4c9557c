import type { Encoded } from "../../checkpoint/encoding.ts";
import type { RunStart } from "../../pregel/limits.ts";
import type { BodyInput, BodyRow } from "../../storage/body-row.ts";
import type { Cancellation } from "./run-protocol.ts";
import type { MultitaskStrategy } from "./run-request.ts";

/** In the words of LangGraph's platform: a run that ends with a question is a `success`, one that is cancelled `interrupted`. */
export type RunStatus = "pending" | "running" | "success" | "error" | "interrupted" | "timeout";

/** How far a run has come. */
export interface RunProgress {
  /** The newest checkpoint that it has written. */
  readonly checkpointId: string | undefined;
  readonly supersteps: number;
}

/** A run as its row has it. Times are milliseconds since 1970. */
export interface RunRow {
  readonly id: string;
  readonly status: RunStatus;
  /** Counts how often the run was entered. */
  readonly attempt: number;
  /** Attempts since the last commit. */
  readonly stalled: number;
  readonly inputApplied: boolean;
  /** The step up to which the run may go; known once its input is applied. */
  readonly lastStep: number | undefined;
  /** The step at which it began; known once its input is applied. */
  readonly firstStep: number | undefined;
  /** Where it has begun to count, when it has limits. */
  readonly began: RunStart | undefined;
  /** What stopped its last attempt, when that was not the object's end: its code and message. */
  readonly fault: Encoded | undefined;
  readonly createdAt: number;
  /** When it enters the queue, where that is not at once. */
  readonly startAt: number | undefined;
  readonly startedAt: number | undefined;
  /** Absent until the run has ended. */
  readonly endedAt: number | undefined;
  readonly multitask: MultitaskStrategy;
  /** In milliseconds. */
  readonly timeLimit: number | undefined;
  /** Whether its caller knows its id. */
  readonly isAcknowledged: boolean;
  /** What it was cancelled with. */
  readonly cancelled: Cancellation | undefined;
  /** Of the code that has entered it last. */
  readonly version: string | undefined;
  readonly request: BodyRow;
  readonly context: Encoded | undefined;
  /** Of a run that has ended by itself. */
  readonly outcome: BodyRow | undefined;
  /** In which it was entered first, or ended, among the runs of the thread; absent before that. */
  readonly place: number | undefined;
  /** Of a run that has ended. */
  readonly progress: RunProgress | undefined;
}

export interface LastRun {
  readonly id: string;
  readonly status: RunStatus;
  /** When it came, or ended. */
  readonly usedAt: number;
}

export interface NewRun {
  readonly id: string;
  readonly createdAt: number;
  readonly startAt: number | undefined;
  readonly multitask: MultitaskStrategy;
  readonly timeLimit: number | undefined;
  readonly isAcknowledged: boolean;
  readonly request: BodyInput;
  readonly context: Encoded | undefined;
}

export interface Claim {
  readonly startedAt: number;
  readonly version: string | undefined;
  /** Whether it counts among the attempts that got nowhere, unless it gets somewhere. */
  readonly isCounted: boolean;
}

export interface EndedRun {
  readonly status: RunStatus;
  readonly endedAt: number;
  /** Absent when it was ended from outside. */
  readonly outcome?: BodyInput;
  readonly cancelled?: Cancellation;
  readonly progress: RunProgress;
}

/** A run among the thread's runs, without what it was started with and came to. */
export interface PlacedRun {
  readonly id: string;
  readonly place: number;
  /** When it was entered first; of one that never was, when it ended. */
  readonly begunAt: number;
  readonly isOver: boolean;
}

export interface RunFilter {
  readonly status?: RunStatus;
  readonly limit: number;
  readonly offset: number;
}
