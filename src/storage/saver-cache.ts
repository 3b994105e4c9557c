import { compareCheckpointIds } from "../checkpoint/ordering.ts";
import type { CheckpointHead } from "./checkpoint-rows.ts";
import type { CheckpointState } from "./checkpoint-state.ts";
import { Comparisons } from "./comparisons.ts";
import type { PatchChain } from "./patch-chain.ts";
import type { KnownReplacements } from "./stored-values.ts";

/** A checkpoint in stored form, and the rows that it is read from. Nobody else can change what is in it. */
export interface CachedCheckpoint {
  readonly id: string;
  readonly state: CheckpointState;
  readonly chain: PatchChain;
}

/** Namespaces whose last checkpoint is kept, those that were used last: the root graph and the subgraphs that are under way. */
const MAX_CHECKPOINTS = 32;
/**
 * While visits of nodes write, more of them, as long as they take no more: visits at once have most of what they hold in common. Each
 * counts as the bytes that it is read from and a part of those of its value, for its lists are its own.
 */
const MAX_COST = 4 * 1024 * 1024;
const OWN_PART = 1 / 16;
/** Threads, and namespaces of each. */
const MAX_NAMESPACES = 1000;

/**
 * What a saver remembers of committed rows. It is thrown away as a whole, never emptied: work that is still under way
 * then fills one that nobody reads.
 */
export class SaverCache {
  /** By thread, then by namespace; null for one that is not there. */
  readonly #namespaceIds = new Map<string, Map<string, number | null>>();
  readonly #checkpoints = new Map<number, CachedCheckpoint>();
  #cost = 0;
  readonly #newest = new Map<number, CheckpointHead>();
  readonly #newestWritten = new Map<number, { readonly id: string | undefined }>();
  readonly #replacements = new Map<string, KnownReplacements>();
  readonly comparisons = new Comparisons();

  /** Null when there is no such namespace, undefined when that is not known. */
  namespaceId(threadId: string, ns: string): number | null | undefined {
    const ids = this.#namespaceIds.get(threadId);
    const id = ids?.get(ns);
    if (ids !== undefined && id !== undefined) keepLast(ids, ns, id, MAX_NAMESPACES);
    return id;
  }

  setNamespaceId(threadId: string, ns: string, id: number | null): void {
    let ids = this.#namespaceIds.get(threadId);
    if (ids?.get(ns) === id) return;
    if (ids === undefined) {
      if (this.#namespaceIds.size >= MAX_NAMESPACES) this.#namespaceIds.clear();
      this.#namespaceIds.set(threadId, (ids = new Map()));
    }
    keepLast(ids, ns, id, MAX_NAMESPACES);
  }

  /** Of a namespace, when it is known. */
  newest(namespace: number): CheckpointHead | undefined {
    return this.#newest.get(namespace);
  }

  /** What was read as the newest of its namespace, or written as the first. */
  setNewest(head: CheckpointHead): void {
    keepLast(this.#newest, head.namespace, head);
  }

  /** Where the newest of its namespace is known, another one was written. */
  noteWritten(head: CheckpointHead): void {
    const newest = this.#newest.get(head.namespace);
    if (newest !== undefined && compareCheckpointIds(head.id, newest.id) > 0) this.setNewest(head);
  }

  /** The newest checkpoint of a namespace that a task has written on: later ones have no writes. `read` looks for it. */
  newestWritten(namespace: number, read: () => string | undefined): string | undefined {
    const known = this.#newestWritten.get(namespace) ?? { id: read() };
    keepLast(this.#newestWritten, namespace, known);
    return known.id;
  }

  /** A task has written on the checkpoint. */
  noteTask(namespace: number, checkpointId: string): void {
    const known = this.#newestWritten.get(namespace);
    if (known === undefined) return;
    if (known.id === undefined || compareCheckpointIds(checkpointId, known.id) > 0)
      this.#newestWritten.set(namespace, { id: checkpointId });
  }

  /** The checkpoint, when it is the one that was read or written last in its namespace. */
  checkpoint(namespace: number, id: string): CachedCheckpoint | undefined {
    const cached = this.#checkpoints.get(namespace);
    if (cached?.id !== id) return undefined;
    putLast(this.#checkpoints, namespace, cached);
    return cached;
  }

  /** `isVisit`: it was written, and others that go on at the same time have most of it, too. */
  setCheckpoint(namespace: number, checkpoint: CachedCheckpoint, isVisit = false): void {
    const before = this.#checkpoints.get(namespace);
    if (before !== undefined) this.#cost -= costOf(before);
    putLast(this.#checkpoints, namespace, checkpoint);
    this.#cost += costOf(checkpoint);
    for (const oldest of this.#checkpoints.keys()) {
      if (this.#checkpoints.size <= MAX_CHECKPOINTS || (isVisit && this.#cost <= MAX_COST)) break;
      this.#forget(oldest);
    }
  }

  #forget(namespace: number): void {
    const checkpoint = this.#checkpoints.get(namespace);
    if (checkpoint === undefined) return;
    this.#checkpoints.delete(namespace);
    this.#cost -= costOf(checkpoint);
  }

  replacements(threadId: string): KnownReplacements {
    const known = this.#replacements.get(threadId);
    if (known !== undefined) return known;
    const made: KnownReplacements = new WeakMap();
    if (this.#replacements.size >= MAX_CHECKPOINTS) this.#replacements.clear();
    this.#replacements.set(threadId, made);
    return made;
  }
}

/** The first of a visit has what the graph around has, or is read from as many bytes as it has. */
function costOf({ chain: { bases, counts, weight } }: CachedCheckpoint): number {
  return bases[0].cost + (counts[0] === 0 ? 0 : weight * OWN_PART);
}

function keepLast<Key, Value>(values: Map<Key, Value>, key: Key, value: Value, most = MAX_CHECKPOINTS): void {
  putLast(values, key, value);
  if (values.size <= most) return;
  const [oldest] = values.keys();
  if (oldest !== undefined) values.delete(oldest);
}

/** An only entry is the last one: to take it out makes a map anew, and most threads have one namespace. */
function putLast<Key, Value>(values: Map<Key, Value>, key: Key, value: Value): void {
  if (values.size > 1) values.delete(key);
  values.set(key, value);
}
