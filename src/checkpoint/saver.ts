import type {
  ChannelVersion,
  ChannelVersions,
  Checkpoint,
  CheckpointConfig,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointTuple,
  PendingWrite,
} from "./types.ts";
import { StorageError } from "../errors.ts";
import { deltaHistory, type DeltaChannelHistory, type DeltaHistoryOptions } from "./delta-history.ts";
import { MsgpackSerializer } from "./serde/msgpack-serializer.ts";
import type { PruneOptions } from "./prune-options.ts";
import type { SerializerProtocol } from "./serde/protocol.ts";

/**
 * The port between the engine and a store of checkpoints: LangGraph's `BaseCheckpointSaver`, so that any saver of
 * that family serves this engine and ours serve theirs. `test/contract/saver.ts` holds every implementation to it.
 *
 * What an implementation guarantees:
 * - `put` and `putWrites` have *issued* their rows when their promise resolves: what is sent out later cannot overtake
 *   them. Each is atomic: all of it is there after a crash, or nothing.
 * - `put` stores of `channel_values` only the channels in `newVersions`; the rest is carried over from the parent,
 *   which is the checkpoint that `config` names. A channel that is not in `channel_versions` is gone.
 * - `putWrites` may come before the checkpoint's own row. Writes at a fixed position (`WRITES_IDX_MAP`) replace, others
 *   are kept as first stored; `getTuple` returns them sorted by (task path, task id, index).
 * - Values come back equal and of the same type, or `put` fails with an `UnserializableError` before anything is stored.
 * - Reading what is not there is `undefined`, not an error; a write without `thread_id` is an error.
 */
export abstract class BaseCheckpointSaver<V extends ChannelVersion = number> {
  readonly serde: SerializerProtocol;

  constructor(serde: SerializerProtocol = new MsgpackSerializer()) {
    this.serde = serde;
  }

  /** The named checkpoint, or the newest one of the thread and namespace. */
  abstract getTuple(config: CheckpointConfig): Promise<CheckpointTuple | undefined>;

  /** Newest first. Thread and namespace are optional: what is absent matches all. */
  abstract list(config: CheckpointConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple>;

  /** Stores a child of the checkpoint that `config` names and returns the child's config. */
  abstract put(
    config: CheckpointConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<CheckpointConfig>;

  /** Stores what a task of the named checkpoint has written. */
  abstract putWrites(
    config: CheckpointConfig,
    writes: readonly PendingWrite[],
    taskId: string,
    taskPath?: string,
  ): Promise<void>;

  /** Removes everything of the thread, in all namespaces. */
  abstract deleteThread(threadId: string): Promise<void>;

  /**
   * Removes the checkpoints that runs have written (`run_id` in their metadata), in all threads, with the writes of their
   * tasks. The children of a removed checkpoint keep their state and get the nearest ancestor that is there as parent.
   */
  deleteForRuns(_runIds: readonly string[]): Promise<void> {
    return Promise.reject(notSupported(this, "deleteForRuns"));
  }

  /**
   * Gives another thread, which must have nothing yet, all checkpoints and writes of a thread, under their own ids. Nothing
   * happens when there is no such thread.
   */
  copyThread(_sourceThreadId: string, _targetThreadId: string): Promise<void> {
    return Promise.reject(notSupported(this, "copyThread"));
  }

  /**
   * Removes checkpoints, with the writes of their tasks, that are neither among those to keep nor needed by them. What is
   * kept of a thread reads, resumes and branches as before:
   * - the checkpoints of nested graphs go with those that they belong to (`parents` in their metadata); of a history that
   *   many visits share, the newest on the branch of each kept checkpoint stays;
   * - a kept checkpoint whose parent goes gets the nearest ancestor that stays as its parent;
   * - the ancestors that LangGraph's delta channels are made of stay.
   */
  prune(_threadIds: readonly string[], _options: PruneOptions = {}): Promise<void> {
    return Promise.reject(notSupported(this, "prune"));
  }

  async get(config: CheckpointConfig): Promise<Checkpoint | undefined> {
    return (await this.getTuple(config))?.checkpoint;
  }

  /**
   * What the values of channels can be made of whose writes LangGraph has kept in place of them. A saver may override it
   * to read less than all the checkpoints on the way.
   */
  getDeltaChannelHistory(options: DeltaHistoryOptions): Promise<Record<string, DeltaChannelHistory>> {
    return deltaHistory(this, options);
  }

  /** The version after `current`, or the first one. */
  getNextVersion(current: V | undefined): V {
    if (typeof current === "string")
      throw new TypeError("A saver with string versions must override getNextVersion.");
    // Versions are numbers here: a saver with others overrides this method.
    return (typeof current === "number" ? current + 1 : 1) as V;
  }
}

function notSupported(saver: object, method: string): StorageError {
  return new StorageError("not_supported", `${saver.constructor.name} does not support ${method}().`, {
    details: { method },
  });
}
