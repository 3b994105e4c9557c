import type { Sql } from "../storage/sql.ts";
import type { StoredItem } from "./protocol.ts";

type Columns = {
  namespace: string;
  key: string;
  created_at: number;
  updated_at: number;
  type: string;
  value: ArrayBuffer;
};

const COLUMNS = "namespace, key, created_at, updated_at, type, value";
const IS_ALIVE = "(expires_at IS NULL OR expires_at > ?)";

/** `ttl`: in milliseconds. */
type NewItem = Omit<StoredItem, "createdAt" | "score" | "updatedAt"> & { readonly ttl?: number | undefined };

/** The statements on `items`. */
export class ItemRows {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  get(namespace: readonly string[], key: string, now: number): StoredItem | undefined {
    const statement = `SELECT ${COLUMNS} FROM items WHERE namespace = ? AND key = ? AND ${IS_ALIVE}`;
    const row = this.#sql.first<Columns>(statement, joined(namespace), key, now);
    return row && fromColumns(row);
  }

  /** Those that lie at the namespace or below it and come after `after`, by namespace and key. */
  page(
    prefix: readonly string[],
    after: StoredItem | undefined,
    limit: number,
    now: number,
  ): readonly StoredItem[] {
    const [start, end] = rangeOf(prefix);
    const statement = `SELECT ${COLUMNS} FROM items
      WHERE (namespace = ?1 OR (namespace >= ?2 AND namespace < ?3)) AND (namespace, key) > (?4, ?5)
        AND (expires_at IS NULL OR expires_at > ?7)
      ORDER BY namespace, key LIMIT ?6`;
    const place = after === undefined ? ["", ""] : [joined(after.namespace), after.key];
    const rows = this.#sql.all<Columns>(statement, joined(prefix), start, end, ...place, limit, now);
    return rows.map(fromColumns);
  }

  namespaces(now: number): readonly (readonly string[])[] {
    const statement = `SELECT DISTINCT namespace FROM items WHERE ${IS_ALIVE}`;
    return this.#sql.all<{ namespace: string }>(statement, now).map(({ namespace }) => namespace.split("."));
  }

  /** One that has expired has been: what is written anew is new. */
  put({ namespace, key, value: { type, data }, ttl }: NewItem, now: number): void {
    const statement = `INSERT INTO items (${COLUMNS}, ttl, expires_at) VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?3 + ?6)
      ON CONFLICT (namespace, key) DO UPDATE
      SET created_at = iif(expires_at <= ?3, ?3, created_at), updated_at = ?3, type = ?4, value = ?5, ttl = ?6, expires_at = ?3 + ?6`;
    this.#sql.run(statement, joined(namespace), key, now, type, data, ttl ?? null);
  }

  /** Lets the item live as long again, if it does not live for good. */
  refresh({ namespace, key }: Pick<StoredItem, "key" | "namespace">, now: number): void {
    const statement = `UPDATE items SET expires_at = ? + ttl
      WHERE namespace = ? AND key = ? AND ttl IS NOT NULL`;
    this.#sql.run(statement, now, joined(namespace), key);
  }

  remove(namespace: readonly string[], key: string): void {
    for (const table of ["items", "item_vectors"])
      this.#sql.run(`DELETE FROM ${table} WHERE namespace = ? AND key = ?`, joined(namespace), key);
  }

  /** When the next item expires; undefined when none does. */
  nextExpiry(): number | undefined {
    const statement = "SELECT min(expires_at) AS time FROM items WHERE expires_at IS NOT NULL";
    return this.#sql.one<{ time: number | null }>(statement).time ?? undefined;
  }

  /** Removes some of those that have expired. */
  removeExpired(now: number, limit: number): void {
    const statement = "SELECT namespace, key FROM items WHERE expires_at <= ? LIMIT ?";
    for (const { namespace, key } of this.#sql.all<{ namespace: string; key: string }>(statement, now, limit))
      this.remove(namespace.split("."), key);
  }
}

export function joined(namespace: readonly string[]): string {
  return namespace.join(".");
}

/** What begins with the namespace and a period. Without labels: everything. */
function rangeOf(prefix: readonly string[]): readonly [start: string, end: string] {
  if (prefix.length === 0) return ["", "\u{10ffff}"];
  // "/" is the character after the period.
  return [`${joined(prefix)}.`, `${joined(prefix)}/`];
}

function fromColumns(row: Columns): StoredItem {
  return {
    namespace: row.namespace.split("."),
    key: row.key,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    value: { type: row.type, data: new Uint8Array(row.value) },
  };
}
