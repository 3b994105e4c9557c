import { backoff } from "../../backoff.ts";
import { LATEST_ALARM } from "../../latest-alarm.ts";
import type { Sql } from "../../storage/sql.ts";
import type { AlarmClock } from "../platform.ts";
import { Remembered } from "../remembered.ts";

/** What the object looks after. Each kind has one handler. */
export const TIMER_KINDS = [
  "announcement",
  "queue",
  "retention",
  "removal",
  "run_start",
  "time_limit",
  "event_log",
  "wait",
  "delivery",
  "cron",
] as const;

export type TimerKind = (typeof TIMER_KINDS)[number];

/** There may be one for each run: an index has them by their times. Of the others there are few. As the index says it. */
const OF_RUNS = "timers INDEXED BY timers_due WHERE kind IN ('run_start', 'event_log', 'delivery')";
const FEW = TIMER_KINDS.filter((kind) => !OF_RUNS.includes(`'${kind}'`));
const OTHERS = `timers WHERE kind IN (${FEW.map((kind) => `'${kind}'`).join(", ")})`;

export interface Timer {
  readonly kind: TimerKind;
  /** What it is for, among those of its kind; "" where there is one only. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly due: number;
}

type TimerColumns = Timer & Record<string, SqlStorageValue>;

/** How long, in milliseconds. */
export interface PutOff {
  readonly first: number;
  readonly longest: number;
}

/**
 * What has a time at which it is due. The object's one alarm is set for the earliest, in the transaction in which that
 * changes, and to none when nothing is left.
 */
export class Timers {
  readonly #sql: Sql;
  readonly #alarm: AlarmClock;
  /** Those of whose kind there are few. */
  readonly #few = new Remembered<readonly Timer[]>();
  readonly #nextOfRuns = new Remembered<number | undefined>();
  /** Transactions that are open. */
  #depth = 0;
  #isChanged = false;
  #isHeld = false;
  /** What the alarm is set for, as far as this instance knows. */
  #armed: number | "none" | undefined;

  constructor(sql: Sql, alarm: AlarmClock) {
    this.#sql = sql;
    this.#alarm = alarm;
  }

  /** In a transaction; replaces the time of one that is there. */
  set(kind: TimerKind, id: string, due: number): void {
    this.#change(kind, (timers) => [...timers.filter(isOther(kind, id)), { kind, id, due }]);
    this.#sql.run("INSERT OR REPLACE INTO timers (kind, id, due) VALUES (?, ?, ?)", kind, id, due);
  }

  /** In a transaction: it came in vain, and comes again, each time in a row after twice as long; also after an eviction. */
  putOff({ kind, id }: Timer, now: number, { first, longest }: PutOff): void {
    this.#change(kind);
    this.#few.forget();
    const last = "SELECT put_off FROM timers WHERE kind = ? AND id = ?";
    const before = this.#sql.first<{ put_off: number | null }>(last, kind, id)?.put_off ?? 0;
    const delay = backoff(2 * before, first, longest);
    const statement = "UPDATE timers SET due = ?, put_off = ? WHERE kind = ? AND id = ?";
    this.#sql.run(statement, now + delay, delay, kind, id);
  }

  /** In a transaction. */
  clear(kind: TimerKind, id: string): void {
    if (isOfFew(kind) && this.dueTime(kind, id) === undefined) return;
    this.#change(kind, (timers) => timers.filter(isOther(kind, id)));
    this.#sql.run("DELETE FROM timers WHERE kind = ? AND id = ?", kind, id);
  }

  #firstOfRuns(): number | undefined {
    const statement = `SELECT due FROM ${OF_RUNS} ORDER BY due LIMIT 1`;
    return this.#nextOfRuns.read(() => this.#sql.first<{ due: number }>(statement)?.due);
  }

  /** When the next one is due. */
  next(): number | undefined {
    const next = Math.min(this.#firstOfRuns() ?? Infinity, ...this.#fewTimers().map(({ due }) => due));
    return next === Infinity ? undefined : next;
  }

  /** Those that are due, the earliest first. */
  due(now: number): Timer[] {
    const statement = `SELECT kind, id, due FROM ${OTHERS} AND due <= ?1
      UNION ALL SELECT kind, id, due FROM ${OF_RUNS} AND due <= ?1 ORDER BY due, kind, id`;
    return this.#sql.all<TimerColumns>(statement, now);
  }

  has(kind: TimerKind): boolean {
    if (isOfFew(kind)) return this.#fewTimers().some((timer) => timer.kind === kind);
    if (this.#firstOfRuns() === undefined) return false;
    return this.#sql.first("SELECT 1 FROM timers WHERE kind = ? LIMIT 1", kind) !== undefined;
  }

  /** How many there are; counts no further than `most`. */
  count(kind: TimerKind, most: number): number {
    const statement = "SELECT count(*) AS count FROM (SELECT 1 FROM timers WHERE kind = ? LIMIT ?)";
    return this.#sql.one<{ count: number }>(statement, kind, most).count;
  }

  /** When the last one of these kinds is due. */
  lastDue(...kinds: readonly TimerKind[]): number | undefined {
    const marks = kinds.map(() => "?").join(", ");
    const statement = `SELECT max(due) AS due FROM timers WHERE kind IN (${marks})`;
    return this.#sql.first<{ due: number | null }>(statement, ...kinds)?.due ?? undefined;
  }

  dueTime(kind: TimerKind, id: string): number | undefined {
    if (isOfFew(kind)) return this.#fewTimers().find((timer) => timer.kind === kind && timer.id === id)?.due;
    const statement = "SELECT due FROM timers WHERE kind = ? AND id = ?";
    return this.#sql.first<{ due: number }>(statement, kind, id)?.due;
  }

  /** Sets the alarm, whatever is due, until `release`: whoever does something long is looked after when it is stopped. */
  hold(until: number): void {
    this.#isHeld = true;
    this.#armed = until;
    this.#alarm.setAlarm(until);
  }

  /** The tables are there. */
  release(): void {
    this.#isHeld = false;
    this.#arm();
  }

  /** The rows may be others than they were. */
  forget(): void {
    this.#few.forget();
    this.#nextOfRuns.forget();
  }

  /** The table was made just now. */
  noteEmpty(): void {
    this.#few.know([]);
    this.#nextOfRuns.know(undefined);
  }

  /** The tables are gone, and the alarm with them. */
  reset(): void {
    this.forget();
    this.#isHeld = false;
    this.#isChanged = false;
    this.#armed = undefined;
  }

  /** Does the work of a transaction, and sets the alarm when it has changed what is due next. */
  within<T>(work: () => T): T {
    this.#depth += 1;
    try {
      const result = work();
      if (this.#depth === 1 && this.#isChanged && !this.#isHeld) this.#arm();
      return result;
    } catch (error) {
      // The alarm is again what it was before.
      this.#armed = undefined;
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }

  #change(kind: TimerKind, changed: (few: readonly Timer[]) => readonly Timer[] = (few) => few): void {
    if (this.#depth === 0) throw new Error("Timers are changed in a transaction.");
    this.#isChanged = true;
    if (isOfFew(kind)) this.#few.change(changed);
    else this.#nextOfRuns.forget();
  }

  #fewTimers(): readonly Timer[] {
    return this.#few.read(() => this.#sql.all<TimerColumns>(`SELECT kind, id, due FROM ${OTHERS}`));
  }

  #arm(): void {
    this.#isChanged = false;
    const due = this.next();
    const next = due === undefined ? "none" : Math.min(due, LATEST_ALARM);
    if (next === this.#armed) return;
    this.#armed = next;
    if (next === "none") this.#alarm.deleteAlarm();
    else this.#alarm.setAlarm(next);
  }
}

function isOfFew(kind: TimerKind): boolean {
  return FEW.includes(kind);
}

function isOther(kind: TimerKind, id: string): (timer: Timer) => boolean {
  return (timer) => timer.kind !== kind || timer.id !== id;
}
