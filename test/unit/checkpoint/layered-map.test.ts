import * as fc from "fast-check";
import { expect, it } from "vitest";
import { LayeredMap } from "../../../src/checkpoint/layered-map.ts";

const entries = fc
  .array(fc.tuple(fc.constantFrom("a", "b", "c", "d", "e"), fc.integer()))
  .map((pairs) => new Map(pairs));

it("has what was put into it last, and leaves those before it as they were", () => {
  fc.assert(
    fc.property(entries, fc.array(entries), (first, changes) => {
      const maps = [LayeredMap.of(first)];
      const expected = [new Map(first)];
      for (const change of changes) {
        maps.push(maps[maps.length - 1]!.with(change));
        expected.push(new Map([...expected[expected.length - 1]!, ...change]));
      }
      for (const [index, map] of maps.entries()) expect(map.toMap()).toEqual(expected[index]);
    }),
  );
});

/** Counts how many entries are read of it. */
class CountedMap extends Map<string, number> {
  static read = 0;
  override *[Symbol.iterator](): MapIterator<[string, number]> {
    for (const entry of super.entries()) {
      CountedMap.read += 1;
      yield entry;
    }
  }
}

it("reads of a large map no more than was changed, and in the long run no more than twice what it holds", () => {
  const large = new CountedMap(Array.from({ length: 500 }, (_, n) => [`k${n}`, n]));
  let map = LayeredMap.of<number>(large);
  CountedMap.read = 0;
  for (let n = 0; n < 100; n++) map = map.with(new CountedMap([["k1", n]]));
  expect(CountedMap.read).toBe(0);
  for (let n = 0; n < 10_000; n++) map = map.with(new CountedMap([["k1", n]]));
  CountedMap.read = 0;
  expect(map.toMap().get("k1")).toBe(9_999);
  expect(CountedMap.read).toBeLessThan(500);
});
