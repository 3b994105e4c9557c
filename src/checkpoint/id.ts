import { v5 } from "uuid";

/** 100-nanosecond ticks from 1582-10-15, the epoch of UUID time, to 1970-01-01. */
const UNIX_EPOCH_TICKS = 122_192_928_000_000_000n;
const TICKS_PER_MILLISECOND = 10_000n;
const UUID6 = /^([0-9a-f]{8})-([0-9a-f]{4})-6([0-9a-f]{3})-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Mints checkpoint ids: UUIDs of version 6 whose text order is the order of minting, whatever the clock does. An id that
 * was read from a saver is shown to `observe`, and every later id sorts after it.
 */
export class CheckpointIds {
  readonly #now: () => number;
  readonly #random: (length: number) => Uint8Array;
  #node: string | undefined;
  #last = 0n;

  /** `now` in milliseconds since 1970; `random` returns that many random bytes. */
  constructor(now: () => number, random: (length: number) => Uint8Array) {
    this.#now = now;
    this.#random = random;
  }

  observe(id: string): void {
    const match = UUID6.exec(id);
    if (match === null) return;
    const ticks = BigInt(`0x${match[1]}${match[2]}${match[3]}`);
    if (ticks > this.#last) this.#last = ticks;
  }

  /** `step` goes into the clock sequence, as LangGraph has it; it decides nothing. */
  next(step: number): string {
    const clock = BigInt(Math.trunc(this.#now())) * TICKS_PER_MILLISECOND + UNIX_EPOCH_TICKS;
    this.#last = clock > this.#last ? clock : this.#last + 1n;
    const time = this.#last.toString(16).padStart(15, "0");
    // Drawn late: a Worker may not draw while its modules load.
    this.#node ??= Array.from(this.#random(6), (byte) => byte.toString(16).padStart(2, "0")).join("");
    const sequence = (0x8000 | (step & 0x3fff)).toString(16);
    return `${time.slice(0, 8)}-${time.slice(8, 12)}-6${time.slice(12)}-${sequence}-${this.#node}`;
  }
}

/**
 * A UUID of version 5: the same name under the same UUID always gives the same id. LangGraph's first checkpoint of a
 * thread has an id that the RFC does not allow (variant `f`), so the namespace is taken as 16 bytes without a check.
 */
export function uuid5(name: string, namespace: string): string {
  return v5(name, bytesOf(namespace));
}

function bytesOf(uuid: string): Uint8Array {
  const digits = uuid.replaceAll("-", "");
  const bytes = new Uint8Array(16);
  for (let index = 0; index < 16; index++)
    bytes[index] = Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16);
  return bytes;
}
