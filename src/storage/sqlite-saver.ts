import { StorageError } from "../errors.ts";
import { addressOf, configOf, requireCheckpointId, writeAddressOf } from "../checkpoint/address.ts";
import type { WriteAddress } from "../checkpoint/address.ts";
import { encode } from "../checkpoint/encoding.ts";
import { all, both, isPromise, chain } from "../checkpoint/maybe-promise.ts";
import { matchesFilter } from "../checkpoint/metadata-filter.ts";
import { mergeTaskWrites, positionWrites } from "../checkpoint/pending-writes.ts";
import type { TaskWrites } from "../checkpoint/pending-writes.ts";
import { BaseCheckpointSaver } from "../checkpoint/saver.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointConfig,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointTuple,
  MaybePromise,
  PendingWrite,
} from "../checkpoint/types.ts";
import { sealBody } from "./bodies.ts";
import { CheckpointDrafter, newCheckpoint } from "./checkpoint-draft.ts";
import type { CheckpointDraft, NewCheckpoint } from "./checkpoint-draft.ts";
import { CheckpointReader } from "./checkpoint-reader.ts";
import type { CheckpointRows } from "./checkpoint-rows.ts";
import type { BodyRow, NamespaceRow } from "./checkpoint-rows.ts";
import { Commits, CONFLICT } from "./commits.ts";
import type { PendingCommit, Transact } from "./commits.ts";
import { listHeads } from "./listing.ts";
import { toColumns } from "./metadata-columns.ts";
import type { MetadataColumns } from "./metadata-columns.ts";
import { SaverCache } from "./saver-cache.ts";
import { sharedParts } from "./shared-parts.ts";
import type { SharedParts } from "./shared-parts.ts";
import type { CachedCheckpoint } from "./saver-cache.ts";
import { Neighbours } from "./neighbours.ts";
import { draftSnapshot } from "./snapshot-draft.ts";
import type { StoredForm, StoredValues } from "./stored-values.ts";
import { channelInTask, toTaskBody } from "./task-body.ts";
import type { WriteRows } from "./write-rows.ts";

export interface SqliteSaverOptions {
  readonly sql: SqlStorage;
  /** The owner adds its own rows and checks here. Nobody else may change the saver's tables. */
  readonly transact: Transact;
  /** Must keep an `ExternalReference` as it is. */
  readonly serde?: SerializerProtocol;
  /** For large values; without one they are cut into rows. */
  readonly bucket?: R2Bucket;
  /** Of the keys in the bucket. */
  readonly prefix: string;
  /** Strings and byte arrays above it, in bytes, are kept apart and once a thread. */
  readonly inlineLimit?: number;
  readonly randomId: () => string;
}

/** A checkpoint on its way into its row. */
interface PendingPut {
  readonly pending: PendingCommit;
  readonly address: WriteAddress;
  readonly input: NewCheckpoint;
  readonly metadata: MetadataColumns;
}

interface TaskToStore {
  readonly address: WriteAddress;
  readonly checkpointId: string;
  readonly taskId: string;
  readonly stored: StoredForm;
  /** In stored form. */
  readonly added: TaskWrites<unknown>;
}

/**
 * Keeps checkpoints in the SQLite of a Durable Object: one row a checkpoint, one a task that wrote. Every write first
 * encodes, which may await (a cipher, hashes, the bucket), and then commits in one synchronous transaction. Without
 * anything to await it never leaves the turn.
 */
export class SqliteSaver extends BaseCheckpointSaver {
  readonly #options: SqliteSaverOptions;
  readonly #shared: SharedParts;
  readonly #checkpoints: CheckpointRows;
  readonly #writes: WriteRows;
  readonly #values: StoredValues;
  readonly #reader: CheckpointReader;
  readonly #drafter: CheckpointDrafter;
  readonly #commits: Commits;

  constructor(options: SqliteSaverOptions, shared?: SharedParts) {
    super(options.serde);
    this.#options = options;
    this.#shared = shared ?? sharedParts(options, this.serde);
    const { checkpoints, writes, values, blobs, deletions } = this.#shared;
    this.#checkpoints = checkpoints;
    this.#writes = writes;
    this.#values = values;
    this.#commits = new Commits(options.transact, blobs, deletions);
    this.#reader = new CheckpointReader({
      serde: this.serde,
      checkpoints,
      writes,
      blobs,
      values,
      firstVersion: () => this.getNextVersion(undefined),
    });
    this.#drafter = new CheckpointDrafter({ serde: this.serde, values, reader: this.#reader });
  }

  /** This saver, with all it remembers, whose own commits go through `transact`, however late they come. */
  bind(transact: Transact): SqliteSaver {
    return new SqliteSaver({ ...this.#options, serde: this.serde, transact }, this.#shared);
  }

  /** Whether there is such a checkpoint. */
  has(config: CheckpointConfig): boolean {
    const { threadId, namespace: ns = "", checkpointId } = addressOf(config);
    const namespace = threadId === undefined ? undefined : this.#namespace(this.#cache, threadId, ns);
    return namespace !== undefined && this.#checkpoints.head(namespace.id, checkpointId) !== undefined;
  }

  /** The newest checkpoint of the root graph. */
  headId(threadId: string): string | undefined {
    const namespace = this.#namespace(this.#cache, threadId, "");
    return namespace && this.#checkpoints.head(namespace.id, undefined)?.id;
  }

  get #cache(): SaverCache {
    return this.#shared.cache;
  }

  override async getTuple(config: CheckpointConfig): Promise<CheckpointTuple | undefined> {
    const { threadId, namespace: ns = "", checkpointId } = addressOf(config);
    const namespace = threadId === undefined ? undefined : this.#namespace(this.#cache, threadId, ns);
    const head = namespace && this.#checkpoints.head(namespace.id, checkpointId);
    if (namespace === undefined || head === undefined) return undefined;
    return this.#reader.tuple(namespace, head, () => this.#loadAndKeep(this.#cache, namespace, head.id));
  }

  override async *list(
    config: CheckpointConfig,
    options: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const { filter, limit = Infinity } = options;
    const before = options.before && addressOf(options.before).checkpointId;
    let left = limit;
    if (left <= 0) return;
    const heads = listHeads(this.#checkpoints, addressOf(config), { before, filter, limit });
    const neighbours = new Neighbours(this.#reader);
    for (const { namespace, head } of heads) {
      if (!matchesFilter(await this.#reader.metadata(head), filter)) continue;
      const tuple = await this.#reader.tuple(namespace, head, () =>
        neighbours.load(this.#cache, namespace, head.id),
      );
      if (tuple === undefined) continue;
      yield tuple;
      left -= 1;
      if (left <= 0) return;
    }
  }

  override async put(
    config: CheckpointConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<CheckpointConfig> {
    const address = writeAddressOf(config);
    const { threadId, namespace } = address;
    const pending = this.#commits.begin(threadId);
    const input = newCheckpoint(checkpoint, newVersions);
    const cache = this.#cache;
    const drafting = both(
      () => this.#draft(cache, address, input, false),
      () => toColumns(this.serde, metadata),
    );
    const [draft, columns] = isPromise(drafting) ? await drafting : drafting;
    const committing = this.#commitDraft(cache, { pending, address, input, metadata: columns }, draft);
    if (isPromise(committing)) await committing;
    return configOf(threadId, namespace, input.id);
  }

  override async putWrites(
    config: CheckpointConfig,
    writes: readonly PendingWrite[],
    taskId: string,
    taskPath = "",
  ): Promise<void> {
    const address = writeAddressOf(config);
    const checkpointId = requireCheckpointId(address);
    if (writes.length === 0) return;
    const cache = this.#cache;
    const pending = this.#commits.begin(address.threadId);
    const { path, writes: positioned } = positionWrites(taskPath, writes);
    const storing = this.#values.toStored(positioned, cache.replacements(address.threadId), false);
    const stored = isPromise(storing) ? await storing : storing;
    const inStoredForm = positioned.map((write, index) => ({ ...write, value: stored.values[index]?.value }));
    const task = { address, checkpointId, taskId, stored, added: { path, writes: inStoredForm } };
    const id = this.#storeTask(cache, pending, task, undefined);
    cache.setNamespaceId(address.threadId, address.namespace, isPromise(id) ? await id : id);
    stored.remember();
  }

  /** Removes the rows first: when an object cannot be deleted it is garbage, and nothing refers to it. */
  override async deleteThread(threadId: string): Promise<void> {
    const deleteObjects = this.#commits.deleteThread(threadId, () =>
      this.#checkpoints.deleteThread(threadId),
    );
    this.forget();
    await deleteObjects();
  }

  /** Drops what is remembered of the rows. The next read or write reads them again. */
  forget(): void {
    this.#shared.cache = new SaverCache();
  }

  /** To be called when all tables are being removed: writes that are under way fail, whichever saver they go through. */
  abandon(): void {
    this.#shared.deletions.noteAll();
    this.forget();
  }

  #draft(
    cache: SaverCache,
    { threadId, namespace: ns, checkpointId: parentId }: WriteAddress,
    input: NewCheckpoint,
    isSnapshot: boolean,
  ): MaybePromise<CheckpointDraft> {
    const namespace = this.#namespace(cache, threadId, ns);
    return this.#drafter.draft(cache, { threadId, namespace, parentId, isSnapshot }, input);
  }

  #commitDraft(cache: SaverCache, put: PendingPut, draft: CheckpointDraft): MaybePromise<void> {
    const { threadId, namespace } = put.address;
    const committing = this.#commits.commit(put.pending, draft.blobs, () => {
      // What the row would be a patch of may have been replaced.
      if (this.#cache !== cache) return CONFLICT;
      const id = this.#openNamespace(cache, put.address);
      return this.#insert(id, put, draft) ? id : CONFLICT;
    });
    return chain(committing, (id): MaybePromise<void> => {
      if (id === CONFLICT) return this.#putAgain(put);
      draft.remember();
      cache.setNamespaceId(threadId, namespace, id);
      return cache.setCheckpoint(id, draft.next);
    });
  }

  #insert(namespace: number, { address, metadata }: PendingPut, { next, stored }: CheckpointDraft): boolean {
    const { checkpointId: parentId } = address;
    return this.#checkpoints.insert({ namespace, id: next.id, parentId, metadata, ...stored });
  }

  /** Takes the place of the checkpoint's row, if there is one: what is a patch of it is stored whole before. */
  async #putAgain(put: PendingPut): Promise<void> {
    const { pending, address, input } = put;
    const cache = this.#cache;
    const namespace = this.#namespace(cache, address.threadId, address.namespace);
    const old = namespace && this.#checkpoints.head(namespace.id, input.id);
    const draft = await this.#draft(cache, address, input, old !== undefined);
    if (namespace === undefined || old === undefined) return this.#commitDraft(cache, put, draft);
    const parts = { serde: this.serde, checkpoints: this.#checkpoints, reader: this.#reader };
    const dependents = this.#checkpoints.dependents(namespace.id, input.id);
    const snapshots = await all(dependents.map((id) => () => draftSnapshot(parts, cache, namespace, id)));
    const blobs = [...draft.blobs, ...snapshots.flatMap((snapshot) => snapshot?.blobs ?? [])];
    const outcome = await this.#commits.commit(pending, blobs, () => {
      const isCurrent = this.#checkpoints.dependents(namespace.id, input.id).join() === dependents.join();
      if (this.#cache !== cache || !isCurrent) return CONFLICT;
      for (const snapshot of snapshots) snapshot?.write();
      this.#checkpoints.delete(namespace.id, input.id);
      return this.#insert(namespace.id, put, draft);
    });
    if (outcome === CONFLICT) return this.#putAgain(put);
    this.forget();
  }

  #loadAndKeep(
    cache: SaverCache,
    namespace: NamespaceRow,
    id: string,
  ): MaybePromise<CachedCheckpoint | undefined> {
    return chain(this.#reader.load(cache, namespace, id), (loaded) => {
      if (loaded !== undefined) cache.setCheckpoint(namespace.id, this.#reader.lasting(loaded));
      return loaded;
    });
  }

  /** `old` is the row that the task has, if it has one. Answers with the id of the namespace. */
  #storeTask(
    cache: SaverCache,
    pending: PendingCommit,
    task: TaskToStore,
    old: BodyRow | undefined,
  ): MaybePromise<number> {
    const { address, checkpointId, taskId, stored, added } = task;
    const merging =
      old === undefined
        ? added
        : chain(this.#reader.task(address.threadId, old), (writes) => mergeTaskWrites(writes, added));
    const sealing = chain(merging, (writes) =>
      chain(encode(this.serde, toTaskBody(writes), channelInTask(writes)), sealBody),
    );
    const committing = chain(sealing, ({ input, blobs }) =>
      this.#commits.commit(pending, [...stored.blobs, ...blobs], () => {
        const namespace = this.#openNamespace(cache, address);
        const key = { namespace, checkpointId, taskId };
        const written =
          old === undefined ? this.#writes.insert(key, input) : this.#writes.replace(key, old, input);
        return written ? namespace : CONFLICT;
      }),
    );
    return chain(committing, (outcome) => {
      if (outcome !== CONFLICT) return outcome;
      const namespace = this.#namespace(cache, address.threadId, address.namespace);
      const row = namespace && this.#writes.read({ namespace: namespace.id, checkpointId, taskId });
      if (row === undefined) throw rowVanished(taskId);
      return this.#storeTask(cache, pending, task, row);
    });
  }

  #namespace(cache: SaverCache, threadId: string, ns: string): NamespaceRow | undefined {
    const id = cache.namespaceId(threadId, ns) ?? this.#checkpoints.namespaceId(threadId, ns);
    if (id === undefined) return undefined;
    cache.setNamespaceId(threadId, ns, id);
    return { id, thread_id: threadId, ns };
  }

  /** In a transaction that may be undone: what it adds is not cached yet. */
  #openNamespace(cache: SaverCache, { threadId, namespace }: WriteAddress): number {
    const id = cache.namespaceId(threadId, namespace) ?? this.#checkpoints.namespaceId(threadId, namespace);
    return id ?? this.#checkpoints.addNamespace(threadId, namespace);
  }
}

function rowVanished(taskId: string): StorageError {
  return new StorageError("write_conflict", `The row of task ${taskId} was there, and is there no more.`);
}
