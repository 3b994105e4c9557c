import type { Sql } from "../storage/sql.ts";

/** The threads of a tenant that is being erased, until each is gone. */
export class Erasures {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** In a transaction. Threads to be deleted next: those that were not tried yet, the oldest first, then those that were tried least lately. */
  begin(limit: number): readonly string[] {
    const begin = `INSERT INTO erasures (thread_id)
      SELECT thread_id FROM threads WHERE thread_id NOT IN (SELECT thread_id FROM erasures)
      ORDER BY created_at, thread_id LIMIT ?`;
    this.#sql.run(begin, limit);
    const next = `UPDATE erasures SET tried = 1 + (SELECT max(tried) FROM erasures)
      WHERE thread_id IN (SELECT thread_id FROM erasures ORDER BY tried, thread_id LIMIT ?) RETURNING thread_id`;
    return this.#sql.all<{ thread_id: string }>(next, limit).map((row) => row.thread_id);
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
}
