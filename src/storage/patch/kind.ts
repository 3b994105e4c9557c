import { isBare } from "../../values/bare.ts";
import { hasSymbols, keysOf } from "../../columns.ts";
import { isDate, isList, isMap, isObject, isPlain, isSet } from "../../values/containers.ts";
import { LONG } from "../../values/shared-ends.ts";
import { ExternalReference } from "../../checkpoint/serde/external-reference.ts";

export { isObject };

/** What a value can be compared with part by part. Anything else is a leaf. */
export type Kind = "list" | "record" | "map" | "set" | "leaf";

export function kindOf(value: object): Kind {
  // What has more to it cannot be stored: whoever writes the whole value out says so.
  if (isList(value)) return isBare(value) ? "list" : "leaf";
  if (isPlain(value)) return hasSymbols(value) ? "leaf" : "record";
  if (isMap(value)) return isBare(value) ? "map" : "leaf";
  return isSet(value) && isBare(value) ? "set" : "leaf";
}

/** Whether two leaves are of one class and hold the same. */
export function isSameLeaf(a: object, b: object): boolean {
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const [x, y] = [contentOf(a), contentOf(b)];
  if (x === undefined || y === undefined) return false;
  if (!(x instanceof Uint8Array) || !(y instanceof Uint8Array)) return Object.is(x, y);
  if (x.length !== y.length) return false;
  for (let index = 0; index < x.length; index++) if (x[index] !== y[index]) return false;
  return true;
}

/** Whether two short records have the same keys, in the same order, with the same values and leaves. */
export function isSameRecord(a: object, b: object): boolean {
  const [keys, others] = [keysOf(a), keysOf(b)];
  if (keys.length !== others.length || keys.length > LONG) return false;
  return keys.every((key, index) => {
    const [part, other]: unknown[] = [Reflect.get(a, key), Reflect.get(b, key)];
    if (key !== others[index]) return false;
    return Object.is(part, other) || (isObject(part) && isObject(other) && isSameLeaf(part, other));
  });
}

function contentOf(leaf: object): Uint8Array | string | number | undefined {
  if (leaf instanceof ExternalReference) return `${leaf.kind} ${leaf.size} ${leaf.hash}`;
  if (!isBare(leaf)) return undefined;
  if (leaf instanceof Uint8Array) return leaf;
  if (ArrayBuffer.isView(leaf)) return new Uint8Array(leaf.buffer, leaf.byteOffset, leaf.byteLength);
  if (leaf instanceof ArrayBuffer) return new Uint8Array(leaf);
  if (isDate(leaf)) return leaf.getTime();
  if (leaf instanceof URL) return leaf.href;
  if (leaf instanceof RegExp) return String(leaf);
  return undefined;
}
