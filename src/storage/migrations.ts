import { StorageError } from "../errors.ts";

/** One step of the tables' history. Steps are numbered from 1, appended, and never changed once released. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  /** "" where the tables stay as they are, and rows have a form that older code does not know. */
  readonly sql: string;
  /** The lazy table that it is about, and nothing else: an object without that table will make it in its newest form. */
  readonly table?: string;
}

const NOTES = "schema_migrations";

/**
 * Brings the tables up to the newest of the migrations: all that are missing, in order, in one transaction. Writes
 * nothing when there is nothing to do, and refuses a database that newer code has written. `newestTables` makes at once what
 * all migrations make one after the other, lazy tables excepted, and is what a database without tables gets: only the version
 * with which it begins is noted there.
 * Returns the version that the tables had.
 */
export function migrate(
  storage: DurableObjectStorage,
  migrations: readonly Migration[],
  newestTables?: string,
  names: ReadonlySet<string> = tableNames(storage.sql),
): number {
  const ordered = migrations.toSorted((a, b) => a.version - b.version);
  const newest = ordered.at(-1)?.version ?? 0;
  const current = schemaVersion(storage.sql, names);
  if (current > newest) throw tooNew(current, newest);
  if (current === newest) return current;
  const missing = ordered.filter(({ version }) => version > current);
  storage.transactionSync(() => {
    storage.sql.exec(`CREATE TABLE IF NOT EXISTS ${NOTES} (version INTEGER PRIMARY KEY, name TEXT NOT NULL)`);
    const isBegun = current === 0 && newestTables !== undefined;
    if (isBegun) storage.sql.exec(newestTables);
    else for (const step of missing) if (isDue(storage.sql, step, current)) storage.sql.exec(step.sql);
    const notes = missing.slice(isBegun ? -1 : 0).map(({ version, name }) => `(${version}, '${name}')`);
    storage.sql.exec(`INSERT INTO ${NOTES} (version, name) VALUES ${notes.join()}`);
  });
  return current;
}

/** Where there were no tables, each step makes those that the next ones are about. */
function isDue(sql: SqlStorage, { table, sql: statements }: Migration, current: number): boolean {
  if (statements === "") return false;
  return table === undefined || current === 0 || tableNames(sql).has(table);
}

/** The version of the tables, 0 when there are none. Creates nothing. */
export function schemaVersion(sql: SqlStorage, names: ReadonlySet<string> = tableNames(sql)): number {
  if (!isMade(names)) return 0;
  return (
    sql.exec<{ version: number | null }>(`SELECT max(version) AS version FROM ${NOTES}`).one().version ?? 0
  );
}

/** Whether an object with these tables was ever written. */
export function isMade(names: ReadonlySet<string>): boolean {
  return names.has(NOTES);
}

export function tableNames(sql: SqlStorage): Set<string> {
  const statement = "SELECT name FROM sqlite_master WHERE type = 'table'";
  return new Set(
    sql
      .exec<{ name: string }>(statement)
      .toArray()
      .map(({ name }) => name),
  );
}

function tooNew(database: number, code: number): StorageError {
  return new StorageError(
    "schema_too_new",
    `The tables have version ${database}, but this code knows versions up to ${code}. Deploy the newer code again.`,
    { details: { database_version: database, code_version: code } },
  );
}
