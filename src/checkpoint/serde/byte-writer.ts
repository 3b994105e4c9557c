import { sharedBytes } from "../../shared-bytes.ts";
import { ValueTooLargeError } from "../../errors.ts";
import { EXTENSION, MAX_BYTES } from "./format.ts";
import { isWellFormed, utf16Bytes } from "./text.ts";

/** Below this a loop is faster than TextEncoder; it is also what fits the one-byte header of a string. */
const SHORT_TEXT = 32;
/** From here on a string is encoded apart, so that the buffer need not have room for the worst case. */
const LONG_TEXT = 64 * 1024;
const EXTENSION_HEADER = 6;
/** More room than it takes is asked for by texts alone. */
const MOST_RESERVED = 5 + 3 * LONG_TEXT;

const encoder = new TextEncoder();

/** Appends MessagePack tokens to a buffer that grows. What is above the limit it only counts. */
export class ByteWriter {
  readonly #limit: number;
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  /** Bytes that came before those in the buffer, and were not kept. */
  #counted = 0;
  /** In the buffer. */
  #position = 0;

  constructor(capacity: number, limit = Infinity) {
    this.#limit = limit;
    this.#bytes = new Uint8Array(new ArrayBuffer(capacity));
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** A writer that has room for as much as this one was given, and does not grow on the way. */
  roomy(): ByteWriter {
    return new ByteWriter(this.position + MOST_RESERVED);
  }

  /** Whether all that was written is kept. */
  get isWhole(): boolean {
    return this.#counted === 0;
  }

  /** How many bytes were written. */
  get position(): number {
    return this.#counted + this.#position;
  }

  /** Takes back what was written after `position`. */
  rewind(position: number): void {
    this.#counted = Math.min(this.#counted, position);
    this.#position = position - this.#counted;
  }

  /** A copy of what was written: the writer can be used again. */
  copy(): Uint8Array {
    return this.#bytes.slice(0, this.#position);
  }

  /** The same in memory that others may share. */
  sharedCopy(): Uint8Array {
    const bytes = sharedBytes(this.#position);
    bytes.set(this.#bytes.subarray(0, this.#position));
    return bytes;
  }

  /** What was written, from a writer that is not used again. */
  take(): Uint8Array {
    return this.#bytes.subarray(0, this.#position);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#position++] = value;
  }

  /** Of the many bit patterns of NaN always the same, so that equal values have equal bytes. */
  double(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#position, Number.isNaN(value) ? Number.NaN : value);
    this.#position += 8;
  }

  raw(bytes: Uint8Array): void {
    if (bytes.length > this.#limit) return this.#count(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#position);
    this.#position += bytes.length;
  }

  /** Integers of up to 32 bits in their short forms, all else (-0 too) as a double. */
  number(value: number): void {
    if ((value | 0) === value && (value !== 0 || 1 / value > 0)) {
      if (value >= 0) this.#unsigned(value);
      else this.#negative(value);
    } else if (value > 0 && value >>> 0 === value) {
      this.#header32(0xce, value);
    } else {
      this.byte(0xcb);
      this.double(value);
    }
  }

  string(text: string): void {
    const length = text.length;
    if (length >= SHORT_TEXT) {
      this.#longString(text);
      return;
    }
    this.#reserve(1 + length);
    const bytes = this.#bytes;
    let position = this.#position;
    bytes[position++] = 0xa0 | length;
    for (let index = 0; index < length; index++) {
      const unit = text.charCodeAt(index);
      if (unit > 0x7f) {
        this.#longString(text);
        return;
      }
      bytes[position++] = unit;
    }
    this.#position = position;
  }

  binary(bytes: Uint8Array): void {
    const size = bytes.length;
    if (size < 0x100) this.#header8(0xc4, size);
    else if (size < 0x10000) this.#header16(0xc5, size);
    else this.#header32(0xc6, size);
    this.raw(bytes);
  }

  /** The members are of a byte or more each: an absurd length fails at once. */
  arrayHeader(count: number): void {
    this.#check(5 + count);
    if (count < 16) this.byte(0x90 | count);
    else if (count < 0x10000) this.#header16(0xdc, count);
    else this.#header32(0xdd, count);
  }

  mapHeader(count: number): void {
    if (count < 16) this.byte(0x80 | count);
    else if (count < 0x10000) this.#header16(0xde, count);
    else this.#header32(0xdf, count);
  }

  /** Begins an extension of unknown size. Give what it returns to {@link closeExtension} after the payload. */
  openExtension(): number {
    this.#reserve(EXTENSION_HEADER);
    this.#position += EXTENSION_HEADER;
    return this.position;
  }

  closeExtension(type: number, start: number): void {
    const size = this.position - start;
    const header = start - EXTENSION_HEADER - this.#counted;
    if (header < 0) {
      if (size < 0x100) this.rewind(this.position - EXTENSION_HEADER + 3);
    } else if (size < 0x100) {
      this.#bytes.copyWithin(header + 3, header + EXTENSION_HEADER, this.#position);
      this.#bytes[header] = 0xc7;
      this.#bytes[header + 1] = size;
      this.#bytes[header + 2] = type;
      this.#position -= EXTENSION_HEADER - 3;
    } else {
      this.#bytes[header] = 0xc9;
      this.#view.setUint32(header + 1, size);
      this.#bytes[header + 5] = type;
    }
  }

  extension(type: number, payload: Uint8Array): void {
    const start = this.openExtension();
    this.raw(payload);
    this.closeExtension(type, start);
  }

  undefined(): void {
    this.byte(0xd4);
    this.byte(EXTENSION.undefined);
    this.byte(0);
  }

  reference(id: number): void {
    if (id < 0x100) {
      this.#header8(0xd4, EXTENSION.reference);
      this.byte(id);
    } else if (id < 0x10000) {
      this.#header8(0xd5, EXTENSION.reference);
      this.byte(id >> 8);
      this.byte(id & 0xff);
    } else {
      this.byte(0xd6);
      this.#header32(EXTENSION.reference, id);
    }
  }

  #longString(text: string): void {
    if (!isWellFormed(text)) {
      this.extension(EXTENSION.utf16, utf16Bytes(text));
    } else if (text.length >= LONG_TEXT) {
      const bytes = encoder.encode(text);
      this.#stringHeader(bytes.length);
      this.raw(bytes);
    } else {
      this.#mediumString(text);
    }
  }

  /** Encodes in place, behind a header for text in ASCII; moves the bytes when the text was not. */
  #mediumString(text: string): void {
    this.#reserve(5 + 3 * text.length);
    const guess = stringHeaderSize(text.length);
    const start = this.#position;
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(start + guess));
    const size = stringHeaderSize(written);
    if (size !== guess) this.#bytes.copyWithin(start + size, start + guess, start + guess + written);
    this.#stringHeader(written);
    this.#position = start + size + written;
  }

  #stringHeader(size: number): void {
    if (size < 32) this.byte(0xa0 | size);
    else if (size < 0x100) this.#header8(0xd9, size);
    else if (size < 0x10000) this.#header16(0xda, size);
    else this.#header32(0xdb, size);
  }

  #unsigned(value: number): void {
    if (value < 0x80) this.byte(value);
    else if (value < 0x100) this.#header8(0xcc, value);
    else if (value < 0x10000) this.#header16(0xcd, value);
    else this.#header32(0xce, value);
  }

  #negative(value: number): void {
    if (value >= -0x20) this.byte(value);
    else if (value >= -0x80) this.#header8(0xd0, value);
    else if (value >= -0x8000) this.#header16(0xd1, value);
    else this.#header32(0xd2, value);
  }

  #header8(tag: number, value: number): void {
    this.#reserve(2);
    this.#bytes[this.#position++] = tag;
    this.#bytes[this.#position++] = value;
  }

  #header16(tag: number, value: number): void {
    this.#reserve(3);
    this.#bytes[this.#position++] = tag;
    this.#bytes[this.#position++] = value >> 8;
    this.#bytes[this.#position++] = value;
  }

  #header32(tag: number, value: number): void {
    this.#reserve(5);
    this.#bytes[this.#position] = tag;
    this.#view.setInt32(this.#position + 1, value);
    this.#position += 5;
  }

  #reserve(size: number): void {
    if (this.#position + size > this.#bytes.length) this.#grow(size);
  }

  #grow(size: number): void {
    this.#check(size);
    if (this.#position + size > this.#limit) this.#count(0);
    const needed = this.#position + size;
    if (needed <= this.#bytes.length) return;
    const bytes = new Uint8Array(new ArrayBuffer(Math.max(needed, 2 * this.#bytes.length)));
    bytes.set(this.#bytes.subarray(0, this.#position));
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }

  /** What is in the buffer is not kept any more, nor are so many bytes after it. */
  #count(size: number): void {
    this.#check(size);
    this.#counted += this.#position + size;
    this.#position = 0;
  }

  #check(size: number): void {
    const needed = this.position + size;
    if (needed > MAX_BYTES) throw new ValueTooLargeError(needed, MAX_BYTES);
  }
}

function stringHeaderSize(size: number): number {
  if (size < 32) return 1;
  if (size < 0x100) return 2;
  return size < 0x10000 ? 3 : 5;
}
