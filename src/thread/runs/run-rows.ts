import { compareCodePoints } from "../../checkpoint/ordering.ts";
import type { Encoded } from "../../checkpoint/encoding.ts";
import type { BodyRow } from "../../storage/body-row.ts";
import type { LazyTable } from "../../storage/lazy-table.ts";
import type { LazyTables } from "../../storage/lazy-tables.ts";
import type { Sql, SqlInput } from "../../storage/sql.ts";
import { toStoredId } from "../../storage/stored-id.ts";
import type { Claim, EndedRun, LastRun, NewRun, RunFilter, RunRow, RunStatus } from "./run-row.ts";
import type { QueueRows } from "../queue/queue-rows.ts";
import { Remembered } from "../remembered.ts";
import type { RunStart } from "../../pregel/limits.ts";
import { begunRun, claimedRun, endedRun, newRun } from "./run-changes.ts";
import { fromColumns, outcomeOf, requestOf, type Bodies, type RunColumns } from "./run-columns.ts";
import { RunPlaces } from "./run-places.ts";

/** Rows that are read at once where all of them are. */
const PAGE = 100;

/** The ids of those that have not ended. */
const OPEN = "SELECT run FROM queue UNION ALL SELECT id FROM timers WHERE kind = 'run_start'";

/** Those that have this status, by an index or among the few that have not ended. */
function conditionOf(status: RunStatus | undefined): string {
  if (status === undefined) return "TRUE";
  const isOpen = status === "pending" || status === "running";
  return `status = ? AND ${isOpen ? `id IN (${OPEN})` : "ended_at IS NOT NULL"}`;
}

/** The statements on `runs`. */
export class RunRows {
  readonly places: RunPlaces;
  readonly #sql: Sql;
  readonly #queue: QueueRows;
  readonly #keys: LazyTable;
  readonly #deliveries: LazyTable;
  readonly #last = new Remembered<LastRun | undefined>();
  readonly #run = new Remembered<{ readonly id: string; readonly row: RunRow | undefined }>();

  constructor(sql: Sql, queue: QueueRows, tables: LazyTables<"idempotency_keys" | "deliveries" | "events">) {
    this.#sql = sql;
    this.#queue = queue;
    this.#keys = tables.of("idempotency_keys");
    this.#deliveries = tables.of("deliveries");
    this.places = new RunPlaces(sql, tables.of("events"));
  }

  /** The rows may be others than they were. */
  forget(): void {
    this.#run.forget();
    this.#last.forget();
    this.places.forget();
  }

  /** The table was made just now. */
  noteEmpty(): void {
    this.#last.know(undefined);
    this.places.noteEmpty();
  }

  get(id: string): RunRow | undefined {
    const known = this.#run.read(() => this.#read(id));
    if (known.id === id) return known.row;
    this.#run.forget();
    return this.get(id);
  }

  /** The newest first, without those that were rolled back. Ids are minted in the order of time. */
  list({ status, limit, offset }: RunFilter): string[] {
    const statement = `SELECT id FROM runs WHERE cancelled IS NOT 'rollback' AND ${conditionOf(status)}
      ORDER BY id DESC LIMIT ? OFFSET ?`;
    const inputs = status === undefined ? [limit, offset] : [status, limit, offset];
    return this.#sql.all<{ id: string }>(statement, ...inputs).map(({ id }) => id);
  }

  /** `claim`: it is entered at once. */
  insert(run: NewRun, claim?: Claim): RunRow {
    const waiting = newRun(run);
    const row = claim === undefined ? waiting : claimedRun(waiting, claim, this.#placeOf(waiting));
    this.#rewrite(
      row,
      `INSERT INTO runs (id, status, attempt, stalled, started_at, version, place,
       created_at, start_at, multitask, time_limit, acknowledged,
       request_type, request, request_hash, context_type, context)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      run.id,
      row.status,
      row.attempt,
      row.stalled,
      row.startedAt ?? null,
      row.version ?? null,
      row.place ?? null,
      run.createdAt,
      run.startAt ?? null,
      run.multitask === "enqueue" ? null : run.multitask,
      run.timeLimit ?? null,
      Number(run.isAcknowledged),
      run.request.type,
      run.request.body,
      run.request.bodyHash,
      run.context?.type ?? null,
      run.context?.data ?? null,
    );
    return row;
  }

  /** Counts that the run is entered once more; one that is cancelled is not, but what it has written is removed. */
  claim(id: string, claim: Claim): void {
    const before = this.get(id);
    if (before === undefined) return;
    const run = claimedRun(before, claim, this.#placeOf(before));
    this.#rewrite(
      run,
      "UPDATE runs SET status = ?, attempt = ?, stalled = ?, started_at = ?, version = ?, place = ? WHERE id = ?",
      run.status,
      run.attempt,
      run.stalled,
      run.startedAt ?? null,
      run.version ?? null,
      run.place ?? null,
      id,
    );
  }

  noteProgress(id: string): void {
    this.#write("UPDATE runs SET stalled = 0 WHERE id = ?", id);
  }

  /** With the commit that applies the input. */
  noteInput(id: string, lastStep: number, firstStep: number, start: RunStart | undefined): void {
    const before = this.get(id);
    if (before === undefined) return;
    const run = begunRun(before, lastStep, firstStep, start);
    this.#rewrite(
      run,
      "UPDATE runs SET stalled = 0, input_applied = 1, last_step = ?, first_step = ?, began = ? WHERE id = ?",
      lastStep,
      run.firstStep ?? null,
      run.began === undefined ? null : JSON.stringify(run.began),
      id,
    );
  }

  noteFault(id: string, { type, data }: Encoded): void {
    this.#write("UPDATE runs SET fault_type = ?, fault = ? WHERE id = ?", type, data, id);
  }

  /** It stays in the queue until what it has written is removed. */
  noteRollback(id: string): void {
    this.#write(
      `UPDATE runs SET status = 'interrupted', cancelled = 'rollback', stalled = 0,
       context_type = NULL, context = NULL WHERE id = ?`,
      id,
    );
  }

  end(id: string, end: EndedRun): void {
    this.#queue.leave(id);
    const before = this.get(id);
    if (before === undefined) return;
    const run = endedRun(before, end, this.#placeOf(before));
    const { outcome, progress } = end;
    this.#rewrite(
      run,
      `UPDATE runs SET status = ?, ended_at = ?, outcome_type = ?, outcome = ?, outcome_hash = ?,
       cancelled = ?, checkpoint = ?, supersteps = ?, place = ?,
       context_type = NULL, context = NULL, fault_type = NULL, fault = NULL WHERE id = ?`,
      run.status,
      end.endedAt,
      outcome?.type ?? null,
      outcome?.body ?? null,
      outcome?.bodyHash ?? null,
      run.cancelled ?? null,
      progress.checkpointId === undefined ? null : toStoredId(progress.checkpointId),
      progress.supersteps,
      run.place ?? null,
      id,
    );
  }

  /** The run that came before it, if it has ended. */
  before(id: string): RunRow | undefined {
    const statement = "SELECT * FROM runs WHERE id < ? ORDER BY id DESC LIMIT 1";
    const row = this.#sql.first<RunColumns>(statement, id);
    const run = row && fromColumns(row);
    return run?.endedAt === undefined ? undefined : run;
  }

  /** The run that came last: ids are minted in the order of time. */
  last(): LastRun | undefined {
    return this.#last.read(() => this.#readLast());
  }

  /** When the thread had to do with a run last: it came, or it ended. */
  lastUse(): number | undefined {
    const statement = "SELECT max(coalesce(ended_at, created_at)) AS time FROM runs";
    return this.#sql.first<{ time: number | null }>(statement)?.time ?? undefined;
  }

  /** Those that no key of a request leads to, and of which nobody is to be told any more. */
  removeEndedBefore(time: number): void {
    this.places.keepLast();
    const led = this.#keys.within("SELECT result FROM idempotency_keys");
    const untold = this.#deliveries.within("SELECT run FROM deliveries WHERE status = 'pending'");
    this.#write(`DELETE FROM runs WHERE ended_at < ? AND id NOT IN (${led}) AND id NOT IN (${untold})`, time);
  }

  /** All that runs were started with and came to. */
  *bodies(): Generator<BodyRow, void, void> {
    for (const { request, outcome } of this.eachBodies()) {
      yield request;
      if (outcome !== undefined) yield outcome;
    }
  }

  /** The same by run, read in pages. */
  *eachBodies(): Generator<Pick<RunRow, "id" | "request" | "outcome">, void, void> {
    const statement = `SELECT id, request_type, request, request_hash, outcome_type, outcome, outcome_hash
      FROM runs WHERE id > ? ORDER BY id LIMIT ${PAGE}`;
    let after = "";
    for (;;) {
      const page = this.#sql.all<Bodies>(statement, after);
      for (const row of page) yield { id: row.id, request: requestOf(row), outcome: outcomeOf(row) };
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.id;
    }
  }

  /** Leaves no trace of it but that its place is taken. */
  remove(id: string): void {
    this.places.keepLast();
    this.#queue.leave(id);
    this.#write("DELETE FROM runs WHERE id = ?", id);
  }

  /** Its own, or the next one. */
  #placeOf({ place }: RunRow): number {
    return place ?? this.places.next();
  }

  #read(id: string): { readonly id: string; readonly row: RunRow | undefined } {
    const last = this.last();
    if (last === undefined || compareCodePoints(id, last.id) > 0) return { id, row: undefined };
    const row = this.#sql.first<RunColumns>("SELECT * FROM runs WHERE id = ?", id);
    return { id, row: row && fromColumns(row) };
  }

  #readLast(): LastRun | undefined {
    const statement =
      "SELECT id, status, coalesce(ended_at, created_at) AS used_at FROM runs ORDER BY id DESC LIMIT 1";
    const row = this.#sql.first<{ id: string; status: RunStatus; used_at: number }>(statement);
    return row && { id: row.id, status: row.status, usedAt: row.used_at };
  }

  /** `row` is what the statement makes of it. */
  #rewrite(row: RunRow, statement: string, ...inputs: SqlInput[]): void {
    this.#sql.run(statement, ...inputs);
    this.#run.know({ id: row.id, row });
    const changed: LastRun = { id: row.id, status: row.status, usedAt: row.endedAt ?? row.createdAt };
    this.#last.change((last) => (last && compareCodePoints(last.id, row.id) > 0 ? last : changed));
  }

  #write(statement: string, ...inputs: SqlInput[]): void {
    this.#run.forget();
    this.#last.forget();
    this.#sql.run(statement, ...inputs);
  }
}
