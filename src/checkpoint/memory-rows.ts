import type { CheckpointFrame } from "./carry-over.ts";
import type { KeptValue } from "./kept-value.ts";
import type { LayeredMap } from "./layered-map.ts";
import { compareCheckpointIds } from "./ordering.ts";
import { mergeTaskWrites } from "./pending-writes.ts";
import type { TaskWrites } from "./pending-writes.ts";
import { threadExists } from "./removal-errors.ts";
import type { CheckpointRecord } from "./thread-history.ts";

export interface StoredCheckpoint {
  readonly id: string;
  readonly parentId: string | undefined;
  readonly metadata: KeptValue;
  readonly frame: CheckpointFrame;
  /** By channel; undefined where it became empty. What did not change is the parent's, and so is what is gone since. */
  readonly values: LayeredMap<KeptValue | undefined>;
}

export type StoredTask = readonly [taskId: string, writes: TaskWrites<KeptValue>];

export interface Namespace {
  readonly threadId: string;
  readonly name: string;
  newestId: string | undefined;
  readonly checkpoints: Map<string, StoredCheckpoint>;
  /** By checkpoint, then by task. */
  readonly writes: Map<string, Map<string, TaskWrites<KeptValue>>>;
}

/** What a `MemorySaver` holds. Checkpoints and the writes of a task are replaced, never changed. */
export class MemoryRows {
  /** By thread, then by namespace. */
  readonly #threads = new Map<string, Map<string, Namespace>>();
  /** Counts what is stored and removed. */
  #revision = 0;

  get revision(): number {
    return this.#revision;
  }

  threadIds(): string[] {
    return [...this.#threads.keys()];
  }

  namespace(threadId: string, name: string): Namespace | undefined {
    return this.#threads.get(threadId)?.get(name);
  }

  /** What is absent matches all. */
  namespaces(threadId: string | undefined, name: string | undefined): Namespace[] {
    const threads =
      threadId === undefined ? Array.from(this.#threads.values()) : [this.#threads.get(threadId)];
    return threads
      .flatMap((namespaces) => Array.from(namespaces?.values() ?? []))
      .filter((namespace) => name === undefined || namespace.name === name);
  }

  find(threadId: string, namespace: string, id: string): StoredCheckpoint | undefined {
    return this.namespace(threadId, namespace)?.checkpoints.get(id);
  }

  /** Makes it when it is not there. */
  open(threadId: string, name: string): Namespace {
    const namespaces = getOrAdd(this.#threads, threadId, () => new Map<string, Namespace>());
    return getOrAdd(namespaces, name, () => {
      return { threadId, name, newestId: undefined, checkpoints: new Map(), writes: new Map() };
    });
  }

  store(namespace: Namespace, stored: StoredCheckpoint): void {
    const { newestId: newest } = namespace;
    this.#revision += 1;
    namespace.checkpoints.set(stored.id, stored);
    if (newest === undefined || compareCheckpointIds(stored.id, newest) > 0) namespace.newestId = stored.id;
  }

  addWrites(namespace: Namespace, checkpointId: string, taskId: string, added: TaskWrites<KeptValue>): void {
    this.#revision += 1;
    const byTask = getOrAdd(namespace.writes, checkpointId, () => new Map<string, TaskWrites<KeptValue>>());
    const stored = byTask.get(taskId);
    byTask.set(taskId, stored === undefined ? added : mergeTaskWrites(stored, added));
  }

  /** Of one checkpoint, with the writes of its tasks. */
  remove(threadId: string, record: CheckpointRecord): void {
    const namespaces = this.#threads.get(threadId);
    const namespace = namespaces?.get(record.namespace);
    if (namespace === undefined) return;
    this.#revision += 1;
    namespace.checkpoints.delete(record.id);
    namespace.writes.delete(record.id);
    namespace.newestId = newestOf(namespace.checkpoints.keys());
    if (namespace.checkpoints.size === 0 && namespace.writes.size === 0) namespaces?.delete(namespace.name);
  }

  /** Writes that wait for a checkpoint which never came: others have come after it. */
  removeStrayWrites(threadId: string): void {
    for (const { checkpoints, writes, newestId } of this.#threads.get(threadId)?.values() ?? []) {
      for (const id of writes.keys()) {
        const isLate = newestId !== undefined && compareCheckpointIds(id, newestId) < 0;
        if (isLate && !checkpoints.has(id)) writes.delete(id);
      }
    }
  }

  deleteThread(threadId: string): void {
    this.#revision += 1;
    this.#threads.delete(threadId);
  }

  copyThread(source: string, target: string): void {
    const namespaces = this.#threads.get(source);
    if (namespaces === undefined) return;
    if (this.#threads.has(target)) throw threadExists(target);
    this.#revision += 1;
    const copies = Array.from(namespaces.values(), (namespace): [string, Namespace] => {
      const writes = Array.from(namespace.writes, ([id, byTask]) => [id, new Map(byTask)] as const);
      const checkpoints = new Map(namespace.checkpoints);
      return [namespace.name, { ...namespace, threadId: target, checkpoints, writes: new Map(writes) }];
    });
    this.#threads.set(target, new Map(copies));
  }
}

/** The values that a checkpoint has, by channel. */
export function valuesOf({ frame, values }: StoredCheckpoint): ReadonlyMap<string, KeptValue> {
  const found = new Map<string, KeptValue>();
  for (const [channel, kept] of values.toMap()) {
    if (kept !== undefined && Object.hasOwn(frame.channel_versions, channel)) found.set(channel, kept);
  }
  return found;
}

export function tasksOf(namespace: Namespace, checkpointId: string): StoredTask[] {
  return Array.from(namespace.writes.get(checkpointId) ?? []);
}

function newestOf(ids: Iterable<string>): string | undefined {
  let newest: string | undefined;
  for (const id of ids) if (newest === undefined || compareCheckpointIds(id, newest) > 0) newest = id;
  return newest;
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
