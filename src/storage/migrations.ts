import { StorageError } from "../errors.ts";

/** One step of the tables' history. Steps are numbered from 1, appended, and never changed once released. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/**
 * Brings the tables up to the newest of the migrations: all that are missing, in order, in one transaction. Writes
 * nothing when there is nothing to do, and refuses a database that newer code has written. `newestTables` makes at once what
 * all migrations make one after the other, and is what a database without tables gets.
 * Returns whether there were none.
 */
export function migrate(
  storage: DurableObjectStorage,
  migrations: readonly Migration[],
  newestTables?: string,
): boolean {
  const ordered = migrations.toSorted((a, b) => a.version - b.version);
  const newest = ordered.at(-1)?.version ?? 0;
  const current = schemaVersion(storage.sql);
  if (current > newest) throw tooNew(current, newest);
  if (current === newest) return false;
  const missing = ordered.filter(({ version }) => version > current);
  storage.transactionSync(() => {
    storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL)",
    );
    const scripts = current === 0 && newestTables ? [newestTables] : missing.map(({ sql }) => sql);
    for (const script of scripts) storage.sql.exec(script);
    const notes = missing.map(({ version, name }) => `(${version}, '${name}')`);
    storage.sql.exec(`INSERT INTO schema_migrations (version, name) VALUES ${notes.join()}`);
  });
  return current === 0;
}

/** The version of the tables, 0 when there are none. Creates nothing. */
export function schemaVersion(sql: SqlStorage): number {
  const tables = sql
    .exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'")
    .toArray();
  if (tables.length === 0) return 0;
  const { version } = sql
    .exec<{ version: number | null }>("SELECT max(version) AS version FROM schema_migrations")
    .one();
  return version ?? 0;
}

function tooNew(database: number, code: number): StorageError {
  return new StorageError(
    "schema_too_new",
    `The tables have version ${database}, but this code knows versions up to ${code}. Deploy the newer code again.`,
    { details: { database_version: database, code_version: code } },
  );
}
