import type { LoggedEvent } from "./logged-event.ts";
import { isBefore, type Position } from "./position.ts";

/** What readers who keep up find in memory, in characters; what is not stored yet is there in any case. */
const KEPT = 256 * 1024;

/** The newest events of an attempt. */
export class EventTail {
  readonly #events: LoggedEvent[] = [];
  #size = 0;
  /** Every later event of the attempt is here. */
  #before: Position;

  constructor(before: Position) {
    this.#before = before;
  }

  push(event: LoggedEvent): void {
    this.#events.push(event);
    this.#size += event.text.length;
  }

  /** The events after this one up to the last; undefined when some of them are to be had from the rows only. */
  after(position: Position, last: number): readonly LoggedEvent[] | undefined {
    if (isBefore(position, this.#before)) return undefined;
    // They are numbered without a gap.
    const skipped = position.attempt === this.#before.attempt ? position.seq - this.#before.seq : Infinity;
    return this.#events.slice(skipped, Math.max(0, last - this.#before.seq));
  }

  /** Lets go of the oldest of those that are stored. */
  trim(stored: Position): void {
    if (this.#size <= KEPT) return;
    let dropped = 0;
    for (const { position, text } of this.#events) {
      if (this.#size <= KEPT / 2 || isBefore(stored, position)) break;
      this.#size -= text.length;
      this.#before = position;
      dropped += 1;
    }
    this.#events.splice(0, dropped);
  }
}
