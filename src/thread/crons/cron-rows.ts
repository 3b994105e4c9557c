import type { Encoded } from "../../checkpoint/encoding.ts";
import type { LazyTable } from "../../storage/lazy-table.ts";
import type { CronThreads } from "./cron-protocol.ts";

/** What can be changed of a cron. */
export interface CronTerms {
  readonly schedule: string;
  /** An IANA name. */
  readonly timezone: string;
  readonly enabled: boolean;
  /** What becomes of the threads that it makes; undefined: its runs are of the thread itself. */
  readonly threads: CronThreads | undefined;
  readonly request: Encoded;
  /** None comes after it. */
  readonly endAt: number | undefined;
  /** When the next run comes; undefined when none does. */
  readonly nextAt: number | undefined;
  /** Grows with every change of these. */
  readonly updatedAt: number;
}

/** A cron as its row has it. Times are milliseconds since 1970. */
export interface CronRow extends CronTerms {
  readonly id: string;
  readonly assistant: string | undefined;
  readonly createdAt: number;
  /** The time of the run that is being started: its thread is made. */
  readonly firingAt: number | undefined;
  readonly lastRun: string | undefined;
  /** The code of why the last run was not taken in. */
  readonly lastError: string | undefined;
}

/** The run that has come, or the code of why it has not. */
export type LastRun = { readonly run: string } | { readonly error: string };

type Columns = {
  id: string;
  assistant: string | null;
  threads: CronThreads | null;
  schedule: string;
  timezone: string;
  enabled: number;
  request_type: string;
  request: ArrayBuffer;
  created_at: number;
  updated_at: number;
  end_at: number | null;
  next_at: number | null;
  firing_at: number | null;
  last_run: string | null;
  last_error: string | null;
};

/** The statements on `crons`. */
export class CronRows {
  readonly #table: LazyTable;

  constructor(table: LazyTable) {
    this.#table = table;
  }

  get(id: string): CronRow | undefined {
    const row = this.#table.first<Columns>("SELECT * FROM crons WHERE id = ?", id);
    return row && fromColumns(row);
  }

  /** The oldest first. */
  all(): CronRow[] {
    return this.#table.all<Columns>("SELECT * FROM crons ORDER BY created_at, id").map(fromColumns);
  }

  count(): number {
    return this.#table.first<{ n: number }>("SELECT count(*) AS n FROM crons")?.n ?? 0;
  }

  insert(cron: CronRow): void {
    this.#table.insert(
      `INSERT INTO crons
         (id, assistant, created_at, schedule, timezone, enabled, threads, request_type, request, end_at, next_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      cron.id,
      cron.assistant ?? null,
      cron.createdAt,
      ...termColumns(cron),
    );
  }

  update(id: string, terms: CronTerms): void {
    this.#table.change(
      `UPDATE crons SET schedule = ?, timezone = ?, enabled = ?, threads = ?, request_type = ?, request = ?, end_at = ?, next_at = ?,
         updated_at = ? WHERE id = ?`,
      ...termColumns(terms),
      id,
    );
  }

  /** The thread for the run of this time is made. */
  beginFiring(id: string, at: number): void {
    this.#table.change("UPDATE crons SET firing_at = ? WHERE id = ?", at, id);
  }

  advance(id: string, nextAt: number | undefined, last: LastRun): void {
    const [run, error] = "run" in last ? [last.run, null] : [null, last.error];
    this.#table.change(
      `UPDATE crons SET next_at = ?, firing_at = NULL, last_run = coalesce(?, last_run), last_error = ?
       WHERE id = ?`,
      nextAt ?? null,
      run,
      error,
      id,
    );
  }

  noteError(id: string, error: string): void {
    this.#table.change("UPDATE crons SET last_error = ? WHERE id = ?", error, id);
  }

  remove(id: string): void {
    this.#table.change("DELETE FROM crons WHERE id = ?", id);
  }
}

function termColumns({ schedule, timezone, enabled, threads, request, endAt, nextAt, updatedAt }: CronTerms) {
  return [
    schedule,
    timezone,
    Number(enabled),
    threads ?? null,
    request.type,
    request.data,
    endAt ?? null,
    nextAt ?? null,
    updatedAt,
  ] as const;
}

function fromColumns(row: Columns): CronRow {
  return {
    id: row.id,
    assistant: row.assistant ?? undefined,
    threads: row.threads ?? undefined,
    schedule: row.schedule,
    timezone: row.timezone,
    enabled: row.enabled === 1,
    request: { type: row.request_type, data: new Uint8Array(row.request) },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    endAt: row.end_at ?? undefined,
    nextAt: row.next_at ?? undefined,
    firingAt: row.firing_at ?? undefined,
    lastRun: row.last_run ?? undefined,
    lastError: row.last_error ?? undefined,
  };
}
