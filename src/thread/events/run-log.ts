import { encode, type Encoded } from "../../checkpoint/encoding.ts";
import { chain, isPromise } from "../../checkpoint/maybe-promise.ts";
import type { MaybePromise } from "../../checkpoint/types.ts";
import { PART_SIZE } from "../../storage/limits.ts";
import { frameChunk } from "./chunk-frame.ts";
import { ROW_SIZE, WRITE_AFTER, WRITE_SIZE } from "./event-limits.ts";
import type { EventLogParts } from "./event-log.ts";
import { EventTail } from "./event-tail.ts";
import { loggedEvent, type LoggedEvent } from "./logged-event.ts";
import type { Position } from "./position.ts";

export interface RunLogParts extends EventLogParts {
  /** Does it in a transaction of its own, unless the attempt may commit no more: then it throws. */
  readonly commit: (write: () => void) => void;
  /** There is a new event. */
  readonly onEvent: () => void;
}

/** Events that go to the rows together. */
interface Batch {
  readonly events: readonly LoggedEvent[];
  encoded: Encoded | undefined;
  ready: MaybePromise<void>;
}

/**
 * The events of one attempt of a run. They are in memory at once, and go to the rows with the next checkpoint, in its
 * commit; when there is none for long, or there are many, by themselves. Rows are filled up before others are begun.
 */
export class RunLog {
  readonly runId: string;
  readonly attempt: number;
  readonly #parts: RunLogParts;
  readonly #tail: EventTail;
  /** Of the last event. */
  #seq = 0;
  #waiting: LoggedEvent[] = [];
  /** In characters. */
  #waitingSize = 0;
  /** Encoded, or being encoded, in the order in which they are written. */
  readonly #batches: Batch[] = [];
  #writtenAt: number;
  /** The last row, as long as more can be added to it. */
  #open: { readonly n: number; readonly type: string; size: number } | undefined;
  #extent: { last: number; size: number } | undefined;
  #isClosed = false;

  constructor(run: { readonly id: string; readonly attempt: number }, parts: RunLogParts) {
    this.runId = run.id;
    this.attempt = run.attempt;
    this.#parts = parts;
    this.#tail = new EventTail({ attempt: run.attempt, seq: 0 });
    this.#writtenAt = parts.now();
  }

  /** Whether this attempt has told nothing. */
  get isEmpty(): boolean {
    return this.#seq === 0;
  }

  /** Takes the data as it is now. Never throws: what cannot be sent is no matter of the run. */
  emit(name: string, data: unknown): void {
    if (this.#isClosed) return;
    const { now, report, onEvent } = this.#parts;
    try {
      const event = loggedEvent({ attempt: this.attempt, seq: this.#seq + 1 }, name, data);
      this.#seq += 1;
      this.#tail.push(event);
      this.#waiting.push(event);
      this.#waitingSize += event.text.length;
      onEvent();
      if (this.#waitingSize >= WRITE_SIZE || now() - this.#writtenAt >= WRITE_AFTER) this.#write();
    } catch (fault) {
      report(fault);
    }
  }

  /** As `emit`, with all that `events` makes. */
  emitAll(events: () => Iterable<readonly [name: string, data: unknown]>): void {
    try {
      for (const [name, data] of events()) this.emit(name, data);
    } catch (fault) {
      this.#parts.report(fault);
    }
  }

  /** The events after this one; undefined when some of them are to be had from the rows only. */
  after(position: Position): readonly LoggedEvent[] | undefined {
    return this.#tail.after(position);
  }

  /**
   * Makes all that there is ready to be written. What is returned writes it, and is to be called in a transaction, in which
   * nothing fails after it.
   */
  stage(): MaybePromise<(() => void) | undefined> {
    this.#pack();
    const last = this.#batches.at(-1);
    if (last === undefined) return undefined;
    const write = (): void => this.#writeUpTo(last);
    const pending = this.#batches.filter(({ encoded }) => encoded === undefined);
    return pending.length === 0
      ? write
      : Promise.all(pending.map(async ({ ready }) => ready)).then(() => write);
  }

  /** The attempt is over: what a node says afterwards is lost. */
  close(): void {
    this.#isClosed = true;
  }

  #pack(): void {
    if (this.#waiting.length === 0) return;
    const events = this.#waiting;
    this.#waiting = [];
    this.#waitingSize = 0;
    this.#writtenAt = this.#parts.now();
    const bytes = new TextEncoder().encode(events.map(({ text }) => text).join(""));
    const batch: Batch = { events, encoded: undefined, ready: undefined };
    this.#batches.push(batch);
    batch.ready = chain(encode(this.#parts.serde, bytes), (encoded) => {
      batch.encoded = encoded;
    });
  }

  /** Without a checkpoint to go with. */
  #write(): void {
    const { commit, report } = this.#parts;
    const written = chain(this.stage(), (write) => {
      if (write !== undefined) commit(write);
    });
    if (isPromise(written)) void written.catch(report);
  }

  #writeUpTo(last: Batch): void {
    while (this.#batches.includes(last)) {
      const batch = this.#batches.shift();
      if (batch?.encoded !== undefined) this.#append(batch.events, batch.encoded);
    }
  }

  #append(events: readonly LoggedEvent[], { type, data }: Encoded): void {
    const { limits } = this.#parts;
    const rows = this.#parts.rows();
    if (rows === undefined) return;
    const chunk = frameChunk(data);
    const extent = (this.#extent ??= rows.extent(this.runId));
    const open = this.#open;
    if (open?.type === type && open.size + chunk.byteLength <= ROW_SIZE) {
      rows.append(this.runId, open.n, chunk);
      open.size += chunk.byteLength;
    } else {
      const seq = events[0]?.position.seq ?? null;
      for (let start = 0; start < chunk.byteLength; start += PART_SIZE) {
        extent.last += 1;
        const part = chunk.subarray(start, start + PART_SIZE);
        const first = { attempt: this.attempt, seq: start === 0 ? seq : null };
        rows.insert(this.runId, extent.last, first, { type, data: part });
      }
      this.#open = chunk.byteLength > ROW_SIZE ? undefined : { n: extent.last, type, size: chunk.byteLength };
    }
    extent.size += chunk.byteLength;
    // Not with each addition.
    if (extent.size > limits.size)
      extent.size -= rows.removeOldest(this.runId, extent.size - limits.size * 0.9);
    const newest = events.at(-1);
    if (newest !== undefined) this.#tail.trim(newest.position);
  }
}
