import { StorageError } from "../errors.ts";
import { utf8Length } from "./large-leaf.ts";
import { MAX_PARAMETERS, MAX_ROW, MAX_STATEMENT } from "./limits.ts";

export type SqlInput = string | number | null | Uint8Array;
export type Row = Record<string, SqlStorageValue>;

/** In bytes: the ids of a row and a small body. */
const SCRATCH_SIZE = 1024;

/**
 * Runs statements and consumes their cursors at once: a cursor does not survive an await. The limits of the production
 * service are checked here, because the local one does not have them.
 */
export class Sql {
  readonly #sql: SqlStorage;
  readonly #scratch = new Uint8Array(new ArrayBuffer(SCRATCH_SIZE));

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** All rows. `Result` is the row type that stands next to the statement. */
  all<Result extends Row>(statement: string, ...inputs: SqlInput[]): Result[] {
    return this.#exec<Result>(statement, inputs).toArray();
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
    return this.#exec<Result>(statement, inputs).one();
  }

  /** Returns how many rows were written, those of indexes included. */
  run(statement: string, ...inputs: SqlInput[]): number {
    return this.#exec(statement, inputs).rowsWritten;
  }

  /** For cursors that are consumed at once. */
  #exec<Result extends Row>(statement: string, inputs: SqlInput[]): SqlStorageCursor<Result> {
    checkLimits(statement, inputs);
    this.#takeOut(inputs);
    return this.#sql.exec<Result>(statement, ...inputs);
  }

  /**
   * A byte array of less than 65 bytes has no memory of its own before somebody outside of JavaScript asks for it: to make it
   * for the ids of a row takes about as long as to insert the row. So the statement gets views of memory that is there
   * already, until the next one.
   */
  #takeOut(inputs: SqlInput[]): void {
    let position = 0;
    for (let index = 0; index < inputs.length; index++) {
      const input = inputs[index];
      if (!(input instanceof Uint8Array) || position + input.length > SCRATCH_SIZE) continue;
      this.#scratch.set(input, position);
      inputs[index] = new Uint8Array(this.#scratch.buffer, position, input.length);
      position += input.length;
    }
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
