/** The shapes that an engine and a saver exchange. They are LangGraph's, so that either can be replaced. */

/** A channel's version: numbers here; other savers may mint ordered strings. */
export type ChannelVersion = number | string;
export type ChannelVersions = Readonly<Record<string, ChannelVersion>>;

/** The state of a thread after a superstep. Never changed once it was put. */
export interface Checkpoint {
  /** Format version, 4. */
  readonly v: number;
  /** UUID version 6: ids sort in the order of writing. */
  readonly id: string;
  /** ISO 8601 time of writing. */
  readonly ts: string;
  readonly channel_values: Readonly<Record<string, unknown>>;
  readonly channel_versions: ChannelVersions;
  /** For each node the versions of its trigger channels that it has seen. */
  readonly versions_seen: Readonly<Record<string, ChannelVersions>>;
}

/** `input`: new input was applied. `loop`: after a superstep. `update`: state was edited. `fork`: a branch was opened. */
export type CheckpointSource = "input" | "loop" | "update" | "fork";

export interface CheckpointMetadata {
  readonly source: CheckpointSource;
  /** -1 for the first input checkpoint, 0 for the superstep of `__start__`, then counting up along a branch. */
  readonly step: number;
  /** Checkpoint ids of the enclosing graphs, by namespace. */
  readonly parents: Readonly<Record<string, string>>;
  /** The run that wrote the checkpoint. */
  readonly run_id?: string;
  readonly [key: string]: unknown;
}

/** Addresses a thread, a namespace in it ("" is the root graph) and a checkpoint (absent: the newest). */
export interface CheckpointConfigurable {
  readonly thread_id?: string;
  readonly checkpoint_ns?: string;
  readonly checkpoint_id?: string;
  readonly checkpoint_map?: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

export interface CheckpointConfig {
  readonly configurable?: CheckpointConfigurable;
  readonly [key: string]: unknown;
}

/** A write as the engine gives it to a saver. */
export type PendingWrite = readonly [channel: string, value: unknown];
/** A write as a saver gives it back. */
export type CheckpointPendingWrite = readonly [taskId: string, channel: string, value: unknown];

export interface CheckpointTuple {
  readonly config: CheckpointConfig;
  readonly checkpoint: Checkpoint;
  readonly metadata?: CheckpointMetadata;
  readonly parentConfig?: CheckpointConfig;
  /** Sorted by (task path, task id, index). */
  readonly pendingWrites?: readonly CheckpointPendingWrite[];
}

export interface CheckpointListOptions {
  readonly limit?: number;
  /** Only checkpoints that were written before this one. */
  readonly before?: CheckpointConfig;
  /** Equality on keys of the metadata. */
  readonly filter?: Readonly<Record<string, unknown>>;
}

export type MaybePromise<T> = T | Promise<T>;
