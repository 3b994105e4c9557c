import { mapColumns } from "../../columns.ts";

export type Entry = readonly [key: unknown, value: unknown];

/** What a Map holds. Two lists are made faster than a pair for each entry. */
export class Entries {
  readonly keys: readonly unknown[];
  readonly values: readonly unknown[];

  constructor(map: ReadonlyMap<unknown, unknown>) {
    const { keys, values } = mapColumns(map);
    this.keys = keys;
    this.values = values;
  }

  get length(): number {
    return this.keys.length;
  }

  slice(start: number, end: number): Entry[] {
    return this.keys.slice(start, end).map((key, index) => [key, this.values[start + index]]);
  }
}
