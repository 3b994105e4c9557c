import { decode } from "../checkpoint/encoding.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import type { ListNamespacesOperation } from "../checkpoint/store/base-store.ts";
import { matchesFilter } from "../checkpoint/store/filter.ts";
import { compareNamespaces, matchesCondition } from "../checkpoint/store/namespace.ts";
import type { Sql } from "../storage/sql.ts";
import { ItemRows } from "./item-rows.ts";
import { nearest } from "./nearest.ts";
import type { StoredItem, StoreRead, StoreSearch, StoreWrite } from "./protocol.ts";
import { VectorRows } from "./vector-rows.ts";

/** Items that are looked at together in a search. */
const PAGE = 200;

/** What graphs remember across threads, by namespace and key. */
export class Items {
  readonly #rows: ItemRows;
  readonly #vectors: VectorRows;
  readonly #serde: SerializerProtocol;

  constructor(sql: Sql, serde: SerializerProtocol) {
    this.#rows = new ItemRows(sql);
    this.#vectors = new VectorRows(sql);
    this.#serde = serde;
  }

  async read(operation: StoreRead, now: number): Promise<unknown> {
    switch (operation.kind) {
      case "get": {
        const item = this.#rows.get(operation.namespace, operation.key, now);
        if (item !== undefined && operation.refreshTtl !== false) this.#rows.refresh(item, now);
        return item;
      }
      case "search": {
        const found = await this.#search(operation, now);
        if (operation.refreshTtl !== false) for (const item of found) this.#rows.refresh(item, now);
        return found;
      }
      case "namespaces":
        return this.#namespaces(operation, now);
    }
  }

  /** In a transaction. */
  write({ namespace, key, value, ttl, vectors = [] }: StoreWrite, now: number): void {
    if (value === null) return this.#rows.remove(namespace, key);
    this.#rows.put({ namespace, key, value, ttl }, now);
    this.#vectors.replace({ namespace, key }, vectors);
  }

  /** Removes what has expired, some of it. */
  expire(now: number): void {
    this.#rows.removeExpired(now, PAGE);
  }

  /** When the next item expires; undefined when none does. */
  nextExpiry(): number | undefined {
    return this.#rows.nextExpiry();
  }

  /** By namespace and key; by meaning, the nearest first, those of which nothing is indexed at the end. */
  async #search(search: StoreSearch, now: number): Promise<StoredItem[]> {
    const { limit = 10, offset = 0, vector } = search;
    const wanted = offset + limit;
    const found: StoredItem[] = [];
    for await (const item of this.#matching(search, now)) {
      found.push(vector === undefined ? item : { ...item, score: this.#vectors.score(item, vector) });
      if (vector === undefined && found.length === wanted) break;
      if (found.length >= 2 * Math.max(wanted, PAGE)) found.splice(0, Infinity, ...nearest(found, wanted));
    }
    return (vector === undefined ? found : nearest(found, wanted)).slice(offset);
  }

  async *#matching(
    { namespacePrefix, filter = {} }: StoreSearch,
    now: number,
  ): AsyncGenerator<StoredItem, void, undefined> {
    const isFiltered = Object.keys(filter).length > 0;
    let after: StoredItem | undefined;
    for (;;) {
      const page = this.#rows.page(namespacePrefix, after, PAGE, now);
      for (const item of page) {
        if (!isFiltered || matchesFilter(await this.#valueOf(item), filter)) yield item;
      }
      after = page.at(-1);
      if (page.length < PAGE) return;
    }
  }

  async #valueOf({ value }: StoredItem): Promise<Readonly<Record<string, unknown>>> {
    // Only objects are put.
    return (await decode(this.#serde, value)) as Readonly<Record<string, unknown>>;
  }

  #namespaces(
    { matchConditions = [], maxDepth, limit, offset }: ListNamespacesOperation,
    now: number,
  ): string[][] {
    const matching = this.#rows
      .namespaces(now)
      .filter((name) => matchConditions.every((condition) => matchesCondition(name, condition)));
    const cut = new Map(
      matching.map((name) => name.slice(0, maxDepth)).map((name) => [name.join("."), name]),
    );
    return [...cut.values()].toSorted(compareNamespaces).slice(offset, offset + limit);
  }
}
