import { isBare } from "../values/bare.ts";
import { isObject } from "../values/containers.ts";
import { UndecodableError } from "../errors.ts";
import { VIEWS } from "../checkpoint/serde/views.ts";
import { isBytes } from "../values/opaque.ts";

/** The kind of a reference to text. Any other is the name of a class of bytes. */
export const TEXT = "text";
const BUFFER = "ArrayBuffer";
const BYTES = "Uint8Array";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

type Bytes = ArrayBuffer | ArrayBufferView;
export type LargeLeaf = string | Bytes;

/** Whether the value is bytes of a class that `fromBytes` can make again. */
export function canBeMade(value: unknown): value is Bytes {
  return isObject(value) && isBytes(value) && isKind(kindOf(value)) && isBare(value);
}

export function kindOf(leaf: unknown): string {
  return typeof leaf === "string" ? TEXT : Object.prototype.toString.call(leaf).slice("[object ".length, -1);
}

/** The bytes of the leaf: its own where it is bytes, not a copy. */
export function bytesOf(leaf: unknown): Uint8Array {
  if (typeof leaf === "string") return new TextEncoder().encode(leaf);
  if (leaf instanceof ArrayBuffer) return new Uint8Array(leaf);
  if (!ArrayBuffer.isView(leaf)) throw new TypeError("neither text nor bytes");
  return new Uint8Array(leaf.buffer, leaf.byteOffset, leaf.byteLength);
}

/** The value that the bytes came from. They are its own from then on, and nobody else's. */
export function fromBytes(kind: string, bytes: Uint8Array): LargeLeaf {
  if (kind !== TEXT && !isKind(kind))
    throw new UndecodableError(`a large value has the unknown kind "${kind}"`, { details: { kind } });
  try {
    return kind === TEXT ? decoder.decode(bytes) : viewOf(kind, bytes);
  } catch (cause) {
    throw new UndecodableError(`a large value is no ${kind}`, { details: { kind }, cause });
  }
}

function viewOf(kind: string, bytes: Uint8Array): Bytes {
  const isWhole = bytes.buffer instanceof ArrayBuffer && bytes.length === bytes.buffer.byteLength;
  const buffer = isWhole ? bytes.buffer : bytes.slice().buffer;
  const View = kind === BYTES ? Uint8Array : VIEWS.get(kind);
  return View === undefined ? buffer : new View(buffer);
}

function isKind(kind: string): boolean {
  return kind === BUFFER || kind === BYTES || VIEWS.has(kind);
}

export function utf8Length(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    length += unit < 0x800 ? 1 : 2;
    // The two halves of a pair are four bytes together.
    if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(index + 1))) index += 1;
  }
  return length;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
