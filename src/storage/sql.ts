import { StorageError } from "../errors.ts";
import { utf8Length } from "./large-leaf.ts";
import { MAX_PARAMETERS, MAX_ROW, MAX_STATEMENT } from "./limits.ts";

export type SqlInput = string | number | null | Uint8Array;
export type Row = Record<string, SqlStorageValue>;

/**
 * Runs statements and consumes their cursors at once: a cursor does not survive an await. The limits of the production
 * service are checked here, because the local one does not have them.
 */
export class Sql {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** All rows. `Result` is the row type that stands next to the statement. */
  all<Result extends Row>(statement: string, ...inputs: SqlInput[]): Result[] {
    return this.#exec<Result>(statement, inputs).toArray();
  }

  /** One row after the other, for those who may need only the first ones. Nothing may be awaited meanwhile. */
  each<Result extends Row>(statement: string, ...inputs: SqlInput[]): Iterable<Result> {
    return this.#exec<Result>(statement, inputs);
  }

  first<Result extends Row>(statement: string, ...inputs: SqlInput[]): Result | undefined {
    return this.all<Result>(statement, ...inputs)[0];
  }

  /** Exactly one row. */
  one<Result extends Row>(statement: string, ...inputs: SqlInput[]): Result {
    return this.#exec<Result>(statement, inputs).one();
  }

  /** Returns how many rows were written, those of indexes included. */
  run(statement: string, ...inputs: SqlInput[]): number {
    return this.#exec(statement, inputs).rowsWritten;
  }

  #exec<Result extends Row>(statement: string, inputs: SqlInput[]): SqlStorageCursor<Result> {
    checkLimits(statement, inputs);
    return this.#sql.exec<Result>(statement, ...inputs);
  }
}

function checkLimits(statement: string, inputs: readonly SqlInput[]): void {
  if (statement.length > MAX_STATEMENT) throw overLimit("statement", statement.length, MAX_STATEMENT);
  if (inputs.length > MAX_PARAMETERS) throw overLimit("parameters", inputs.length, MAX_PARAMETERS);
  let size = 0;
  for (const input of inputs) size += sizeOf(input);
  // Each text was taken for as long as it can be.
  if (size > MAX_ROW) size = inputs.reduce<number>((sum, input) => sum + sizeOf(input, utf8Length), 0);
  if (size > MAX_ROW) throw overLimit("row", size, MAX_ROW);
}

function sizeOf(input: SqlInput, ofText = (text: string) => 3 * text.length): number {
  if (typeof input === "string") return ofText(input);
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
