import { toHex } from "../hex.ts";

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
    const ticks = ticksOf(id);
    if (ticks !== undefined && ticks > this.#last) this.#last = ticks;
  }

  /** `step` goes into the clock sequence, as LangGraph has it; it decides nothing. */
  next(step: number): string {
    const clock = ticksAt(this.#now());
    this.#last = clock > this.#last ? clock : this.#last + 1n;
    // Drawn late: a Worker may not draw while its modules load.
    this.#node ??= toHex(this.#random(6));
    const sequence = (0x8000 | (step & 0x3fff)).toString(16);
    return `${timeDigits(this.#last)}-${sequence}-${this.#node}`;
  }
}

/** When an id was minted, in milliseconds since 1970; undefined for one that does not say it. */
export function mintedAt(id: string): number | undefined {
  const ticks = ticksOf(id);
  return ticks === undefined ? undefined : Number((ticks - UNIX_EPOCH_TICKS) / TICKS_PER_MILLISECOND);
}

/** Below every id that is minted at a time, in milliseconds since 1970, or later. */
export function idsFrom(time: number): string {
  return `${timeDigits(ticksAt(time))}-0000-000000000000`;
}

function ticksAt(time: number): bigint {
  return BigInt(Math.trunc(time)) * TICKS_PER_MILLISECOND + UNIX_EPOCH_TICKS;
}

function timeDigits(ticks: bigint): string {
  const time = ticks.toString(16).padStart(15, "0");
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-6${time.slice(12)}`;
}

function ticksOf(id: string): bigint | undefined {
  const match = UUID6.exec(id);
  return match === null ? undefined : BigInt(`0x${match[1]}${match[2]}${match[3]}`);
}
