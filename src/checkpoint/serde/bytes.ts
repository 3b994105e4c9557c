import { isBare } from "../../values/bare.ts";

/** Uint8Array, or Node's subclass Buffer, which is stored as the Uint8Array that it is. */
export function isBytes(value: unknown): value is Uint8Array {
  if (!(value instanceof Uint8Array && ArrayBuffer.isView(value) && isBare(value))) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Uint8Array.prototype || value.constructor.name === "Buffer";
}

/** A copy, which owns its buffer. */
export function copyBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes.length);
  copy.set(bytes);
  return copy;
}
