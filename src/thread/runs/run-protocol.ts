import type { Bytes, Idempotency, Reply, ThreadAddress } from "../call.ts";
import type { RunRequest } from "./run-request.ts";

/** What the router and a thread object say to each other about runs. */

/** Starting is idempotent on the run id: the router mints it, and asks again after a reset. */
export interface StartRun extends ThreadAddress {
  readonly runId: string;
  readonly request: RunRequest;
  readonly idempotency?: Idempotency;
  /** Refuses to make a new thread. */
  readonly mustExist?: boolean;
  /** Its caller waits for its end. */
  readonly isAwaited?: boolean;
  /** The caller is told the id before the run has ended: the run is there to be read, whatever becomes of it. */
  readonly isAcknowledged?: boolean;
  /** The thread is made for this run, and goes some time after it. */
  readonly isTemporary?: boolean;
  /** The run that has paused where this one goes on: it tells whom that one tells, unless it brings a webhook. */
  readonly continues?: string;
}

/** A call that starts a run, or that has done so when it came before. */
export type StartedBy = Pick<StartRun, "runId" | "idempotency">;

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

/** The methods of a thread object for runs by their ids. */
export interface RunsApi {
  /** As `invoke`; answers with the run as soon as it is taken in. */
  startRun(start: StartRun): Promise<Reply<ToldRun>>;
  /** As `startRun`, for who waits for its values. */
  acceptRun(start: StartRun): Promise<Reply<AcceptedRun>>;
  getRun(run: NamedRun): Promise<Reply<ToldRun>>;
  listRuns(list: ListRuns): Promise<Reply<Bytes>>;
  /** The namespaces of the graphs inside nodes that a run was the last to write to. */
  listGraphs(list: ListGraphs): Promise<Reply<readonly string[]>>;
  /** Answers when the run has ended: with its values alone, and what it asks as `__interrupt__` among them. */
  joinRun(run: NamedRun): Promise<Reply<Bytes>>;
  /** Ends the run, and answers with it; one that has ended stays as it is. */
  cancelRun(cancel: CancelRun): Promise<Reply<ToldRun>>;
  /** Removes a run that has ended; its checkpoints stay. */
  deleteRun(run: NamedRun): Promise<Reply<null>>;
}
