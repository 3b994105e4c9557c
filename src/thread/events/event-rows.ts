import type { Encoded } from "../../checkpoint/encoding.ts";
import type { LazyTable } from "../../storage/lazy-table.ts";
import { fromStoredId, optionalId, toStoredId, type StoredId } from "../../storage/stored-id.ts";
import type { Position } from "./position.ts";

/** One row of a run's log. Its bytes follow on those of the row before. */
export interface EventRow {
  readonly n: number;
  /** Of the first event that begins in it; undefined when it holds nothing but a part of one that began before. */
  readonly first: Position | undefined;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** What is kept of an attempt: the numbers of the first and of the last event that a row begins with. */
export type KeptAttempt = { run: string; attempt: number; first: number; last: number };

type Columns = { n: number; attempt: number; seq: number | null; type: string; body: ArrayBuffer };

/** The statements on `events`. */
export class EventRows {
  readonly #table: LazyTable;

  constructor(table: LazyTable) {
    this.#table = table;
  }

  insert(
    run: string,
    n: number,
    { attempt, seq }: { attempt: number; seq: number | null },
    body: Encoded,
    checkpoint: string | undefined,
  ): void {
    this.#table.insert(
      "INSERT INTO events (run, n, attempt, seq, type, body, checkpoint) VALUES (?, ?, ?, ?, ?, ?, ?)",
      run,
      n,
      attempt,
      seq,
      body.type,
      body.data,
      optionalId(checkpoint),
    );
  }

  /** SQL makes text of what it joins; the cast takes its bytes as they are. */
  append(run: string, n: number, bytes: Uint8Array, checkpoint: string | undefined): void {
    this.#table.change(
      "UPDATE events SET body = CAST(body || ? AS BLOB), checkpoint = ? WHERE run = ? AND n = ?",
      bytes,
      optionalId(checkpoint),
      run,
      n,
    );
  }

  /** The log is complete up to this checkpoint. */
  noteCheckpoint(run: string, checkpoint: string): void {
    const statement = `UPDATE events SET checkpoint = ?
      WHERE run = ? AND n = (SELECT max(n) FROM events WHERE run = ?)`;
    this.#table.change(statement, toStoredId(checkpoint), run, run);
  }

  /** The checkpoint up to which the log is complete; undefined where no row says so. */
  checkpoint(run: string): string | undefined {
    const statement = "SELECT checkpoint FROM events WHERE run = ? ORDER BY n DESC LIMIT 1";
    const row = this.#table.first<{ checkpoint: StoredId | null }>(statement, run);
    return row?.checkpoint == null ? undefined : fromStoredId(row.checkpoint);
  }

  /** How long the log of a run is, in bytes, and its last row. */
  extent(run: string): { last: number; size: number } {
    const statement =
      "SELECT coalesce(max(n), 0) AS last, coalesce(sum(length(body)), 0) AS size FROM events WHERE run = ?";
    return this.#table.first<{ last: number; size: number }>(statement, run) ?? { last: 0, size: 0 };
  }

  /** The row in which the events after this one begin; undefined when they begin with the log. */
  rowAfter(run: string, { attempt, seq }: Position): number | undefined {
    const found = this.#table.first<{ n: number }>(
      `SELECT n FROM events WHERE run = ? AND seq IS NOT NULL AND (attempt < ? OR (attempt = ? AND seq <= ?))
       ORDER BY n DESC LIMIT 1`,
      run,
      attempt,
      attempt,
      seq + 1,
    );
    return found?.n;
  }

  /** The first of the rows from `n` on. */
  next(run: string, n: number): EventRow | undefined {
    const statement =
      "SELECT n, attempt, seq, type, body FROM events WHERE run = ? AND n >= ? ORDER BY n LIMIT 1";
    const row = this.#table.first<Columns>(statement, run, n);
    return row && fromColumns(row);
  }

  /** So many at most, as so many rows say. */
  attempts(limit: number, rows: number): readonly KeptAttempt[] {
    const statement = `SELECT run, attempt, min(seq) AS first, max(seq) AS last
      FROM (SELECT run, attempt, seq FROM events WHERE seq IS NOT NULL LIMIT ?) GROUP BY run, attempt LIMIT ?`;
    return this.#table.all<KeptAttempt>(statement, rows, limit);
  }

  has(run: string): boolean {
    return this.#table.first("SELECT 1 FROM events WHERE run = ? LIMIT 1", run) !== undefined;
  }

  /**
   * Removes the oldest rows, of so many bytes at least, up to the beginning of an event. The newest event stays, however
   * long it is. Returns how many bytes are gone.
   */
  removeOldest(run: string, bytes: number): number {
    const statement = "SELECT n, seq, length(body) AS size FROM events WHERE run = ? ORDER BY n";
    let passed = 0;
    let [first, removed] = [0, 0];
    for (const { n, seq, size } of this.#table.all<{ n: number; seq: number | null; size: number }>(
      statement,
      run,
    )) {
      if (seq !== null) [first, removed] = [n, passed];
      if (removed >= bytes) break;
      passed += size;
    }
    this.#table.change("DELETE FROM events WHERE run = ? AND n < ?", run, first);
    return removed;
  }

  remove(run: string): void {
    this.#table.change("DELETE FROM events WHERE run = ?", run);
  }

  /** Those of runs that are gone. */
  removeLost(): void {
    this.#table.change("DELETE FROM events WHERE run NOT IN (SELECT id FROM runs)");
  }
}

function fromColumns({ n, attempt, seq, type, body }: Columns): EventRow {
  return { n, first: seq === null ? undefined : { attempt, seq }, type, bytes: new Uint8Array(body) };
}
