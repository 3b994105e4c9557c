import type { Sql } from "../storage/sql.ts";

/** The threads of a tenant that is being erased, until each is gone. */
export class Erasures {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** In a transaction. Threads to be deleted next: first those that were begun before, then the oldest. */
  begin(limit: number): readonly string[] {
    const begun = this.#ids("SELECT thread_id FROM erasures ORDER BY thread_id LIMIT ?", limit);
    const statement = `INSERT INTO erasures (thread_id)
      SELECT thread_id FROM threads WHERE thread_id NOT IN (SELECT thread_id FROM erasures)
      ORDER BY created_at, thread_id LIMIT ? RETURNING thread_id`;
    return [...begun, ...this.#ids(statement, limit - begun.length)];
  }

  /** The thread is gone. */
  end(threadId: string): void {
    this.#sql.run("DELETE FROM erasures WHERE thread_id = ?", threadId);
  }

  /** How many threads are there, or are still going. */
  left(): number {
    const statement = `SELECT count(*) AS count
      FROM (SELECT thread_id FROM threads UNION SELECT thread_id FROM erasures)`;
    return this.#sql.one<{ count: number }>(statement).count;
  }

  #ids(statement: string, limit: number): readonly string[] {
    return this.#sql.all<{ thread_id: string }>(statement, limit).map((row) => row.thread_id);
  }
}
