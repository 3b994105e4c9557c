import { addressOf, requireCheckpointId, writeAddressOf } from "../checkpoint/address.ts";
import { chain, isPromise } from "../checkpoint/maybe-promise.ts";
import { matchesFilter } from "../checkpoint/metadata-filter.ts";
import type { PruneOptions } from "../checkpoint/prune-options.ts";
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
import { BlobReferences } from "./blob-references.ts";
import { CheckpointReader } from "./checkpoint-reader.ts";
import type { CheckpointHead, CheckpointRows } from "./checkpoint-rows.ts";
import type { BodyRow } from "./body-row.ts";
import type { NamespaceRow } from "./namespace-rows.ts";
import { type Alongside, CheckpointWriter } from "./checkpoint-writer.ts";
import { Commits } from "./commits.ts";
import type { Transact } from "./commits.ts";
import { lastingOf } from "./lasting-checkpoint.ts";
import { LifeCycle } from "./life-cycle.ts";
import { listHeads } from "./listing.ts";
import { findNamespace } from "./namespaces.ts";
import { RecordStore } from "./record-store.ts";
import { SaverCache } from "./saver-cache.ts";
import { sharedParts } from "./shared-parts.ts";
import type { SharedParts, SharedPartsOptions } from "./shared-parts.ts";
import type { CachedCheckpoint } from "./saver-cache.ts";
import { Neighbours } from "./neighbours.ts";
import { TaskWriter } from "./task-writer.ts";

export interface SqliteSaverOptions extends SharedPartsOptions {
  /** The owner adds its own rows and checks here. Nobody else may change the saver's tables. */
  readonly transact: Transact;
  /** For the rows of tasks; `transact` unless given. */
  readonly transactTask?: Transact;
  /** Must keep an `ExternalReference` as it is. */
  readonly serde?: SerializerProtocol;
  readonly alongside?: Alongside;
  /** Bodies in the owner's rows, which refer to blobs of the same thread. */
  readonly otherBodies?: () => Iterable<BodyRow>;
  /** Takes what keeps large values from being collected: a body whose key is missing, or that is damaged. */
  readonly onUnreadable: (error: unknown) => void;
  /** Lets others in between two turns of a long work. */
  readonly yieldTurn?: () => Promise<void>;
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
  readonly #reader: CheckpointReader;
  readonly #checkpointWriter: CheckpointWriter;
  readonly #taskWriter: TaskWriter;
  readonly #lifeCycle: LifeCycle;

  constructor(options: SqliteSaverOptions, shared?: SharedParts) {
    super(options.serde);
    this.#options = options;
    this.#shared = shared ?? sharedParts(options, this.serde);
    this.#checkpoints = this.#shared.checkpoints;
    this.#reader = new CheckpointReader({
      ...this.#shared,
      serde: this.serde,
      firstVersion: () => this.getNextVersion(undefined),
    });
    const commits = new Commits(options.transact, this.#shared);
    const taskCommits = new Commits(options.transactTask ?? options.transact, this.#shared);
    const parts = { serde: this.serde, shared: this.#shared, reader: this.#reader };
    this.#checkpointWriter = new CheckpointWriter({ ...parts, commits, alongside: options.alongside });
    this.#taskWriter = new TaskWriter({ ...parts, commits: taskCommits });
    this.#lifeCycle = new LifeCycle({ ...options, ...parts, commits });
  }

  /** This saver, with all it remembers, whose own commits go through these, however late they come. */
  bind(own: Partial<Pick<SqliteSaverOptions, "transact" | "transactTask" | "alongside">>): SqliteSaver {
    return new SqliteSaver({ ...this.#options, serde: this.serde, ...own }, this.#shared);
  }

  /** What its rows refer to. */
  references(): BlobReferences {
    return new BlobReferences({ ...this.#shared, serde: this.serde });
  }

  /** Keeps other values of its threads, among the same blobs. */
  records(): RecordStore {
    return new RecordStore(this.serde, this.#shared);
  }

  /** Whether there is such a checkpoint. */
  has(config: CheckpointConfig): boolean {
    const { threadId, namespace: ns = "", checkpointId } = addressOf(config);
    const namespace =
      threadId === undefined ? undefined : findNamespace(this.#cache, this.#shared.namespaces, threadId, ns);
    return namespace !== undefined && this.#head(namespace.id, checkpointId) !== undefined;
  }

  /** The newest checkpoint of the root graph, as it was committed last. */
  head(threadId: string): CheckpointHead | undefined {
    const namespace = findNamespace(this.#cache, this.#shared.namespaces, threadId, "");
    return namespace && this.#head(namespace.id, undefined);
  }

  /** The namespaces in which this run was the last to write. */
  namespacesOf(threadId: string, runId: string): readonly string[] {
    return this.#checkpoints.namespacesOf(threadId, runId);
  }

  get #cache(): SaverCache {
    return this.#shared.cache;
  }

  override getTuple(config: CheckpointConfig): Promise<CheckpointTuple | undefined> {
    return this.#tuple(config);
  }

  /** As `getTuple`, for who looks at the values of these channels only: elsewhere, what is large may be empty. */
  outline(config: CheckpointConfig, channels: ReadonlySet<string>): Promise<CheckpointTuple | undefined> {
    return this.#tuple(config, channels);
  }

  async #tuple(config: CheckpointConfig, needed?: ReadonlySet<string>): Promise<CheckpointTuple | undefined> {
    const { threadId, namespace: ns = "", checkpointId } = addressOf(config);
    const namespace =
      threadId === undefined ? undefined : findNamespace(this.#cache, this.#shared.namespaces, threadId, ns);
    const head = namespace && this.#head(namespace.id, checkpointId);
    if (namespace === undefined || head === undefined) return undefined;
    const cache = this.#cache;
    const load = () => this.#loadAndKeep(cache, namespace, head.id);
    return this.#reader.tuple(cache, namespace, head, load, needed);
  }

  /** The named checkpoint, or the newest one. */
  #head(namespace: number, id: string | undefined): CheckpointHead | undefined {
    const newest = this.#cache.newest(namespace);
    if (newest !== undefined && (id === undefined || id === newest.id)) return newest;
    const head = this.#checkpoints.head(namespace, id);
    if (id === undefined && head !== undefined) this.#cache.setNewest(head);
    return head;
  }

  override async *list(
    config: CheckpointConfig,
    options: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const { filter, limit = Infinity } = options;
    const before = options.before && addressOf(options.before).checkpointId;
    let left = limit;
    if (left <= 0) return;
    const heads = listHeads(this.#shared, addressOf(config), { before, filter, limit });
    const neighbours = new Neighbours(this.#reader, this.#shared.values);
    for (const { namespace, head } of heads) {
      if (!matchesFilter(await this.#reader.metadata(head), filter)) continue;
      const cache = this.#cache;
      const tuple = await this.#reader.tuple(cache, namespace, head, () =>
        neighbours.load(cache, namespace, head.id),
      );
      if (tuple === undefined) continue;
      yield tuple;
      left -= 1;
      if (left <= 0) return;
    }
  }

  override put(
    config: CheckpointConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<CheckpointConfig> {
    return this.#checkpointWriter.put(config, checkpoint, metadata, newVersions);
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
    const putting = this.#taskWriter.put({ address, checkpointId, taskId }, taskPath, writes);
    if (isPromise(putting)) await putting;
  }

  override deleteThread(threadId: string): Promise<void> {
    return this.#lifeCycle.deleteThread(threadId);
  }

  override deleteForRuns(runIds: readonly string[]): Promise<void> {
    return this.#lifeCycle.deleteForRuns(runIds);
  }

  override async copyThread(sourceThreadId: string, targetThreadId: string): Promise<void> {
    this.#lifeCycle.copyThread(sourceThreadId, targetThreadId);
  }

  /** `removeOthers` removes rows of the owner between the checkpoints and the values that nothing refers to then. */
  override prune(
    threadIds: readonly string[],
    options: PruneOptions = {},
    removeOthers?: () => void,
  ): Promise<void> {
    return this.#lifeCycle.prune(threadIds, options, removeOthers);
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

  #loadAndKeep(
    cache: SaverCache,
    namespace: NamespaceRow,
    id: string,
  ): MaybePromise<CachedCheckpoint | undefined> {
    const cached = cache.checkpoint(namespace.id, id);
    return chain(this.#reader.load(cache, namespace, id), (loaded) => {
      if (loaded !== undefined)
        cache.setCheckpoint(
          namespace.id,
          loaded === cached ? cached : lastingOf(loaded, this.#shared.values),
        );
      return loaded;
    });
  }
}
