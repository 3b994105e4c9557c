import { UndecodableError } from "../../errors.ts";
import type { KeyCache } from "./key-cache.ts";

/** Below this a loop is faster than TextDecoder. */
const SHORT_TEXT = 24;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads MessagePack tokens from bytes that may be damaged: nothing is taken, and nothing is allocated, beyond their end. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #keys: KeyCache;
  #position = 0;

  constructor(bytes: Uint8Array, keys: KeyCache) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#keys = keys;
  }

  get position(): number {
    return this.#position;
  }

  get remaining(): number {
    return this.#bytes.length - this.#position;
  }

  byte(): number {
    return this.#view.getUint8(this.#position++);
  }

  uint16(): number {
    const value = this.#view.getUint16(this.#position);
    this.#position += 2;
    return value;
  }

  uint32(): number {
    const value = this.#view.getUint32(this.#position);
    this.#position += 4;
    return value;
  }

  int8(): number {
    return this.#view.getInt8(this.#position++);
  }

  int16(): number {
    const value = this.#view.getInt16(this.#position);
    this.#position += 2;
    return value;
  }

  int32(): number {
    const value = this.#view.getInt32(this.#position);
    this.#position += 4;
    return value;
  }

  double(): number {
    const value = this.#view.getFloat64(this.#position);
    this.#position += 8;
    return value;
  }

  /** A count that its elements, of `least` bytes each or more, can have room for. */
  count(value: number, least: number): number {
    if (value * least > this.remaining) throw this.#tooShort(value * least);
    return value;
  }

  /** A copy, which owns its buffer. */
  raw(size: number): Uint8Array<ArrayBuffer> {
    const start = this.#take(size);
    const copy = new Uint8Array(size);
    copy.set(this.#bytes.subarray(start, start + size));
    return copy;
  }

  text(size: number): string {
    const start = this.#take(size);
    if (size < SHORT_TEXT) {
      const text = shortAscii(this.#bytes, start, size);
      if (text !== undefined) return text;
    }
    return decoder.decode(this.#bytes.subarray(start, start + size));
  }

  /** Text that is likely to come again. */
  key(size: number): string {
    const start = this.#position;
    const cached = size > this.remaining ? undefined : this.#keys.find(this.#bytes, start, size);
    if (cached === undefined) return this.#keys.keep(this.#bytes, start, this.text(size));
    this.#position += size;
    return cached;
  }

  #take(size: number): number {
    if (size > this.remaining) throw this.#tooShort(size);
    const start = this.#position;
    this.#position += size;
    return start;
  }

  #tooShort(size: number): UndecodableError {
    return new UndecodableError(
      `byte ${this.#position} announces ${size} more bytes, but only ${this.remaining} follow`,
    );
  }
}

function shortAscii(bytes: Uint8Array, start: number, size: number): string | undefined {
  let text = "";
  for (let at = start; at < start + size; at++) {
    const unit = bytes[at];
    if (unit === undefined || unit > 0x7f) return undefined;
    text += String.fromCharCode(unit);
  }
  return text;
}
