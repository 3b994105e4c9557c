import { fromHex, toHex } from "../../hex.ts";
import type { LazyTable } from "../../storage/lazy-table.ts";

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
  readonly #table: LazyTable;

  constructor(table: LazyTable) {
    this.#table = table;
  }

  /** Of one question, the first one first. */
  of(interruptId: string): AnswerRecord[] {
    const statement = "SELECT * FROM answers WHERE interrupt = ? ORDER BY answered_at, run";
    return this.#table.all<Columns>(statement, interruptId).map(fromColumns);
  }

  /** Those that a run was started with. */
  ofRun(runId: string): AnswerRecord[] {
    const statement = "SELECT * FROM answers WHERE run = ? ORDER BY interrupt";
    return this.#table.all<Columns>(statement, runId).map(fromColumns);
  }

  insert(answer: AnswerRecord): void {
    this.#table.insert(
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
    this.#table.change("DELETE FROM answers WHERE run NOT IN (SELECT id FROM runs)");
  }

  /** For a run that was refused. */
  removeOf(runId: string): void {
    this.#table.change("DELETE FROM answers WHERE run = ?", runId);
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
