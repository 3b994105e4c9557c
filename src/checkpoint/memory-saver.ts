import { isConstant } from "../values/adopt.ts";
import { addressOf, configOf, requireCheckpointId, writeAddressOf } from "./address.ts";
import { copyFrame, frameOf, isFixed, newValues } from "./carry-over.ts";
import { TASKS } from "./constants.ts";
import { keepEncoded, takeValue } from "./kept-value.ts";
import type { KeptValue } from "./kept-value.ts";
import { LayeredMap } from "./layered-map.ts";
import { both, chain, each, isPromise } from "./maybe-promise.ts";
import { MemoryRows, tasksOf, valuesOf } from "./memory-rows.ts";
import type { Namespace, StoredCheckpoint, StoredTask } from "./memory-rows.ts";
import { matchesFilter } from "./metadata-filter.ts";
import { compareCheckpointIds } from "./ordering.ts";
import { keepsSendsInParent, SENDS_IN_CHANNEL, withPendingSends } from "./pending-sends.ts";
import { positionWrites, sortPendingWrites } from "./pending-writes.ts";
import { parsePrune } from "./prune-options.ts";
import type { PruneOptions } from "./prune-options.ts";
import { parentRemoved } from "./removal-errors.ts";
import { beyond, ofRuns, planRemoval } from "./removal-plan.ts";
import type { Orphan, RemovedCheckpoint, Selection } from "./removal-plan.ts";
import { BaseCheckpointSaver } from "./saver.ts";
import type { SerializerProtocol } from "./serde/protocol.ts";
import { ThreadHistory } from "./thread-history.ts";
import type { CheckpointRecord } from "./thread-history.ts";
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointConfig,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointPendingWrite,
  CheckpointTuple,
  MaybePromise,
  PendingWrite,
} from "./types.ts";

/**
 * Keeps checkpoints in memory, for tests and for graphs that need not outlive the process. Values are kept encoded, so
 * that nobody's later changes reach them and that they come back as they would from a durable store; what the engine has
 * made unchangeable is kept as it is, except when a serializer is given: that one sees every value.
 */
export class MemorySaver extends BaseCheckpointSaver {
  readonly #rows = new MemoryRows();
  readonly #sharesConstants: boolean;

  constructor(serde?: SerializerProtocol) {
    super(serde);
    this.#sharesConstants = serde === undefined;
  }

  override async getTuple(config: CheckpointConfig): Promise<CheckpointTuple | undefined> {
    const { threadId, namespace: name = "", checkpointId } = addressOf(config);
    if (threadId === undefined) return undefined;
    const namespace = this.#rows.namespace(threadId, name);
    if (namespace === undefined) return undefined;
    const id = checkpointId ?? namespace.newestId;
    const stored = id === undefined ? undefined : namespace.checkpoints.get(id);
    if (stored === undefined) return undefined;
    return this.#tuple(namespace, stored, await this.#metadata(stored));
  }

  override async *list(
    config: CheckpointConfig,
    options: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const { threadId, namespace: name, checkpointId } = addressOf(config);
    const before = options.before === undefined ? undefined : addressOf(options.before).checkpointId;
    const found = this.#rows
      .namespaces(threadId, name)
      .flatMap((namespace) => Array.from(namespace.checkpoints.values(), (stored) => ({ namespace, stored })))
      .filter(({ stored }) => checkpointId === undefined || stored.id === checkpointId)
      .filter(({ stored }) => before === undefined || compareCheckpointIds(stored.id, before) < 0)
      .toSorted((a, b) => compareCheckpointIds(b.stored.id, a.stored.id));
    let left = options.limit ?? Infinity;
    for (const { namespace, stored } of found) {
      if (left <= 0) return;
      const metadata = await this.#metadata(stored);
      if (!matchesFilter(metadata, options.filter)) continue;
      left -= 1;
      yield await this.#tuple(namespace, stored, metadata);
    }
  }

  override async put(
    config: CheckpointConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<CheckpointConfig> {
    const { threadId, namespace: name, checkpointId: parentId } = writeAddressOf(config);
    const { id } = checkpoint;
    const frame = frameOf(checkpoint);
    const parent = parentId === undefined ? undefined : this.#rows.find(threadId, name, parentId);
    const keeping = both(
      () => this.#keep(metadata),
      () => this.#keepValues(checkpoint, newVersions),
    );
    const [keptMetadata, added] = isPromise(keeping) ? await keeping : keeping;
    const namespace = this.#rows.open(threadId, name);
    if (parent !== undefined && !namespace.checkpoints.has(parent.id)) throw parentRemoved(parent.id);
    const values =
      parent === undefined ? LayeredMap.of(added) : carriedValues(parent, checkpoint).with(added);
    this.#rows.store(namespace, { id, parentId, metadata: keptMetadata, frame, values });
    return configOf(threadId, name, id);
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
    const keeping = each(positionWrites(taskPath, writes).writes, ({ index, channel, value }) =>
      chain(this.#keep(value, channel), (kept) => ({ index, channel, value: kept })),
    );
    const added = { path: taskPath, writes: isPromise(keeping) ? await keeping : keeping };
    const namespace = this.#rows.open(address.threadId, address.namespace);
    this.#rows.addWrites(namespace, checkpointId, taskId, added);
  }

  override async deleteThread(threadId: string): Promise<void> {
    this.#rows.deleteThread(threadId);
  }

  override async deleteForRuns(runIds: readonly string[]): Promise<void> {
    const ids = new Set(runIds);
    for (const threadId of ids.size === 0 ? [] : this.#rows.threadIds())
      await this.#remove(threadId, (history) => ofRuns(history, ids));
  }

  override async copyThread(sourceThreadId: string, targetThreadId: string): Promise<void> {
    this.#rows.copyThread(sourceThreadId, targetThreadId);
  }

  override async prune(threadIds: readonly string[], options: PruneOptions = {}): Promise<void> {
    const keep = parsePrune(options);
    for (const threadId of threadIds) {
      if (keep === undefined) this.#rows.deleteThread(threadId);
      else await this.#remove(threadId, (history) => beyond(history, keep));
    }
  }

  /** Plans until nothing is stored meanwhile: what is removed, and the state of what stays, go together. */
  async #remove(threadId: string, select: (history: ThreadHistory) => Selection): Promise<void> {
    for (;;) {
      const { revision } = this.#rows;
      const history = new ThreadHistory(await this.#records(threadId));
      const plan = await planRemoval(history, select(history), async ({ namespace, id }, channels) => {
        const stored = this.#rows.find(threadId, namespace, id);
        const values = stored && valuesOf(stored);
        return channels.filter((channel) => values?.has(channel) === true);
      });
      const orphans = await Promise.all(
        plan.flatMap((removed) => removed.orphans.map((orphan) => this.#adrift(threadId, removed, orphan))),
      );
      if (revision !== this.#rows.revision) continue;
      for (const { record } of plan) this.#rows.remove(threadId, record);
      for (const { namespace, stored } of orphans) this.#rows.store(namespace, stored);
      this.#rows.removeStrayWrites(threadId);
      return;
    }
  }

  async #records(threadId: string): Promise<CheckpointRecord[]> {
    const rows = this.#rows.namespaces(threadId, undefined).flatMap((namespace) => {
      return Array.from(namespace.checkpoints.values(), (stored) => ({ namespace: namespace.name, stored }));
    });
    return Promise.all(
      rows.map(async ({ namespace, stored }): Promise<CheckpointRecord> => {
        const { id, parentId } = stored;
        return { namespace, id, parentId, metadata: await this.#metadata(stored) };
      }),
    );
  }

  /** A checkpoint without its parent: with the Sends that an old one has among the writes there. */
  async #adrift(threadId: string, removed: RemovedCheckpoint, { record, parentId, metadata }: Orphan) {
    const namespace = this.#rows.open(threadId, record.namespace);
    const stored = this.#rows.find(threadId, record.namespace, record.id);
    if (stored === undefined) throw new Error("A checkpoint that was planned for is not there.");
    const moved = { ...stored, parentId, metadata: await this.#keep(metadata) };
    const { frame } = stored;
    if (!keepsSendsInParent(frame)) return { namespace, stored: moved };
    const writes = await this.#takeWrites(tasksOf(namespace, removed.record.id));
    const { channel_values: sends, ...next } = withPendingSends(
      { ...frame, channel_values: {} },
      writes,
      this.getNextVersion(undefined),
    );
    const values = stored.values.with(new Map([[TASKS, await this.#keep(sends[TASKS])]]));
    return { namespace, stored: { ...moved, frame: { ...next, v: SENDS_IN_CHANNEL }, values } };
  }

  async #tuple(
    namespace: Namespace,
    stored: StoredCheckpoint,
    metadata: CheckpointMetadata,
  ): Promise<CheckpointTuple> {
    const { threadId, name } = namespace;
    const { id, parentId, frame } = stored;
    // Taken before anything is awaited: what is written meanwhile belongs to a later read.
    const tasks = tasksOf(namespace, id);
    const parentTasks = parentId === undefined ? undefined : tasksOf(namespace, parentId);
    const checkpoint = { ...copyFrame(frame), channel_values: await this.#takeValues(stored) };
    const needsSends = parentTasks !== undefined && keepsSendsInParent(checkpoint);
    return {
      config: configOf(threadId, name, id),
      checkpoint: needsSends
        ? withPendingSends(checkpoint, await this.#takeWrites(parentTasks), this.getNextVersion(undefined))
        : checkpoint,
      metadata,
      ...(parentId === undefined ? {} : { parentConfig: configOf(threadId, name, parentId) }),
      pendingWrites: await this.#takeWrites(tasks),
    };
  }

  async #takeWrites(tasks: readonly StoredTask[]): Promise<CheckpointPendingWrite[]> {
    const taken = tasks.map(async ([taskId, { path, writes }]) => {
      const values = await Promise.all(
        writes.map(async (write) => ({ ...write, value: await takeValue(this.serde, write.value) })),
      );
      return [taskId, { path, writes: values }] as const;
    });
    return sortPendingWrites(await Promise.all(taken));
  }

  async #takeValues(stored: StoredCheckpoint): Promise<Record<string, unknown>> {
    const taken = Array.from(
      valuesOf(stored),
      async ([channel, kept]) => [channel, await takeValue(this.serde, kept)] as const,
    );
    return Object.fromEntries(await Promise.all(taken));
  }

  async #metadata(stored: StoredCheckpoint): Promise<CheckpointMetadata> {
    return (await takeValue(this.serde, stored.metadata)) as CheckpointMetadata;
  }

  /** Of every channel that is new, also of one that became empty. */
  #keepValues(
    checkpoint: Checkpoint,
    newVersions: ChannelVersions,
  ): MaybePromise<ReadonlyMap<string, KeptValue | undefined>> {
    const values = newValues(checkpoint, newVersions);
    const channels = Object.keys(newVersions);
    const keeping = each(channels, (channel): MaybePromise<KeptValue | undefined> =>
      values.has(channel) ? this.#keep(values.get(channel), channel) : undefined,
    );
    return chain(keeping, (kept) => new Map(channels.map((channel, index) => [channel, kept[index]])));
  }

  #keep(value: unknown, channel?: string): MaybePromise<KeptValue> {
    return this.#sharesConstants && isConstant(value) ? { value } : keepEncoded(this.serde, value, channel);
  }
}

/** What a checkpoint takes over from its parent. What is gone from it must not come back in those after it. */
function carriedValues(parent: StoredCheckpoint, checkpoint: Checkpoint): LayeredMap<KeptValue | undefined> {
  if (isFixed(checkpoint)) return parent.values;
  const { channel_versions: versions } = checkpoint;
  return LayeredMap.of(
    new Map([...valuesOf(parent)].filter(([channel]) => Object.hasOwn(versions, channel))),
  );
}
