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
  /** By table, then by which of the row's columns are given, a bit each. */
  readonly #inserts = new Map<string, Map<number, string>>();

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
   * same, and binding a value costs about a microsecond, more than the row itself. Rows of a table always have the same
   * columns, in the same order, 31 at the most.
   */
  insert(table: string, row: Readonly<Record<string, SqlInput>>): number {
    const inputs: SqlInput[] = [];
    let given = 0;
    let bit = 1;
    for (const column of Object.keys(row)) {
      const input = row[column] ?? null;
      if (input !== null) {
        inputs.push(input);
        given |= bit;
      }
      bit <<= 1;
    }
    return this.run(this.#insertion(table, row, given), ...inputs);
  }

  #insertion(table: string, row: Readonly<Record<string, SqlInput>>, given: number): string {
    const known = this.#inserts.get(table)?.get(given);
    if (known !== undefined) return known;
    const columns = Object.keys(row).filter((_, index) => (given & (1 << index)) !== 0);
    const places = columns.map(() => "?").join(", ");
    const statement = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places}) ON CONFLICT DO NOTHING`;
    const ofTable = this.#inserts.get(table) ?? new Map<number, string>();
    this.#inserts.set(table, ofTable.set(given, statement));
    return statement;
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
