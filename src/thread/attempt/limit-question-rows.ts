import type { Encoded } from "../../checkpoint/encoding.ts";
import type { LazyTable } from "../../storage/lazy-table.ts";

export interface LimitQuestionRow {
  readonly interruptId: string;
  readonly checkpointId: string;
  /** The run that has reached its limit. */
  readonly runId: string;
  readonly body: Encoded;
  /** The run that has taken the answer. */
  readonly takenBy: string | undefined;
}

type Columns = {
  interrupt: string;
  checkpoint: string;
  run: string;
  body_type: string;
  body: ArrayBuffer;
  taken: string | null;
};

/** The statements on `limit_question`, which has one row at most. */
export class LimitQuestionRows {
  readonly #table: LazyTable;

  constructor(table: LazyTable) {
    this.#table = table;
  }

  get(): LimitQuestionRow | undefined {
    const row = this.#table.first<Columns>("SELECT * FROM limit_question");
    return (
      row && {
        interruptId: row.interrupt,
        checkpointId: row.checkpoint,
        runId: row.run,
        body: { type: row.body_type, data: new Uint8Array(row.body) },
        takenBy: row.taken ?? undefined,
      }
    );
  }

  /** In the place of an earlier one. */
  put({ interruptId, checkpointId, runId, body }: Omit<LimitQuestionRow, "takenBy">): void {
    this.#table.insert(
      `INSERT OR REPLACE INTO limit_question (id, interrupt, checkpoint, run, body_type, body)
       VALUES (1, ?, ?, ?, ?, ?)`,
      interruptId,
      checkpointId,
      runId,
      body.type,
      body.data,
    );
  }

  take(runId: string): void {
    this.#table.change("UPDATE limit_question SET taken = ?", runId);
  }

  /** What the run has written is undone. */
  release(runId: string): void {
    this.#table.change("UPDATE limit_question SET taken = NULL WHERE taken = ?", runId);
  }
}
