import { compareCodePoints } from "../checkpoint/ordering.ts";
import { compareNamespaces } from "../checkpoint/store/namespace.ts";
import type { Outcome } from "./outcome.ts";
import { nearest } from "./nearest.ts";
import type { StoredItem, StoreApi, StoreRead, StoreWrite } from "./protocol.ts";

/** Calls the object that has the items whose namespaces begin with the label. */
type CallItems = <Value>(label: string, call: (shard: StoreApi) => Promise<Value>) => Promise<Value>;
/** Calls all objects. */
type CallAll = <Value>(call: (shard: StoreApi) => Promise<Value>) => Promise<Value[]>;

/**
 * The store of a tenant. The first label of a namespace says which object has its items; what no label leads to is asked of
 * all and merged. What is written to one object is one transaction there.
 */
export class TenantStore implements StoreApi {
  readonly #callItems: CallItems;
  readonly #callAll: CallAll;

  constructor(callItems: CallItems, callAll: CallAll) {
    this.#callItems = callItems;
    this.#callAll = callAll;
  }

  async useStore(
    reads: readonly StoreRead[],
    writes: readonly StoreWrite[],
  ): Promise<Outcome<readonly unknown[]>> {
    const results = await Promise.all(reads.map((read) => this.#read(read)));
    const failed = results.find((result) => !result.ok);
    if (failed !== undefined && !failed.ok) return failed;
    const byLabel = Map.groupBy(writes, ({ namespace }) => namespace[0] ?? "");
    for (const [label, group] of byLabel) {
      const written = await this.#callItems(label, (shard) => shard.useStore([], group));
      if (!written.ok) return written;
    }
    return { ok: true, value: results.flatMap((result) => (result.ok ? [result.value] : [])) };
  }

  async #read(read: StoreRead): Promise<Outcome<unknown>> {
    const label = labelOf(read);
    if (label !== undefined)
      return first(await this.#callItems(label, (shard) => shard.useStore([read], [])));
    const asked = fromTheStart(read);
    const outcomes = await this.#callAll((shard) => shard.useStore([asked], []));
    const failed = outcomes.find((outcome) => !outcome.ok);
    if (failed !== undefined) return failed;
    const lists = outcomes.flatMap((outcome) => (outcome.ok ? (outcome.value as unknown[][]) : []));
    return { ok: true, value: merged(read, lists) };
  }
}

/** The label that all begin with that are wanted; undefined when there is no such label. */
function labelOf(read: StoreRead): string | undefined {
  if (read.kind === "get") return read.namespace[0] ?? "";
  if (read.kind === "search") return read.namespacePrefix[0];
  const prefix = read.matchConditions?.find(({ matchType }) => matchType === "prefix");
  return prefix?.path[0] === "*" ? undefined : prefix?.path[0];
}

/** What comes before the wanted page may lie in any of the objects. */
function fromTheStart(read: StoreRead): StoreRead {
  if (read.kind === "get") return read;
  return { ...read, offset: 0, limit: (read.offset ?? 0) + (read.limit ?? 10) };
}

function merged(read: StoreRead, lists: readonly unknown[][]): unknown {
  if (read.kind === "get") return undefined;
  const { offset = 0, limit = 10 } = read;
  const all =
    read.kind === "search"
      ? mergedItems(lists.flat() as StoredItem[], read.vector !== undefined)
      : (lists.flat() as string[][]).toSorted(compareNamespaces);
  return all.slice(offset, offset + limit);
}

function mergedItems(items: readonly StoredItem[], isByMeaning: boolean): StoredItem[] {
  const sorted = items.toSorted(compareItems);
  return isByMeaning ? nearest(sorted, sorted.length) : sorted;
}

function compareItems(a: StoredItem, b: StoredItem): number {
  return compareCodePoints(a.namespace.join("."), b.namespace.join(".")) || compareCodePoints(a.key, b.key);
}

function first(outcome: Outcome<readonly unknown[]>): Outcome<unknown> {
  return outcome.ok ? { ok: true, value: outcome.value[0] } : outcome;
}
