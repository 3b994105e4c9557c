import type { LazyTables } from "./lazy-tables.ts";
import { Sql } from "./sql.ts";
import { Tables } from "./tables.ts";

/** How much of an object's storage is taken. */
export interface StorageUsage {
  readonly bytes: {
    /** The whole database, its free pages included. */
    readonly database: number;
    /** Of the large values that lie in the bucket. */
    readonly bucket: number;
  };
  /** By table. */
  readonly rows: Readonly<Record<string, number>>;
  /** By status. */
  readonly runs: Readonly<Record<string, number>>;
  /** By what they are for. */
  readonly timers: Readonly<Record<string, number>>;
  /** False where something was counted up to the limit only. */
  readonly is_complete: boolean;
}

/** So many rows of a table are read at most: who reads is billed for rows. */
const LIMIT = 10_000;

export function usageOf(storage: DurableObjectStorage, tables: LazyTables, limit = LIMIT): StorageUsage {
  const sql = new Sql(storage.sql);
  const names = new Tables(storage.sql).names();
  const rows = Object.fromEntries([
    ...tables.lazy.map((name) => [name, 0] as const),
    ...names.map((name) => [name, rowsOf(sql, name, limit)] as const),
  ]);
  return {
    bytes: { database: storage.sql.databaseSize, bucket: bucketBytes(tables, limit) },
    rows,
    runs: countsBy(sql, "SELECT status AS key FROM runs ORDER BY id DESC LIMIT ?", limit),
    timers: countsBy(sql, "SELECT kind AS key FROM timers LIMIT ?", limit),
    is_complete: Object.values(rows).every((count) => count < limit),
  };
}

function rowsOf(sql: Sql, table: string, limit: number): number {
  return sql.one<{ n: number }>(`SELECT count(*) AS n FROM (SELECT 1 FROM "${table}" LIMIT ?)`, limit).n;
}

function bucketBytes(tables: LazyTables, limit: number): number {
  const statement =
    "SELECT total(size) AS bytes FROM (SELECT size, generation FROM blobs LIMIT ?) WHERE generation IS NOT NULL";
  return tables.of("blobs").first<{ bytes: number }>(statement, limit)?.bytes ?? 0;
}

function countsBy(sql: Sql, keys: string, limit: number): Record<string, number> {
  const counts = sql.all<{ key: string; n: number }>(
    `SELECT key, count(*) AS n FROM (${keys}) GROUP BY key`,
    limit,
  );
  return Object.fromEntries(counts.map(({ key, n }) => [key, n]));
}
