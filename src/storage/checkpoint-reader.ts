import { adopt } from "../adopt.ts";
import { configOf } from "../checkpoint/address.ts";
import { copyFrame } from "../checkpoint/carry-over.ts";
import { isPromise, chain } from "../checkpoint/maybe-promise.ts";
import { keepsSendsInParent, withPendingSends } from "../checkpoint/pending-sends.ts";
import { sortPendingWrites } from "../checkpoint/pending-writes.ts";
import type { TaskWrites } from "../checkpoint/pending-writes.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import type {
  ChannelVersion,
  Checkpoint,
  CheckpointMetadata,
  CheckpointPendingWrite,
  CheckpointTuple,
  MaybePromise,
} from "../checkpoint/types.ts";
import type { BlobStore } from "./blob-store.ts";
import { openBody } from "./bodies.ts";
import { fromCheckpointBody } from "./checkpoint-body.ts";
import type { BodyRow, CheckpointHead, CheckpointRows, NamespaceRow } from "./checkpoint-rows.ts";
import type { CachedCheckpoint, SaverCache } from "./saver-cache.ts";
import type { StoredValues } from "./stored-values.ts";
import { fromTaskBody } from "./task-body.ts";
import type { TaskRow, WriteRows } from "./write-rows.ts";

export interface ReaderParts {
  readonly serde: SerializerProtocol;
  readonly checkpoints: CheckpointRows;
  readonly writes: WriteRows;
  readonly blobs: BlobStore;
  readonly values: StoredValues;
  readonly firstVersion: () => ChannelVersion;
}

/** Turns rows into what the port hands out. */
export class CheckpointReader {
  readonly #parts: ReaderParts;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
  }

  /** A checkpoint with all its values in stored form; those of `mutable` are the caller's alone. */
  load(cache: SaverCache, namespace: NamespaceRow, id: string): MaybePromise<CachedCheckpoint | undefined> {
    const cached = cache.checkpoint(namespace.id, id);
    if (cached !== undefined && cached.mutable.size === 0) return cached;
    const row = this.#parts.checkpoints.body(namespace.id, id);
    if (row === undefined) return undefined;
    return chain(this.#open(namespace.thread_id, row), (body) => this.#loaded(id, body));
  }

  async metadata({ metadata: { type, data } }: CheckpointHead): Promise<CheckpointMetadata> {
    return (await this.#parts.serde.loadsTyped(type, data)) as CheckpointMetadata;
  }

  /** Undefined when the row has gone since its head was read. */
  async tuple(
    namespace: NamespaceRow,
    head: CheckpointHead,
    load: () => MaybePromise<CachedCheckpoint | undefined>,
  ): Promise<CheckpointTuple | undefined> {
    const { thread_id: threadId, ns } = namespace;
    // Read in the turn of the checkpoint's row: what is written later belongs to a later read.
    const tasks = this.#parts.writes.ofCheckpoint(namespace.id, head.id);
    const loading = load();
    const loaded = isPromise(loading) ? await loading : loading;
    if (loaded === undefined) return undefined;
    const checkpoint = await this.#checkpoint(threadId, loaded);
    return {
      config: configOf(threadId, ns, head.id),
      checkpoint: await this.#migrated(namespace, head, checkpoint),
      metadata: await this.metadata(head),
      ...(head.parentId === undefined ? {} : { parentConfig: configOf(threadId, ns, head.parentId) }),
      pendingWrites: await this.#pendingWrites(threadId, tasks),
    };
  }

  /** The writes of a task in stored form. */
  task(threadId: string, row: BodyRow): MaybePromise<TaskWrites<unknown>> {
    return chain(this.#open(threadId, row), fromTaskBody);
  }

  #open(threadId: string, row: BodyRow): MaybePromise<unknown> {
    return openBody(this.#parts.serde, this.#parts.blobs, threadId, row);
  }

  #loaded(id: string, body: unknown): CachedCheckpoint {
    const { frame, values } = fromCheckpointBody(id, body);
    const adopted = new Map(Object.entries(adopt(values)));
    const mutable = new Set<string>();
    for (const [channel, value] of adopted) if (this.#parts.values.isMutable(value)) mutable.add(channel);
    return { id, frame, values: adopted, mutable };
  }

  async #checkpoint(threadId: string, { frame, values }: CachedCheckpoint): Promise<Checkpoint> {
    const restored = await this.#restore(threadId, Array.from(values.values()));
    const channels = Array.from(
      values.keys(),
      (channel, index) => [channel, adopt(restored[index])] as const,
    );
    return { ...copyFrame(frame), channel_values: Object.fromEntries(channels) };
  }

  async #migrated(
    namespace: NamespaceRow,
    head: CheckpointHead,
    checkpoint: Checkpoint,
  ): Promise<Checkpoint> {
    if (head.parentId === undefined || !keepsSendsInParent(checkpoint)) return checkpoint;
    const tasks = this.#parts.writes.ofCheckpoint(namespace.id, head.parentId);
    const writes = await this.#pendingWrites(namespace.thread_id, tasks);
    return withPendingSends(checkpoint, writes, this.#parts.firstVersion());
  }

  async #pendingWrites(threadId: string, rows: readonly TaskRow[]): Promise<CheckpointPendingWrite[]> {
    const tasks: (readonly [string, TaskWrites<unknown>])[] = [];
    for (const { taskId, row } of rows) tasks.push([taskId, await this.task(threadId, row)]);
    const writes = sortPendingWrites(tasks);
    const values = await this.#restore(
      threadId,
      writes.map(([, , value]) => value),
    );
    return writes.map(([taskId, channel], index) => [taskId, channel, values[index]]);
  }

  #restore(threadId: string, values: readonly unknown[]): MaybePromise<readonly unknown[]> {
    return this.#parts.values.fromStored(values, (hash) => this.#parts.blobs.read(threadId, hash));
  }
}
