import { FOREIGN, traitsOf } from "./values/adopted.ts";
import { LONG } from "./values/shared-ends.ts";

/** What a Map or a record holds, in its order; a Set has its members as both. */
export interface Columns<Key = unknown> {
  readonly keys: Key[];
  readonly values: unknown[];
}

/** Of long ones that cannot change: to list what is in one takes up to a third of the time in which it is made. */
const knownMaps = new WeakMap<object, Columns>();
const knownRecords = new WeakMap<object, Columns<string>>();

export function mapColumns(map: ReadonlyMap<unknown, unknown>): Columns {
  return knownMaps.get(map) ?? { keys: Array.from(map.keys()), values: Array.from(map.values()) };
}

export function setMembers(set: ReadonlySet<unknown>): unknown[] {
  return knownMaps.get(set)?.keys ?? Array.from(set);
}

export function recordColumns(record: object): Columns<string> {
  const known = knownRecords.get(record);
  if (known !== undefined) return known;
  const keys = Object.keys(record);
  // One with thousands of keys is read several times as fast as by `Object.values`.
  return { keys, values: keys.map((key): unknown => Reflect.get(record, key)) };
}

/** The keys that are texts. */
export function keysOf(record: object): readonly string[] {
  return knownRecords.get(record)?.keys ?? Object.keys(record);
}

export function hasSymbols(record: object): boolean {
  const isWithout = ((traitsOf(record) ?? FOREIGN) & FOREIGN) === 0;
  return !isWithout && Object.getOwnPropertySymbols(record).length > 0;
}

/** Of a Map or a Set. Neither it nor its columns may change any more. Copies of two keys may have come to be one. */
export function rememberColumns(collection: { readonly size: number }, columns: Columns): void {
  const { length } = columns.keys;
  if (length > LONG && length === collection.size) knownMaps.set(collection, columns);
}

/** Of a record whose keys are all texts. Neither it nor its columns may change any more. */
export function rememberRecordColumns(record: object, columns: Columns<string>): void {
  if (columns.keys.length > LONG) knownRecords.set(record, columns);
}
