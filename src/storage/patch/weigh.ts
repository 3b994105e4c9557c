import { keysOf } from "../../columns.ts";
import { ExternalReference } from "../../checkpoint/serde/external-reference.ts";
import { isObject, kindOf } from "./kind.ts";

/** Bytes: of a container beside its parts, and of leaves. */
const CONTAINER = 3;
const DATE = 11;
const REFERENCE = 80;
/** What an instance of an unknown class is taken for. */
const INSTANCE = 100;

/** About as many bytes as the value takes when it is stored; a part that comes up again counts once. */
export function weigh(value: unknown, limit = Infinity): number {
  return isObject(value) ? weighObject(value, limit, undefined) : weightOfPrimitive(value);
}

/** `around`: the objects seen so far; absent for the outermost one. */
function weighObject(value: object, limit: number, around: Set<object> | undefined): number {
  if (around?.has(value)) return CONTAINER;
  let seen = around?.add(value);
  const kind = kindOf(value);
  let weight = ownWeight(value, limit, kind);
  if (weight > limit) return weight;
  for (const part of partsOf(value, kind)) {
    if (isObject(part)) weight += weighObject(part, limit - weight, (seen ??= new Set([value])));
    else weight += weightOfPrimitive(part);
    if (weight > limit) return weight;
  }
  return weight;
}

export function weightOfPrimitive(value: unknown): number {
  switch (typeof value) {
    case "string":
      return value.length + (value.length < 32 ? 1 : 3);
    case "number":
      return (value | 0) === value ? (value >= -32 && value < 128 ? 1 : 3) : 9;
    case "bigint":
      return 12;
    default:
      return 1;
  }
}

/** Of an object without its parts, but with the keys of a plain one, which are counted until they are above the limit. */
export function ownWeight(value: object, limit = Infinity, kind = kindOf(value)): number {
  switch (kind) {
    case "leaf":
      if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return CONTAINER + value.byteLength;
      if (value instanceof Date) return DATE;
      return value instanceof ExternalReference ? REFERENCE : INSTANCE;
    case "record": {
      let weight = CONTAINER;
      for (const key of keysOf(value)) {
        weight += key.length + 1;
        if (weight > limit) break;
      }
      return weight;
    }
    default:
      return CONTAINER;
  }
}

/** What a container holds; a leaf has no parts. */
export function partsOf(value: object, kind = kindOf(value)): Iterable<unknown> {
  switch (kind) {
    case "list":
    case "set":
      return value as Iterable<unknown>;
    case "map":
      return entriesOf(value as ReadonlyMap<unknown, unknown>);
    case "record":
      return Object.values(value);
    case "leaf":
      return [];
  }
}

function* entriesOf(map: ReadonlyMap<unknown, unknown>): Generator<unknown, void, void> {
  for (const entry of map) yield* entry;
}
