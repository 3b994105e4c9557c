import { decode } from "../checkpoint/encoding.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import type { ListNamespacesOperation } from "../checkpoint/store/base-store.ts";
import { matchesFilter } from "../checkpoint/store/filter.ts";
import { compareNamespaces, matchesCondition } from "../checkpoint/store/namespace.ts";
import type { Sql } from "../storage/sql.ts";
import { ItemRows } from "./item-rows.ts";
import type { StoredItem, StoreRead, StoreSearch, StoreWrite } from "./protocol.ts";

/** Items that are looked at together in a search. */
const PAGE = 200;

/** What graphs remember across threads, by namespace and key. */
export class Items {
  readonly #rows: ItemRows;
  readonly #serde: SerializerProtocol;

  constructor(sql: Sql, serde: SerializerProtocol) {
    this.#rows = new ItemRows(sql);
    this.#serde = serde;
  }

  async read(operation: StoreRead): Promise<unknown> {
    switch (operation.kind) {
      case "get":
        return this.#rows.get(operation.namespace, operation.key);
      case "search":
        return this.#search(operation);
      case "namespaces":
        return this.#namespaces(operation);
    }
  }

  /** In a transaction. */
  write({ namespace, key, value }: StoreWrite, now: number): void {
    if (value === null) this.#rows.remove(namespace, key);
    else this.#rows.put({ namespace, key, value }, now);
  }

  /** By namespace and key. */
  async #search({
    namespacePrefix,
    filter = {},
    limit = 10,
    offset = 0,
  }: StoreSearch): Promise<StoredItem[]> {
    const found: StoredItem[] = [];
    const isFiltered = Object.keys(filter).length > 0;
    let after: StoredItem | undefined;
    for (;;) {
      const page = this.#rows.page(namespacePrefix, after, PAGE);
      for (const item of page) {
        if (isFiltered && !matchesFilter(await this.#valueOf(item), filter)) continue;
        found.push(item);
        if (found.length === offset + limit) return found.slice(offset);
      }
      after = page.at(-1);
      if (page.length < PAGE) return found.slice(offset);
    }
  }

  async #valueOf({ value }: StoredItem): Promise<Readonly<Record<string, unknown>>> {
    // Only objects are put.
    return (await decode(this.#serde, value)) as Readonly<Record<string, unknown>>;
  }

  #namespaces({ matchConditions = [], maxDepth, limit, offset }: ListNamespacesOperation): string[][] {
    const matching = this.#rows
      .namespaces()
      .filter((name) => matchConditions.every((condition) => matchesCondition(name, condition)));
    const cut = new Map(
      matching.map((name) => name.slice(0, maxDepth)).map((name) => [name.join("."), name]),
    );
    return [...cut.values()].toSorted(compareNamespaces).slice(offset, offset + limit);
  }
}
