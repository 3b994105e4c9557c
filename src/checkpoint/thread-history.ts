import { PAST } from "./constants.ts";
import { compareCheckpointIds } from "./ordering.ts";
import type { CheckpointMetadata } from "./types.ts";

/** Separates the graphs in a namespace, and a node's name from the id of its task. */
const SEPARATOR = "|";
const TASK_MARK = ":";

/** A checkpoint without its state: where it is in the history. */
export interface CheckpointRecord {
  readonly namespace: string;
  readonly id: string;
  readonly parentId: string | undefined;
  /** As others have stored it, keys may be missing. */
  readonly metadata: Partial<CheckpointMetadata>;
}

/** All checkpoints of a thread, by namespace. */
export class ThreadHistory {
  readonly #namespaces = new Map<string, Map<string, CheckpointRecord>>();
  readonly #newestFirst = new Map<string, readonly CheckpointRecord[]>();

  constructor(records: Iterable<CheckpointRecord>) {
    for (const record of records) {
      const known = this.#namespaces.get(record.namespace);
      if (known === undefined) this.#namespaces.set(record.namespace, new Map([[record.id, record]]));
      else known.set(record.id, record);
    }
    for (const [name, byId] of this.#namespaces) {
      const newestFirst = [...byId.values()].toSorted((a, b) => compareCheckpointIds(b.id, a.id));
      this.#newestFirst.set(name, newestFirst);
    }
  }

  /** A graph before those inside of its tasks. */
  outermostFirst(): string[] {
    return [...this.#namespaces.keys()].toSorted((a, b) => depth(a) - depth(b));
  }

  all(): CheckpointRecord[] {
    return this.outermostFirst().flatMap((namespace) => this.newestFirst(namespace));
  }

  get(namespace: string, id: string | undefined): CheckpointRecord | undefined {
    return id === undefined ? undefined : this.#namespaces.get(namespace)?.get(id);
  }

  parentOf({ namespace, parentId }: CheckpointRecord): CheckpointRecord | undefined {
    return this.get(namespace, parentId);
  }

  newestFirst(namespace: string): readonly CheckpointRecord[] {
    return this.#newestFirst.get(namespace) ?? [];
  }

  /** Namespaces that hold the history of many visits of a node: theirs names no task. */
  shared(): string[] {
    return [...this.#namespaces.keys()].filter((name) => name !== "" && !name.includes(TASK_MARK));
  }
}

/**
 * The checkpoints of the root graph, one step back from this one, whose supersteps are of its past: what the graphs
 * inside their tasks did counts on its branch. A fork does the superstep after its parent anew, so that the parent's does
 * not. Where checkpoints on the way were removed, the metadata say it.
 */
export function pastOf(
  child: Pick<CheckpointRecord, "parentId" | "metadata">,
  parent: Pick<CheckpointRecord, "metadata"> | undefined,
): readonly string[] {
  const noted = child.metadata[PAST];
  if (isIds(noted)) return noted;
  if (child.parentId === undefined) return [];
  const { source, step } = child.metadata;
  const before = parent?.metadata.step;
  const isAnew = source === "fork" && before !== undefined && step === before + 1;
  return isAnew ? [] : [child.parentId];
}

function isIds(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((id) => typeof id === "string");
}

function depth(namespace: string): number {
  return namespace === "" ? 0 : namespace.split(SEPARATOR).length;
}
