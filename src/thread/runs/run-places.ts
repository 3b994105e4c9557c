import type { LazyTable } from "../../storage/lazy-table.ts";
import type { Sql } from "../../storage/sql.ts";
import { Remembered } from "../remembered.ts";
import type { PlacedRun } from "./run-row.ts";

type PlacedColumns = { id: string; place: number; begun_at: number; over: number };

/** Places are not given twice, also when the runs that had them are gone. */
const LAST_PLACE = `max((SELECT coalesce(max(place), 0) FROM runs WHERE place IS NOT NULL),
  (SELECT coalesce(max(last_place), 0) FROM thread))`;

/** The order in which runs were entered first, or ended. */
export class RunPlaces {
  readonly #sql: Sql;
  readonly #events: LazyTable;
  readonly #last = new Remembered<number>();

  constructor(sql: Sql, events: LazyTable) {
    this.#sql = sql;
    this.#events = events;
  }

  /** The rows may be others than they were. */
  forget(): void {
    this.#last.forget();
  }

  /** The table was made just now. */
  noteEmpty(): void {
    this.#last.know(0);
  }

  /** The last place that was given. */
  last(): number {
    const statement = `SELECT ${LAST_PLACE} AS place`;
    return this.#last.read(() => this.#sql.one<{ place: number }>(statement).place);
  }

  /** For a run that is written with it. */
  next(): number {
    const place = this.last() + 1;
    this.#last.know(place);
    return place;
  }

  /** To be called before runs are removed: their places stay taken. */
  keepLast(): void {
    this.#sql.run(`UPDATE thread SET last_place = ${LAST_PLACE} WHERE last_place < ${LAST_PLACE}`);
  }

  /** The run that has this place, or the next one that is taken. */
  from(place: number): PlacedRun | undefined {
    const statement = `SELECT id, place, coalesce(started_at, ended_at) AS begun_at, ended_at IS NOT NULL AS over
      FROM runs WHERE place >= ? ORDER BY place LIMIT 1`;
    const row = this.#sql.first<PlacedColumns>(statement, place);
    return row && { id: row.id, place: row.place, begunAt: row.begun_at, isOver: row.over === 1 };
  }

  /** Of the runs that came last, the first one of whose events something is kept, or the last of all. */
  firstTold(count: number): number | undefined {
    const told = this.#events.within("SELECT 1 FROM events WHERE run = latest.id");
    const statement = `WITH latest AS (SELECT id, place FROM runs WHERE place IS NOT NULL ORDER BY place DESC LIMIT ?)
      SELECT coalesce(min(place), (SELECT max(place) FROM latest)) AS place FROM latest
      WHERE EXISTS (${told})`;
    return this.#sql.one<{ place: number | null }>(statement, count).place ?? undefined;
  }
}
