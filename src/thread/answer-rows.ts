import { fromHex, toHex } from "../storage/stored-id.ts";
import type { Sql } from "../storage/sql.ts";
import { Presence } from "./presence.ts";

/** An answer that a run was started with. */
export interface AnswerRecord {
  readonly interruptId: string;
  /** The checkpoint that was answered. */
  readonly checkpointId: string;
  /** SHA-256 of the answer, in hex digits. */
  readonly hash: string;
  readonly runId: string;
  /** Milliseconds since 1970. */
  readonly answeredAt: number;
  readonly answeredBy: string | undefined;
  /** For whom, where that is said beside it. */
  readonly onBehalfOf: string | undefined;
}

type Columns = {
  interrupt: string;
  checkpoint: string;
  hash: ArrayBuffer;
  run: string;
  answered_at: number;
  answered_by: string | null;
  on_behalf_of: string | null;
};

/** The statements on `answers`. */
export class AnswerRows {
  readonly #sql: Sql;
  readonly #presence: Presence;

  constructor(sql: Sql) {
    this.#sql = sql;
    this.#presence = new Presence(sql, "answers");
  }

  /** The rows may be others than they were. */
  forget(): void {
    this.#presence.forget();
  }

  /** The table was made just now. */
  noteEmpty(): void {
    this.#presence.noteEmpty();
  }

  /** Of one question, the first one first. */
  of(interruptId: string): AnswerRecord[] {
    const statement = "SELECT * FROM answers WHERE interrupt = ? ORDER BY answered_at, run";
    return this.#sql.all<Columns>(statement, interruptId).map(fromColumns);
  }

  /** Those that a run was started with. */
  ofRun(runId: string): AnswerRecord[] {
    if (this.#presence.isEmpty) return [];
    const statement = "SELECT * FROM answers WHERE run = ? ORDER BY interrupt";
    return this.#sql.all<Columns>(statement, runId).map(fromColumns);
  }

  insert(answer: AnswerRecord): void {
    this.#presence.note();
    this.#sql.run(
      `INSERT OR REPLACE INTO answers (interrupt, checkpoint, hash, run, answered_at, answered_by, on_behalf_of)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      answer.interruptId,
      answer.checkpointId,
      fromHex(answer.hash),
      answer.runId,
      answer.answeredAt,
      answer.answeredBy ?? null,
      answer.onBehalfOf ?? null,
    );
  }

  /** Those whose runs are gone. */
  removeLost(): void {
    this.#sql.run("DELETE FROM answers WHERE run NOT IN (SELECT id FROM runs)");
  }

  /** For a run that was refused. */
  removeOf(runId: string): void {
    this.#sql.run("DELETE FROM answers WHERE run = ?", runId);
  }
}

function fromColumns(row: Columns): AnswerRecord {
  return {
    interruptId: row.interrupt,
    checkpointId: row.checkpoint,
    hash: toHex(new Uint8Array(row.hash)),
    runId: row.run,
    answeredAt: row.answered_at,
    answeredBy: row.answered_by ?? undefined,
    onBehalfOf: row.on_behalf_of ?? undefined,
  };
}
