import { isObject } from "../values/containers.ts";

type Filter = Readonly<Record<string, unknown>>;

/** Whether every key of the filter has an equal value in the metadata. */
export function matchesFilter(metadata: Filter, filter: Filter | undefined): boolean {
  if (filter === undefined) return true;
  return Object.entries(filter).every(([key, value]) => isEqual(ownValue(metadata, key), value));
}

function isEqual(a: unknown, b: unknown): boolean {
  if (a === b || Object.is(a, b)) return true;
  if (!isRecord(a) || !isRecord(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]));
}

function ownValue(record: Filter, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Arrays and plain objects; anything else is equal only to itself. */
function isRecord(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}
