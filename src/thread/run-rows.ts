import type { Encoded } from "../checkpoint/encoding.ts";
import type { BodyInput, BodyRow } from "../storage/body-row.ts";
import type { Sql } from "../storage/sql.ts";

/** In the words of LangGraph's platform; a run that ends with a question is a `success`. */
export type RunStatus = "pending" | "running" | "success" | "error" | "interrupted";

/** A run as its row has it. Times are milliseconds since 1970. */
export interface RunRow {
  readonly id: string;
  readonly status: RunStatus;
  /** Counts how often the run was entered. */
  readonly attempt: number;
  /** Attempts since the last commit. */
  readonly stalled: number;
  readonly inputApplied: boolean;
  /** The step up to which the run may go; known once its input is applied. */
  readonly lastStep: number | undefined;
  /** What stopped its last attempt, when that was not the object's end: its code and message. */
  readonly fault: Encoded | undefined;
  readonly request: BodyRow;
  readonly context: Encoded | undefined;
  /** Absent until the run has ended. */
  readonly outcome: BodyRow | undefined;
}

export interface LastRun {
  readonly status: RunStatus;
  /** When it came, or ended. */
  readonly usedAt: number;
}

export interface NewRun {
  readonly id: string;
  readonly createdAt: number;
  readonly request: BodyInput;
  readonly context: Encoded | undefined;
}

type Columns = {
  id: string;
  status: RunStatus;
  attempt: number;
  stalled: number;
  input_applied: number;
  last_step: number | null;
  fault_type: string | null;
  fault: ArrayBuffer | string | null;
  request_type: string;
  request: ArrayBuffer | null;
  request_hash: ArrayBuffer | null;
  context_type: string | null;
  context: ArrayBuffer | null;
  outcome_type: string | null;
  outcome: ArrayBuffer | null;
  outcome_hash: ArrayBuffer | null;
};

type Bodies = Pick<
  Columns,
  "id" | "request_type" | "request" | "request_hash" | "outcome_type" | "outcome" | "outcome_hash"
>;

/** Rows that are read at once where all of them are. */
const PAGE = 100;

/** The statements on `runs` and `queue`. */
export class RunRows {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  get(id: string): RunRow | undefined {
    const row = this.#sql.first<Columns>("SELECT * FROM runs WHERE id = ?", id);
    return row && fromColumns(row);
  }

  /** The run whose turn it is. */
  first(): string | undefined {
    return this.#sql.first<{ run: string }>("SELECT run FROM queue ORDER BY position LIMIT 1")?.run;
  }

  enqueue(run: NewRun): void {
    this.#sql.run(
      `INSERT INTO runs (id, status, created_at, request_type, request, request_hash, context_type, context)
       VALUES (?, 'pending', ?, ?, ?, ?, ?, ?)`,
      run.id,
      run.createdAt,
      run.request.type,
      run.request.body,
      run.request.bodyHash,
      run.context?.type ?? null,
      run.context?.data ?? null,
    );
    this.#sql.run("INSERT INTO queue (run) VALUES (?)", run.id);
  }

  /** Counts that the run is entered once more. */
  claim(id: string, startedAt: number): void {
    this.#sql.run(
      `UPDATE runs SET status = 'running', attempt = attempt + 1, stalled = stalled + 1,
       started_at = coalesce(started_at, ?) WHERE id = ?`,
      startedAt,
      id,
    );
  }

  /** `lastStep` is given with the commit that applies the input. */
  noteProgress(id: string, lastStep: number | undefined): void {
    this.#sql.run(
      `UPDATE runs SET stalled = 0, input_applied = max(input_applied, ?), last_step = coalesce(?, last_step)
       WHERE id = ?`,
      Number(lastStep !== undefined),
      lastStep ?? null,
      id,
    );
  }

  noteFault(id: string, { type, data }: Encoded): void {
    this.#sql.run("UPDATE runs SET fault_type = ?, fault = ? WHERE id = ?", type, data, id);
  }

  end(id: string, status: RunStatus, endedAt: number, outcome: BodyInput): void {
    this.#sql.run(
      `UPDATE runs SET status = ?, ended_at = ?, outcome_type = ?, outcome = ?, outcome_hash = ?,
       context_type = NULL, context = NULL, fault_type = NULL, fault = NULL WHERE id = ?`,
      status,
      endedAt,
      outcome.type,
      outcome.body,
      outcome.bodyHash,
      id,
    );
    this.#sql.run("DELETE FROM queue WHERE run = ?", id);
  }

  /** The run that came last: ids are minted in the order of time. */
  last(): LastRun | undefined {
    const statement =
      "SELECT status, coalesce(ended_at, created_at) AS used_at FROM runs ORDER BY id DESC LIMIT 1";
    const row = this.#sql.first<{ status: RunStatus; used_at: number }>(statement);
    return row && { status: row.status, usedAt: row.used_at };
  }

  /** When the thread had to do with a run last: it came, or it ended. */
  lastUse(): number | undefined {
    const statement = "SELECT max(coalesce(ended_at, created_at)) AS time FROM runs";
    return this.#sql.first<{ time: number | null }>(statement)?.time ?? undefined;
  }

  /** Those that no key of a request leads to. */
  removeEndedBefore(time: number): void {
    const statement =
      "DELETE FROM runs WHERE ended_at < ? AND id NOT IN (SELECT result FROM idempotency_keys)";
    this.#sql.run(statement, time);
  }

  /** All that runs were started with and came to. */
  *bodies(): Generator<BodyRow, void, void> {
    const statement = `SELECT id, request_type, request, request_hash, outcome_type, outcome, outcome_hash
      FROM runs WHERE id > ? ORDER BY id LIMIT ${PAGE}`;
    let after = "";
    for (;;) {
      const page = this.#sql.all<Bodies>(statement, after);
      for (const row of page) {
        yield requestOf(row);
        const outcome = outcomeOf(row);
        if (outcome !== undefined) yield outcome;
      }
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.id;
    }
  }

  /** Leaves no trace of a run that was refused. */
  remove(id: string): void {
    this.#sql.run("DELETE FROM queue WHERE run = ?", id);
    this.#sql.run("DELETE FROM runs WHERE id = ?", id);
  }
}

function fromColumns(row: Columns): RunRow {
  return {
    id: row.id,
    status: row.status,
    attempt: row.attempt,
    stalled: row.stalled,
    inputApplied: row.input_applied === 1,
    lastStep: row.last_step ?? undefined,
    fault: faultOf(row),
    request: requestOf(row),
    context:
      row.context_type === null || row.context === null
        ? undefined
        : { type: row.context_type, data: new Uint8Array(row.context) },
    outcome: outcomeOf(row),
  };
}

/** Older rows have it as JSON, which may say what is to be encrypted now: it is left out. */
function faultOf({ fault_type: type, fault }: Columns): Encoded | undefined {
  return type === null || !(fault instanceof ArrayBuffer) ? undefined : { type, data: new Uint8Array(fault) };
}

function requestOf(row: Bodies): BodyRow {
  return { type: row.request_type, body: row.request, body_hash: row.request_hash };
}

function outcomeOf(row: Bodies): BodyRow | undefined {
  return row.outcome_type === null
    ? undefined
    : { type: row.outcome_type, body: row.outcome, body_hash: row.outcome_hash };
}
