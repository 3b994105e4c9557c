import type { Report } from "../log.ts";
import type { Sql } from "../storage/sql.ts";

/** Threads that are asked at once. */
const AT_ONCE = 16;
/** A thread that cannot answer is asked again at least so often, in milliseconds: once an hour. */
const MAX_DELAY = 60 * 60 * 1000;
/** And at first after so long. */
const FIRST_DELAY = 30_000;

/** Has a thread tell what it is. False when its object has none. */
export type AskThread = (objectId: string) => Promise<boolean>;

interface ExpectedThread extends Record<string, SqlStorageValue> {
  readonly thread_id: string;
  readonly object_id: string;
  readonly created_at: number;
  readonly expected_by: number;
}

/** The threads of a directory object that have more to tell: those that it does not hear of, it asks. */
export class ExpectedThreads {
  readonly #sql: Sql;
  readonly #ask: AskThread;
  readonly #report: Report;

  constructor(sql: Sql, ask: AskThread, report: Report) {
    this.#sql = sql;
    this.#ask = ask;
    this.#report = report;
  }

  /** When the next one is asked, unless it is heard of before. */
  next(): number | undefined {
    const statement = "SELECT min(expected_by) AS next FROM threads WHERE expected_by IS NOT NULL";
    return this.#sql.one<{ next: number | null }>(statement).next ?? undefined;
  }

  /** Asks those whose time has come, or some of them. Returns what is to be done about it in a transaction. */
  async ask(now: number): Promise<(remove: (threadId: string) => void) => void> {
    const statement = `SELECT thread_id, object_id, created_at, expected_by FROM threads
      WHERE expected_by <= ? ORDER BY expected_by LIMIT ?`;
    const asked = this.#sql.all<ExpectedThread>(statement, now, AT_ONCE);
    const answers = await Promise.allSettled(asked.map(({ object_id }) => this.#ask(object_id)));
    return (remove) => {
      for (const [index, thread] of asked.entries()) {
        const answer = answers[index];
        if (answer?.status === "rejected") this.#report(answer.reason, { thread_id: thread.thread_id });
        // One that was made meanwhile, or has told something, is expected at another time, or not any more.
        if (!this.#isExpected(thread)) continue;
        if (answer?.status === "fulfilled" && !answer.value) remove(thread.thread_id);
        else this.#putOff(thread, now);
      }
    };
  }

  #isExpected({ thread_id: id, expected_by: time }: ExpectedThread): boolean {
    const statement = "SELECT 1 FROM threads WHERE thread_id = ? AND expected_by = ?";
    return this.#sql.first(statement, id, time) !== undefined;
  }

  /** For as long as it is there already. */
  #putOff({ thread_id: id, created_at: createdAt }: ExpectedThread, now: number): void {
    const delay = Math.min(Math.max(now - createdAt, FIRST_DELAY), MAX_DELAY);
    this.#sql.run("UPDATE threads SET expected_by = ? WHERE thread_id = ?", now + delay, id);
  }
}
