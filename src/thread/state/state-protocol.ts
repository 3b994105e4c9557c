import type { Idempotency, ThreadAddress } from "../call.ts";

/** What callers may ask of the state. */

/** Absent: the newest state of the thread's own graph. */
export interface StatePlace {
  readonly checkpointId?: string;
  /** Of a graph inside a node. */
  readonly namespace?: string;
}

export interface ReadState extends ThreadAddress, StatePlace {
  /** Only these parts of it; `values.<key>` is one of its values. */
  readonly select?: readonly string[];
  /** With the states of the graphs inside the tasks. */
  readonly subgraphs: boolean;
}

/** With a checkpoint: that one only. */
export interface ReadHistory extends ThreadAddress, StatePlace {
  /** What their metadata has. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** As of a state. */
  readonly select?: readonly string[];
  readonly limit: number;
  /** Only states older than this checkpoint. */
  readonly before?: string;
}

export interface EditState extends ThreadAddress, StatePlace {
  /** Makes the edit idempotent: it is the `run_id` of the checkpoint that it writes. */
  readonly editId: string;
  /** The reply to an earlier call with this id was lost: it may have been applied. */
  readonly isRepeated?: boolean;
  readonly values: unknown;
  readonly asNode?: string;
  /** As of a run. */
  readonly ifMatch?: string;
  readonly idempotency?: Idempotency;
}
