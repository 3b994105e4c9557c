import { backoff } from "../backoff.ts";
import type { Report } from "../log.ts";
import type { Sql } from "../storage/sql.ts";

/** Threads that are asked at once. */
const AT_ONCE = 16;
/** So long a thread has to answer, in milliseconds: nobody waits for what it tells. */
const DEADLINES = { announceThread: 10_000, hasThread: 1000 };
/** One that cannot answer is asked again after so long, in milliseconds. */
const FIRST_DELAY = 30_000;

/** Asks a thread whether it is there, or has it tell what it is. False when its object has none. */
export type AskThread = (objectId: string, question: keyof typeof DEADLINES) => Promise<boolean>;

export interface Asking {
  readonly askThread: AskThread;
  /** In milliseconds. */
  readonly wait: (time: number) => Promise<void>;
  /** Takes what nobody expected. */
  readonly report: Report;
}

export interface ExpectedThread extends Record<string, SqlStorageValue> {
  readonly thread_id: string;
  readonly object_id: string;
  readonly created_at: number;
  /** When it is asked again. */
  readonly expected_by: number;
}

/** The threads of a directory object that have more to tell: those that it does not hear of, it asks. */
export class ExpectedThreads {
  readonly #sql: Sql;
  readonly #asking: Asking;

  constructor(sql: Sql, asking: Asking) {
    this.#sql = sql;
    this.#asking = asking;
  }

  /** When the next one is asked, unless it is heard of before. */
  next(): number | undefined {
    const statement = "SELECT min(expected_by) AS next FROM threads WHERE expected_by IS NOT NULL";
    return this.#sql.one<{ next: number | null }>(statement).next ?? undefined;
  }

  /**
   * In a transaction: those that are to be asked now, or some of them. Whatever becomes of it, each is asked again when it has been there
   * for twice as long.
   */
  putOff(now: number): readonly ExpectedThread[] {
    const statement = `SELECT thread_id, object_id, created_at, expected_by FROM threads
      WHERE expected_by <= ? ORDER BY expected_by LIMIT ?`;
    return this.#sql.all<ExpectedThread>(statement, now, AT_ONCE).map((thread) => {
      const delay = backoff(now - thread.created_at, FIRST_DELAY);
      this.#sql.run("UPDATE threads SET expected_by = ? WHERE thread_id = ?", now + delay, thread.thread_id);
      return { ...thread, expected_by: now + delay };
    });
  }

  /** Asks it. False also when it does not answer. */
  async isUnmade(
    { object_id: objectId, thread_id: id }: Pick<ExpectedThread, "object_id" | "thread_id">,
    question: Parameters<AskThread>[1] = "announceThread",
  ): Promise<boolean> {
    const { askThread, wait, report } = this.#asking;
    try {
      return !(await Promise.race([
        askThread(objectId, question),
        wait(DEADLINES[question]).then(() => true),
      ]));
    } catch (fault) {
      report(fault, { thread_id: id });
      return false;
    }
  }

  /** Whether nothing was heard of it since it was put off. */
  has({ thread_id: id, expected_by: time }: ExpectedThread): boolean {
    const statement = "SELECT 1 FROM threads WHERE thread_id = ? AND expected_by = ?";
    return this.#sql.first(statement, id, time) !== undefined;
  }
}
