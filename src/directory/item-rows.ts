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

/** The statements on `items`. */
export class ItemRows {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  get(namespace: readonly string[], key: string): StoredItem | undefined {
    const statement = "SELECT * FROM items WHERE namespace = ? AND key = ?";
    const row = this.#sql.first<Columns>(statement, joined(namespace), key);
    return row && fromColumns(row);
  }

  /** Those that lie at the namespace or below it and come after `after`, by namespace and key. */
  page(prefix: readonly string[], after: StoredItem | undefined, limit: number): readonly StoredItem[] {
    const [start, end] = rangeOf(prefix);
    const statement = `SELECT * FROM items
      WHERE (namespace = ?1 OR (namespace >= ?2 AND namespace < ?3)) AND (namespace, key) > (?4, ?5)
      ORDER BY namespace, key LIMIT ?6`;
    const place = after === undefined ? ["", ""] : [joined(after.namespace), after.key];
    const rows = this.#sql.all<Columns>(statement, joined(prefix), start, end, ...place, limit);
    return rows.map(fromColumns);
  }

  namespaces(): readonly (readonly string[])[] {
    const rows = this.#sql.all<{ namespace: string }>("SELECT DISTINCT namespace FROM items");
    return rows.map(({ namespace }) => namespace.split("."));
  }

  put(
    { namespace, key, value: { type, data } }: Omit<StoredItem, "createdAt" | "updatedAt">,
    now: number,
  ): void {
    const statement = `INSERT INTO items (namespace, key, created_at, updated_at, type, value) VALUES (?1, ?2, ?3, ?3, ?4, ?5)
      ON CONFLICT (namespace, key) DO UPDATE
      SET updated_at = excluded.updated_at, type = excluded.type, value = excluded.value`;
    this.#sql.run(statement, joined(namespace), key, now, type, data);
  }

  remove(namespace: readonly string[], key: string): void {
    this.#sql.run("DELETE FROM items WHERE namespace = ? AND key = ?", joined(namespace), key);
  }
}

function joined(namespace: readonly string[]): string {
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
