import type { Sql } from "../../storage/sql.ts";
import { Remembered } from "../remembered.ts";

/** The statements on `queue`: the ids of the runs whose turn it is or comes, in their order. */
export class QueueRows {
  readonly #sql: Sql;
  readonly #ids = new Remembered<readonly string[]>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** The rows may be others than they were. */
  forget(): void {
    this.#ids.forget();
  }

  /** The table was made just now. */
  noteEmpty(): void {
    this.#ids.know([]);
  }

  all(): readonly string[] {
    const statement = "SELECT run FROM queue ORDER BY position";
    return this.#ids.read(() => this.#sql.all<{ run: string }>(statement).map(({ run }) => run));
  }

  /** The run whose turn it is. */
  first(): string | undefined {
    return this.all()[0];
  }

  enter(run: string): void {
    this.#ids.change((ids) => [...ids, run]);
    this.#sql.run("INSERT INTO queue (run) VALUES (?)", run);
  }

  leave(run: string): void {
    this.#ids.change((ids) => ids.filter((id) => id !== run));
    this.#sql.run("DELETE FROM queue WHERE run = ?", run);
  }
}
