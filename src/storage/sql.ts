import { StorageError } from "../errors.ts";
import { MAX_PARAMETERS, MAX_ROW, MAX_STATEMENT } from "./limits.ts";

export type SqlInput = string | number | null | Uint8Array;
type Row = Record<string, SqlStorageValue>;

/**
 * Runs statements and consumes their cursors at once: a cursor does not survive an await. The limits of the production
 * service are checked here, because the local one does not have them.
 */
export class Sql {
  readonly #sql: SqlStorage;
  /** As many as there are tables and sets of columns. */
  readonly #inserts = new Map<string, string>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** All rows. `Result` is the row type that stands next to the statement. */
  all<Result extends Row>(statement: string, ...inputs: SqlInput[]): Result[] {
    checkLimits(statement, inputs);
    return this.#sql.exec<Result>(statement, ...inputs).toArray();
  }

  /** One row after the other, for those who may need only the first ones. Nothing may be awaited meanwhile. */
  each<Result extends Row>(statement: string, ...inputs: SqlInput[]): Iterable<Result> {
    checkLimits(statement, inputs);
    return this.#sql.exec<Result>(statement, ...inputs);
  }

  first<Result extends Row>(statement: string, ...inputs: SqlInput[]): Result | undefined {
    return this.all<Result>(statement, ...inputs)[0];
  }

  /** Exactly one row. */
  one<Result extends Row>(statement: string, ...inputs: SqlInput[]): Result {
    checkLimits(statement, inputs);
    return this.#sql.exec<Result>(statement, ...inputs).one();
  }

  /**
   * Adds a row, unless there is one with its key: returns how many were written. What is null is left out: for SQLite it is the
   * same, and binding a value costs about a microsecond, more than the row itself.
   */
  insert(table: string, row: Readonly<Record<string, SqlInput>>): number {
    let columns = "";
    const inputs: SqlInput[] = [];
    for (const [column, input] of Object.entries(row)) {
      if (input === null) continue;
      columns += inputs.length === 0 ? column : `, ${column}`;
      inputs.push(input);
    }
    const key = `${table} (${columns})`;
    let statement = this.#inserts.get(key);
    if (statement === undefined) {
      const places = inputs.map(() => "?").join(", ");
      statement = `INSERT INTO ${key} VALUES (${places}) ON CONFLICT DO NOTHING`;
      this.#inserts.set(key, statement);
    }
    return this.run(statement, ...inputs);
  }

  /** Returns how many rows were written, those of indexes included. */
  run(statement: string, ...inputs: SqlInput[]): number {
    checkLimits(statement, inputs);
    return this.#sql.exec(statement, ...inputs).rowsWritten;
  }
}

function checkLimits(statement: string, inputs: readonly SqlInput[]): void {
  if (statement.length > MAX_STATEMENT) throw overLimit("statement", statement.length, MAX_STATEMENT);
  if (inputs.length > MAX_PARAMETERS) throw overLimit("parameters", inputs.length, MAX_PARAMETERS);
  let size = 0;
  for (const input of inputs) size += sizeOf(input);
  if (size > MAX_ROW) throw overLimit("row", size, MAX_ROW);
}

function sizeOf(input: SqlInput): number {
  if (typeof input === "string") return input.length;
  return input instanceof Uint8Array ? input.byteLength : 8;
}

function overLimit(what: string, size: number, limit: number): StorageError {
  return new StorageError(
    "sql_limit",
    `A ${what} of SQL is over the limit of the service: ${size}, the limit is ${limit}.`,
    {
      details: { what, size, limit },
    },
  );
}
