import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from "node:sqlite";

/**
 * What LangGraph's SqliteSaver uses of better-sqlite3, on the SQLite that Node brings: so nothing is compiled for tests and
 * benchmarks. Both bind to the same library in the same process.
 */
export default class SqliteDatabase {
  readonly #db: DatabaseSync;

  constructor(file: string) {
    this.#db = new DatabaseSync(file);
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  pragma(statement: string): void {
    this.#db.exec(`PRAGMA ${statement}`);
  }

  prepare(sql: string): SqliteStatement {
    const statement = this.#db.prepare(sql);
    return {
      run: (...inputs) => statement.run(...bound(inputs)),
      get: (...inputs) => statement.get(...bound(inputs)),
      all: (...inputs) => statement.all(...bound(inputs)),
    };
  }

  transaction<Inputs extends unknown[]>(work: (...inputs: Inputs) => void): (...inputs: Inputs) => void {
    return (...inputs) => {
      this.#db.exec("BEGIN");
      try {
        work(...inputs);
        this.#db.exec("COMMIT");
      } catch (error) {
        this.#db.exec("ROLLBACK");
        throw error;
      }
    };
  }

  close(): void {
    this.#db.close();
  }
}

function bound(inputs: readonly (SQLInputValue | undefined)[]): SQLInputValue[] {
  return inputs.map((input) => input ?? null);
}

type Row = Record<string, SQLOutputValue>;

interface SqliteStatement {
  run(...inputs: (SQLInputValue | undefined)[]): unknown;
  get(...inputs: (SQLInputValue | undefined)[]): Row | undefined;
  all(...inputs: (SQLInputValue | undefined)[]): Row[];
}
