import { sha1Words } from "./sha1.ts";

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
    this.#node ??= Array.from(this.#random(6), (byte) => byte.toString(16).padStart(2, "0")).join("");
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

/**
 * A UUID of version 5: the same name under the same UUID always gives the same id. LangGraph's first checkpoint of a
 * thread has an id that the RFC does not allow (variant `f`), so the namespace is taken as 16 bytes without a check.
 */
export function uuid5(name: string, namespace: string): string {
  const words = sha1Words(bytesOf(namespace), name);
  words[1] = ((words[1] ?? 0) & 0xffff0fff) | 0x5000;
  words[2] = ((words[2] ?? 0) & 0x3fffffff) | 0x80000000;
  return uuidOf(words);
}

const DIGITS = Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));
const DASH = "-".charCodeAt(0);
/** Character codes of the text that is made: put together piece by piece, it would be as many texts. */
const codes = Array.from("00000000-0000-0000-0000-000000000000", (digit) => digit.charCodeAt(0));

/** Of the first four words. */
function uuidOf(words: Int32Array): string {
  let position = 0;
  for (let digit = 0; digit < 32; digit++) {
    if (codes[position] === DASH) position += 1;
    const word = words[digit >> 3] ?? 0;
    codes[position++] = DIGITS[(word >>> (28 - 4 * (digit & 7))) & 15] ?? 0;
  }
  return String.fromCharCode(...codes);
}

function bytesOf(uuid: string): Uint8Array {
  const bytes = new Uint8Array(16);
  let position = 0;
  let high = -1;
  for (let index = 0; index < uuid.length && position < 16; index++) {
    const digit = hexDigit(uuid.charCodeAt(index));
    if (digit < 0) continue;
    if (high < 0) high = digit;
    else {
      bytes[position++] = 16 * high + digit;
      high = -1;
    }
  }
  return bytes;
}

/** Of a character code; -1 for what is no digit. */
function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
