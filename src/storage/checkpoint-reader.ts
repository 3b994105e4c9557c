import { adoptedCopy, adoptOwned, isAdopted } from "../values/adopt.ts";
import { UndecodableError } from "../errors.ts";
import { configOf } from "../checkpoint/address.ts";
import { all, both, isPromise, chain } from "../checkpoint/maybe-promise.ts";
import { compareCheckpointIds } from "../checkpoint/ordering.ts";
import { keepsSendsInParent, SENDS_IN_CHANNEL, withPendingSends } from "../checkpoint/pending-sends.ts";
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
import type { OpenedBody } from "./bodies.ts";
import type { BodyRow } from "./body-row.ts";
import type { ChainRows, LinkRow } from "./chain-rows.ts";
import { applyChain, type Around, NOTHING_AROUND } from "./chain-values.ts";
import type { CheckpointHead, CheckpointRows } from "./checkpoint-rows.ts";
import type { NamespaceRow, NamespaceRows } from "./namespace-rows.ts";
import { findNamespace, namespaceAround } from "./namespaces.ts";
import type { CheckpointState } from "./checkpoint-state.ts";
import { fromColumns } from "./metadata-columns.ts";
import { packFrame, unpackFrame } from "./packed-frame.ts";
import { OUTWARD, SNAPSHOT } from "./patch-chain.ts";
import { Budget, MOST_AT_ONCE } from "../checkpoint/serde/budget.ts";
import type { CachedCheckpoint, SaverCache } from "./saver-cache.ts";
import { fromStoredId } from "./stored-id.ts";
import type { StoredValues } from "./stored-values.ts";
import { fromTaskBody } from "./task-body.ts";
import type { TaskRow, WriteRows } from "./write-rows.ts";

export interface ReaderParts {
  readonly serde: SerializerProtocol;
  readonly namespaces: NamespaceRows;
  readonly checkpoints: CheckpointRows;
  readonly chains: ChainRows;
  readonly writes: WriteRows;
  readonly blobs: BlobStore;
  readonly values: StoredValues;
  readonly firstVersion: () => ChannelVersion;
}

/** By task, in stored form. */
type Tasks = readonly (readonly [taskId: string, writes: TaskWrites<unknown>])[];

/** Turns rows into what the port hands out. */
export class CheckpointReader {
  readonly #parts: ReaderParts;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
  }

  /**
   * A checkpoint with all its values in stored form; those that somebody could change are the caller's alone. Those
   * that it is read from are shown to `onTheWay`.
   */
  load(
    cache: SaverCache,
    namespace: NamespaceRow,
    id: string,
    onTheWay?: (checkpoint: CachedCheckpoint) => void,
  ): MaybePromise<CachedCheckpoint | undefined> {
    const cached = cache.checkpoint(namespace.id, id);
    if (cached !== undefined && cached.state.missing.size === 0) return cached;
    const links = this.#parts.chains.read(namespace.id, id).toReversed();
    const [snapshot] = links;
    if (snapshot === undefined) return undefined;
    if (snapshot.level < SNAPSHOT) throw missingBase(id);
    // All rows are read in this turn: some may be gone in the next.
    const opening = both(
      () => (snapshot.level === OUTWARD ? this.#around(cache, namespace, snapshot) : NOTHING_AROUND),
      () => all(links.map((row) => () => this.#open(namespace.thread_id, row))),
    );
    return chain(opening, ([around, bodies]) => applyChain(links, bodies, around, onTheWay));
  }

  /** What the first row of a visit refers to. */
  #around(cache: SaverCache, { thread_id, ns }: NamespaceRow, row: LinkRow): MaybePromise<Around> {
    const outer = namespaceAround(ns);
    const namespace =
      outer === undefined ? undefined : findNamespace(cache, this.#parts.namespaces, thread_id, outer);
    const loading =
      namespace === undefined || row.base === null
        ? undefined
        : this.load(cache, namespace, fromStoredId(row.base));
    return chain(loading, (loaded) => {
      if (loaded === undefined) throw missingBase(fromStoredId(row.id));
      return { state: loaded.state, built: loaded.chain.bases[0].built };
    });
  }

  /** A checkpoint, in stored form, with what an old one has among the writes of its parent. */
  async independent(
    cache: SaverCache,
    namespace: NamespaceRow,
    id: string,
  ): Promise<CheckpointState | undefined> {
    const { checkpoints, firstVersion } = this.#parts;
    const head = checkpoints.head(namespace.id, id);
    const state = (await this.load(cache, namespace, id))?.state;
    if (state === undefined || head?.parentId === undefined || !keepsSendsInParent(state.frame)) return state;
    const tasks = await this.#tasksOfParent(cache, namespace, head.parentId);
    const old = { ...unpackFrame(id, state.frame), channel_values: Object.fromEntries(state.values) };
    const { channel_values: values, ...frame } = withPendingSends(
      old,
      sortPendingWrites(tasks),
      firstVersion(),
    );
    return {
      ...state,
      frame: packFrame({ ...frame, v: SENDS_IN_CHANNEL }),
      values: new Map(Object.entries(values)),
    };
  }

  metadata({ metadata }: CheckpointHead): MaybePromise<CheckpointMetadata> {
    return fromColumns(this.#parts.serde, metadata);
  }

  /**
   * Undefined when the row has gone since its head was read. Where `needed` is given, large values that are in other channels
   * alone are empty ones of their kind, unless a write of such a channel is pending.
   */
  async tuple(
    cache: SaverCache,
    namespace: NamespaceRow,
    head: CheckpointHead,
    load: () => MaybePromise<CachedCheckpoint | undefined>,
    needed?: ReadonlySet<string>,
  ): Promise<CheckpointTuple | undefined> {
    const { thread_id: threadId, ns } = namespace;
    // Read in the turn of the checkpoint's row: what is written later belongs to a later read.
    const tasks = this.#taskRows(cache, namespace.id, head.id);
    const loading = load();
    const loaded = isPromise(loading) ? await loading : loading;
    if (loaded === undefined) return undefined;
    const pendingWrites =
      tasks.length === 0
        ? []
        : await this.#restoreWrites(threadId, await this.#tasks(threadId, tasks, loaded.state.values));
    const written = pendingWrites.map(([, channel]) => channel);
    const checkpoint = await this.#checkpoint(threadId, loaded, needed && new Set([...needed, ...written]));
    return {
      config: configOf(threadId, ns, head.id),
      checkpoint: await this.#migrated(cache, namespace, head, checkpoint),
      metadata: await this.metadata(head),
      ...(head.parentId === undefined ? {} : { parentConfig: configOf(threadId, ns, head.parentId) }),
      pendingWrites,
    };
  }

  /** The writes of a task in stored form, as `fromTaskBody` gives them. */
  task(
    threadId: string,
    row: BodyRow,
    base?: ReadonlyMap<string, unknown>,
    budget?: Budget,
  ): MaybePromise<TaskWrites<unknown>> {
    return chain(this.#open(threadId, row), ({ value }) => fromTaskBody(value, base, budget));
  }

  #taskRows(cache: SaverCache, namespace: number, checkpointId: string): readonly TaskRow[] {
    const { writes } = this.#parts;
    const newest = cache.newestWritten(namespace, () => writes.newestCheckpoint(namespace));
    const hasNone = newest === undefined || compareCheckpointIds(checkpointId, newest) > 0;
    return hasNone ? [] : writes.ofCheckpoint(namespace, checkpointId);
  }

  #open(threadId: string, row: BodyRow): MaybePromise<OpenedBody> {
    return openBody(this.#parts.serde, this.#parts.blobs, threadId, row);
  }

  async #checkpoint(
    threadId: string,
    { id, state }: CachedCheckpoint,
    needed: ReadonlySet<string> | undefined,
  ): Promise<Checkpoint> {
    const { blobs, values } = this.#parts;
    const named = needed && Array.from(state.values).filter(([channel]) => needed.has(channel));
    const hashes = named && new Set(values.referencesIn(named).map(({ hash }) => hash));
    const restored = await values.fromStored(Array.from(state.values.values()), (hash) =>
      hashes === undefined || hashes.has(hash) ? blobs.read(threadId, hash) : NO_BYTES,
    );
    const channels = Array.from(
      state.values,
      ([channel, stored], index) => [channel, ownValue(stored, restored[index])] as const,
    );
    return { ...unpackFrame(id, state.frame), channel_values: Object.fromEntries(channels) };
  }

  async #migrated(
    cache: SaverCache,
    namespace: NamespaceRow,
    head: CheckpointHead,
    checkpoint: Checkpoint,
  ): Promise<Checkpoint> {
    if (head.parentId === undefined || !keepsSendsInParent(checkpoint)) return checkpoint;
    const tasks = await this.#tasksOfParent(cache, namespace, head.parentId);
    const writes = await this.#restoreWrites(namespace.thread_id, tasks);
    return withPendingSends(checkpoint, writes, this.#parts.firstVersion());
  }

  /** What was written on the checkpoint before an old one, whose Sends are there. */
  async #tasksOfParent(cache: SaverCache, namespace: NamespaceRow, parentId: string): Promise<Tasks> {
    const rows = this.#parts.writes.ofCheckpoint(namespace.id, parentId);
    const loading = rows.length === 0 ? undefined : this.load(cache, namespace, parentId);
    const base = isPromise(loading) ? await loading : loading;
    return this.#tasks(namespace.thread_id, rows, base?.state.values);
  }

  async #restoreWrites(threadId: string, tasks: Tasks): Promise<CheckpointPendingWrite[]> {
    const writes = sortPendingWrites(tasks);
    const values = await this.#restore(
      threadId,
      writes.map(([, , value]) => value),
    );
    // What came of a patch was adopted, and has parts of what is kept.
    return writes.map(([taskId, channel, stored], index) => {
      const value = values[index];
      return [taskId, channel, isAdopted(stored) ? ownValue(stored, value) : value];
    });
  }

  async #tasks(
    threadId: string,
    rows: readonly TaskRow[],
    base?: ReadonlyMap<string, unknown>,
  ): Promise<Tasks> {
    const tasks: (readonly [string, TaskWrites<unknown>])[] = [];
    const budget = new Budget(MOST_AT_ONCE);
    for (const { taskId, row } of rows) tasks.push([taskId, await this.task(threadId, row, base, budget)]);
    return tasks;
  }

  #restore(threadId: string, values: readonly unknown[]): MaybePromise<readonly unknown[]> {
    return this.#parts.values.fromStored(values, (hash) => this.#parts.blobs.read(threadId, hash));
  }
}

const NO_BYTES = new Uint8Array();

/**
 * What is handed out of a value that could be changed in place is a copy, unless it was made just now: also one with other leaves
 * than what is kept has parts of that, whether it is adopted or not.
 */
function ownValue(stored: unknown, restored: unknown): unknown {
  const owned = adoptOwned(restored);
  return isAdopted(stored) ? adoptedCopy(owned) : owned;
}

function missingBase(id: string): UndecodableError {
  return new UndecodableError(`the row that checkpoint "${id}" is a patch of is not there`);
}
