import { LONG } from "./shared-ends.ts";

/** What a Map or a record holds, in its order. */
export interface Columns<Key = unknown> {
  readonly keys: Key[];
  readonly values: unknown[];
}

export function mapColumns(map: ReadonlyMap<unknown, unknown>): Columns {
  return { keys: Array.from(map.keys()), values: Array.from(map.values()) };
}

/** Of long records that cannot change: to enumerate one takes as long as to write a third of it. */
const known = new WeakMap<object, Columns<string>>();

export function recordColumns(record: object): Columns<string> {
  return known.get(record) ?? { keys: Object.keys(record), values: Object.values<unknown>({ ...record }) };
}

/** The keys that are texts. */
export function keysOf(record: object): readonly string[] {
  return known.get(record)?.keys ?? Object.keys(record);
}

export function hasSymbols(record: object): boolean {
  return !known.has(record) && Object.getOwnPropertySymbols(record).length > 0;
}

/** Of a record whose keys are all texts. Neither it nor its columns may change any more. */
export function rememberColumns(record: object, columns: Columns<string>): void {
  if (columns.keys.length > LONG) known.set(record, columns);
}
