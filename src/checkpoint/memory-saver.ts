import { addressOf, configOf, requireCheckpointId, writeAddressOf } from "./address.ts";
import { carriedChannels, frameOf, newValues } from "./carry-over.ts";
import type { CheckpointFrame } from "./carry-over.ts";
import { decode, encode } from "./encoding.ts";
import type { Encoded } from "./encoding.ts";
import { matchesFilter } from "./metadata-filter.ts";
import { compareCheckpointIds } from "./ordering.ts";
import { keepsSendsInParent, withPendingSends } from "./pending-sends.ts";
import { mergeTaskWrites, positionWrites, sortPendingWrites } from "./pending-writes.ts";
import type { TaskWrites } from "./pending-writes.ts";
import { BaseCheckpointSaver } from "./saver.ts";
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointConfig,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointPendingWrite,
  CheckpointTuple,
  PendingWrite,
} from "./types.ts";

interface StoredCheckpoint {
  readonly id: string;
  readonly parentId: string | undefined;
  readonly metadata: Encoded;
  readonly frame: Encoded;
  /** The bytes of a channel that did not change are those of the parent. */
  readonly values: ReadonlyMap<string, Encoded>;
}

type StoredTask = readonly [taskId: string, writes: TaskWrites<Encoded>];

interface Namespace {
  readonly threadId: string;
  readonly name: string;
  newestId: string | undefined;
  readonly checkpoints: Map<string, StoredCheckpoint>;
  /** By checkpoint, then by task. */
  readonly writes: Map<string, Map<string, TaskWrites<Encoded>>>;
}

/**
 * Keeps checkpoints in memory, for tests and for graphs that need not outlive the process. Values are kept encoded, so
 * that nobody's later changes reach them and that they come back as they would from a durable store.
 */
export class MemorySaver extends BaseCheckpointSaver {
  /** By thread, then by namespace. */
  readonly #threads = new Map<string, Map<string, Namespace>>();

  override async getTuple(config: CheckpointConfig): Promise<CheckpointTuple | undefined> {
    const { threadId, namespace: name = "", checkpointId } = addressOf(config);
    if (threadId === undefined) return undefined;
    const namespace = this.#threads.get(threadId)?.get(name);
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
    const { checkpointId } = addressOf(config);
    const before = options.before === undefined ? undefined : addressOf(options.before).checkpointId;
    const found = this.#namespaces(config)
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
    const carried = carriedChannels(checkpoint, newVersions);
    const values = Array.from(newValues(checkpoint, newVersions));
    const [encodedMetadata, frame, encodedValues] = await Promise.all([
      this.#encode(metadata),
      this.#encode(frameOf(checkpoint)),
      Promise.all(
        values.map(async ([channel, value]) => [channel, await this.#encode(value, channel)] as const),
      ),
    ]);
    const namespace = this.#namespace(threadId, name);
    const parent = parentId === undefined ? undefined : namespace.checkpoints.get(parentId);
    const stored = new Map<string, Encoded>();
    for (const channel of carried) {
      const value = parent?.values.get(channel);
      if (value !== undefined) stored.set(channel, value);
    }
    for (const [channel, value] of encodedValues) stored.set(channel, value);
    store(namespace, { id, parentId, metadata: encodedMetadata, frame, values: stored });
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
    const positioned = positionWrites(taskPath, writes);
    const encoded = await Promise.all(
      positioned.writes.map(async ({ index, channel, value }) => {
        return { index, channel, value: await this.#encode(value, channel) };
      }),
    );
    const byCheckpoint = this.#namespace(address.threadId, address.namespace).writes;
    const byTask = getOrAdd(byCheckpoint, checkpointId, () => new Map<string, TaskWrites<Encoded>>());
    const stored = byTask.get(taskId) ?? { path: taskPath, writes: [] };
    byTask.set(taskId, mergeTaskWrites(stored, { path: taskPath, writes: encoded }));
  }

  override async deleteThread(threadId: string): Promise<void> {
    this.#threads.delete(threadId);
  }

  async #tuple(
    namespace: Namespace,
    { id, parentId, frame, values }: StoredCheckpoint,
    metadata: CheckpointMetadata,
  ): Promise<CheckpointTuple> {
    const { threadId, name } = namespace;
    // Taken before anything is awaited: what is written meanwhile belongs to a later read.
    const tasks = tasksOf(namespace, id);
    const parentTasks = parentId === undefined ? undefined : tasksOf(namespace, parentId);
    const decodedFrame = (await decode(this.serde, frame)) as CheckpointFrame;
    const decodedValues = await Promise.all(
      Array.from(values, async ([channel, value]) => [channel, await decode(this.serde, value)] as const),
    );
    const checkpoint = { ...decodedFrame, channel_values: Object.fromEntries(decodedValues) };
    const needsSends = parentTasks !== undefined && keepsSendsInParent(checkpoint);
    return {
      config: configOf(threadId, name, id),
      checkpoint: needsSends
        ? withPendingSends(checkpoint, await this.#decodeWrites(parentTasks), this.getNextVersion(undefined))
        : checkpoint,
      metadata,
      ...(parentId === undefined ? {} : { parentConfig: configOf(threadId, name, parentId) }),
      pendingWrites: await this.#decodeWrites(tasks),
    };
  }

  async #decodeWrites(tasks: readonly StoredTask[]): Promise<CheckpointPendingWrite[]> {
    const decoded = tasks.map(async ([taskId, { path, writes }]) => {
      const values = await Promise.all(
        writes.map(async (write) => ({ ...write, value: await decode(this.serde, write.value) })),
      );
      return [taskId, { path, writes: values }] as const;
    });
    return sortPendingWrites(await Promise.all(decoded));
  }

  async #metadata(stored: StoredCheckpoint): Promise<CheckpointMetadata> {
    return (await decode(this.serde, stored.metadata)) as CheckpointMetadata;
  }

  async #encode(value: unknown, channel?: string): Promise<Encoded> {
    return encode(this.serde, value, channel === undefined ? undefined : (path) => ({ channel, path }));
  }

  #namespace(threadId: string, name: string): Namespace {
    const namespaces = getOrAdd(this.#threads, threadId, () => new Map<string, Namespace>());
    return getOrAdd(namespaces, name, () => {
      return { threadId, name, newestId: undefined, checkpoints: new Map(), writes: new Map() };
    });
  }

  #namespaces(config: CheckpointConfig): Namespace[] {
    const { threadId, namespace } = addressOf(config);
    const threads =
      threadId === undefined ? Array.from(this.#threads.values()) : [this.#threads.get(threadId)];
    return threads
      .flatMap((namespaces) => Array.from(namespaces?.values() ?? []))
      .filter(({ name }) => namespace === undefined || name === namespace);
  }
}

function store(namespace: Namespace, stored: StoredCheckpoint): void {
  const { newestId: newest } = namespace;
  namespace.checkpoints.set(stored.id, stored);
  if (newest === undefined || compareCheckpointIds(stored.id, newest) > 0) namespace.newestId = stored.id;
}

function tasksOf(namespace: Namespace, checkpointId: string): StoredTask[] {
  return Array.from(namespace.writes.get(checkpointId) ?? []);
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
