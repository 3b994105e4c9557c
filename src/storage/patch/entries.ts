import { mapColumns } from "../../columns.ts";
import { type Alike, endsOf, knownEnds, type SharedEnds } from "../../shared-ends.ts";

export type Entry = readonly [key: unknown, value: unknown];

/** What a Map holds. Two lists are made faster than a pair for each entry. */
export class Entries {
  readonly keys: readonly unknown[];
  readonly values: readonly unknown[];
  readonly #map: object;

  constructor(map: ReadonlyMap<unknown, unknown>) {
    this.#map = map;
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

  endsWith(next: Entries, isSameKey: Alike, isSameValue: Alike): SharedEnds {
    const known = knownEnds(this.#map, next.#map);
    return known ?? endsOf([this.keys, this.values], [next.keys, next.values], [isSameKey, isSameValue]);
  }
}
