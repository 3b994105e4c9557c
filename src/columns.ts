import { LONG } from "./shared-ends.ts";

/** What a Map or a record holds, in its order. */
export interface Columns<Key = unknown> {
  readonly keys: readonly Key[];
  readonly values: readonly unknown[];
}

/** Of long values that cannot change: to enumerate a record takes as long as to write a third of it. */
const ofMaps = new WeakMap<object, Columns>();
const ofRecords = new WeakMap<object, Columns<string>>();

export function mapColumns(map: ReadonlyMap<unknown, unknown>): Columns {
  return ofMaps.get(map) ?? { keys: Array.from(map.keys()), values: Array.from(map.values()) };
}

export function recordColumns(record: object): Columns<string> {
  return (
    ofRecords.get(record) ?? {
      keys: Object.keys(record),
      values: Object.keys(record).map((key): unknown => Reflect.get(record, key)),
    }
  );
}

/** The keys that are texts. */
export function keysOf(record: object): readonly string[] {
  return ofRecords.get(record)?.keys ?? Object.keys(record);
}

export function hasSymbols(record: object): boolean {
  return !ofRecords.has(record) && Object.getOwnPropertySymbols(record).length > 0;
}

export function rememberMap(map: object, columns: Columns): void {
  if (columns.keys.length > LONG) ofMaps.set(map, columns);
}

/** Of a record whose keys are all texts. */
export function rememberRecord(record: object, columns: Columns<string>): void {
  if (columns.keys.length > LONG) ofRecords.set(record, columns);
}
