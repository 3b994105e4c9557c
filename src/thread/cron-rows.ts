import type { Encoded } from "../checkpoint/encoding.ts";
import type { Sql } from "../storage/sql.ts";

/** A cron as its row has it. Times are milliseconds since 1970. */
export interface CronRow {
  readonly id: string;
  readonly schedule: string;
  /** An IANA name. */
  readonly timezone: string;
  readonly enabled: boolean;
  readonly request: Encoded;
  readonly createdAt: number;
  /** None comes after it. */
  readonly endAt: number | undefined;
  /** When the next run comes; undefined when none does. */
  readonly nextAt: number | undefined;
  readonly lastRun: string | undefined;
  /** The code of why the last run was not taken in. */
  readonly lastError: string | undefined;
}

type Columns = {
  id: string;
  schedule: string;
  timezone: string;
  enabled: number;
  request_type: string;
  request: ArrayBuffer;
  created_at: number;
  end_at: number | null;
  next_at: number | null;
  last_run: string | null;
  last_error: string | null;
};

/** The statements on `crons`. */
export class CronRows {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  get(id: string): CronRow | undefined {
    const row = this.#sql.first<Columns>("SELECT * FROM crons WHERE id = ?", id);
    return row && fromColumns(row);
  }

  /** The oldest first. */
  all(): CronRow[] {
    return this.#sql.all<Columns>("SELECT * FROM crons ORDER BY created_at, id").map(fromColumns);
  }

  insert(cron: CronRow): void {
    this.#sql.run(
      `INSERT INTO crons (id, schedule, timezone, enabled, request_type, request, created_at, end_at, next_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      cron.id,
      cron.schedule,
      cron.timezone,
      Number(cron.enabled),
      cron.request.type,
      cron.request.data,
      cron.createdAt,
      cron.endAt ?? null,
      cron.nextAt ?? null,
    );
  }

  /** `last`: the run that has come, or the code of why it has not. */
  advance(
    id: string,
    nextAt: number | undefined,
    last: { readonly run: string } | { readonly error: string },
  ): void {
    const [run, error] = "run" in last ? [last.run, null] : [null, last.error];
    this.#sql.run(
      "UPDATE crons SET next_at = ?, last_run = coalesce(?, last_run), last_error = ? WHERE id = ?",
      nextAt ?? null,
      run,
      error,
      id,
    );
  }

  remove(id: string): void {
    this.#sql.run("DELETE FROM crons WHERE id = ?", id);
  }
}

function fromColumns(row: Columns): CronRow {
  return {
    id: row.id,
    schedule: row.schedule,
    timezone: row.timezone,
    enabled: row.enabled === 1,
    request: { type: row.request_type, data: new Uint8Array(row.request) },
    createdAt: row.created_at,
    endAt: row.end_at ?? undefined,
    nextAt: row.next_at ?? undefined,
    lastRun: row.last_run ?? undefined,
    lastError: row.last_error ?? undefined,
  };
}
