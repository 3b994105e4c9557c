import { isPromise } from "../../checkpoint/maybe-promise.ts";
import { decode, type Encoded } from "../../checkpoint/encoding.ts";
import { UndecodableError } from "../../errors.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import { unframeChunks } from "./chunk-frame.ts";
import type { EventLimits } from "./event-limits.ts";
import { parseEvents, type LoggedEvent } from "./logged-event.ts";
import { isBefore, latest, type Position } from "./position.ts";
import { type LoggedRun, RunLog, type RunLogParts } from "./run-log.ts";

/** So much is looked at to count events: who reads is billed for rows. */
const MAX_COUNTED = { attempts: 100, rows: 10_000 };

export interface EventLogParts extends Omit<RunLogParts, "commit" | "onEvent"> {
  /** Sees to it that the log of the run is removed then; in a transaction. */
  readonly keepUntil: (runId: string, time: number) => void;
}

/** A part of a log. `isGap`: what came right before it is not kept any more. */
export interface LoggedPart {
  readonly events: readonly LoggedEvent[];
  readonly isGap: boolean;
}

/** The events of the thread's runs: of the attempt that goes on in memory, and of all in rows. */
export class EventLog {
  readonly #parts: EventLogParts;
  readonly #readers = new Map<string, Set<() => void>>();
  #onChange: () => void = () => undefined;
  #current: RunLog | undefined;

  constructor(parts: EventLogParts) {
    this.#parts = parts;
  }

  static of(storage: ThreadStorage, platform: ThreadPlatform, limits: EventLimits): EventLog {
    return new EventLog({
      rows: () => (storage.thread() === undefined ? undefined : storage.events),
      keepUntil: (runId, time) => storage.timers.set("event_log", runId, time),
      serde: storage.serde,
      limits,
      now: () => platform.now(),
      wait: (milliseconds) => platform.wait(milliseconds),
      sync: () => platform.sync(),
      report: (fault) => platform.report(fault),
    });
  }

  /** Calls back when a run begins, tells something, or leaves the queue: then there may be more to read of the thread. */
  watchThread(onChange: () => void): void {
    this.#onChange = onChange;
  }

  /** A run begins, or its input is taken, whether or not it tells anything. */
  noteBegin(): void {
    this.#onChange();
  }

  /** An attempt begins; `commit` is for what is written without a checkpoint. */
  open(run: LoggedRun, commit: (write: () => void) => void): RunLog {
    this.#current?.close();
    const onEvent = (): void => this.#wake(run.id);
    this.#current = new RunLog(run, { ...this.#parts, commit, onEvent });
    return this.#current;
  }

  /** Whether the run has told something that is kept. */
  has(runId: string): boolean {
    if (this.#current?.runId === runId && !this.#current.isEmpty) return true;
    return this.#parts.rows()?.has(runId) === true;
  }

  /** Makes ready what is left of a run's events, so that all of it is written when the run ends. */
  async stage(runId: string): Promise<void> {
    if (this.#current?.runId === runId) await this.#current.ready();
  }

  /** The run ends, in the transaction that is open: the rest of its events is written, as far as it is ready. */
  leave(runId: string): void {
    this.#onChange();
    const { report, rows, keepUntil, limits, now } = this.#parts;
    if (this.#current?.runId === runId) {
      const ready = this.#current.ready();
      if (isPromise(ready)) ready.catch(report);
      this.#current.writeReady();
      this.forget(runId);
    }
    if (rows()?.has(runId) === true) keepUntil(runId, now() + limits.keep);
  }

  /** The attempt of the run is over. */
  close(runId: string): void {
    if (this.#current?.runId === runId) this.#current.close();
  }

  /** The run is refused: it leaves nothing. */
  forget(runId: string): void {
    if (this.#current?.runId !== runId) return;
    this.#current.close();
    this.#current = undefined;
  }

  /** Calls back when there may be more to read. Returns what ends that. */
  watch(runId: string, wake: () => void): () => void {
    const readers = this.#readers.get(runId) ?? new Set();
    this.#readers.set(runId, readers.add(wake));
    return () => {
      readers.delete(wake);
      if (readers.size === 0) this.#readers.delete(runId);
    };
  }

  /** All that there is now after this event, part by part: from the rows, and then from memory. */
  async *after(runId: string, position: Position): AsyncGenerator<LoggedPart, void, undefined> {
    let read = position;
    for (;;) {
      const log = this.#current?.runId === runId ? this.#current : undefined;
      const events = log?.after(read);
      if (events !== undefined) {
        if (events.length > 0) yield { events, isGap: false };
        return;
      }
      for await (const part of this.#stored(runId, read)) {
        yield part;
        read = part.events.at(-1)?.position ?? read;
      }
      if (log === undefined) return;
      // The rows have no more of earlier attempts, and get none.
      read = latest(read, { attempt: log.attempt, seq: 0 });
    }
  }

  /** How many events the rows have. What the rows of an attempt begin with says it, and the last of them is read. */
  async count(): Promise<{ readonly count: number; readonly isComplete: boolean }> {
    const attempts = this.#parts.rows()?.attempts(MAX_COUNTED.attempts, MAX_COUNTED.rows) ?? [];
    let count = 0;
    for (const { run, attempt, first, last } of attempts) {
      const { value } = await this.#stored(run, { attempt, seq: last - 1 }).next();
      count += last - first + (value?.events.length ?? 0);
    }
    return { count, isComplete: attempts.length < MAX_COUNTED.attempts };
  }

  async *#stored(runId: string, position: Position): AsyncGenerator<LoggedPart, void, undefined> {
    const rows = this.#parts.rows();
    if (rows === undefined) return;
    let n = rows.rowAfter(runId, position) ?? 1;
    for (let row = rows.next(runId, n); row !== undefined; row = this.#parts.rows()?.next(runId, n)) {
      // Rows are numbered without a gap.
      const isGap = row.n !== n;
      n = row.n + 1;
      const chunks = unframeChunks(row.bytes, () => rows.next(runId, n++)?.bytes);
      const events: LoggedEvent[] = [];
      for (const chunk of chunks) {
        const text = await this.#decode({ type: row.type, data: chunk });
        for (const event of parseEvents(text)) if (isBefore(position, event.position)) events.push(event);
      }
      if (events.length > 0) yield { events, isGap };
    }
  }

  async #decode(chunk: Encoded): Promise<string> {
    const bytes = await decode(this.#parts.serde, chunk);
    if (!(bytes instanceof Uint8Array)) throw new UndecodableError("events of the log are no bytes");
    return new TextDecoder().decode(bytes);
  }

  #wake(runId: string): void {
    this.#onChange();
    for (const wake of this.#readers.get(runId) ?? []) wake();
  }
}
