import type { Sql } from "../storage/sql.ts";
import { Remembered } from "./remembered.ts";

/** Whether a table may have rows: most threads have none in most of their tables, which need not be asked each time. */
export class Presence {
  readonly #sql: Sql;
  readonly #table: string;
  readonly #isEmpty = new Remembered<boolean>();

  constructor(sql: Sql, table: string) {
    this.#sql = sql;
    this.#table = table;
  }

  get isEmpty(): boolean {
    return this.#isEmpty.read(() => this.#sql.first(`SELECT 1 FROM ${this.#table} LIMIT 1`) === undefined);
  }

  /** The table was made just now. */
  noteEmpty(): void {
    this.#isEmpty.know(true);
  }

  /** A row is added. */
  note(): void {
    this.#isEmpty.change(() => false);
  }

  /** The rows may be others than they were. */
  forget(): void {
    this.#isEmpty.forget();
  }
}
