import { validate, version } from "uuid";
import { expect, it } from "vitest";
import { uuid7 } from "../../src/uuid7.ts";

const timeOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
/** Ids go on from the newest, whoever made it: the other tests of this process are to be ahead by as little as can be. */
const start = Date.now() + 10;

it("makes UUIDs of version 7, which say when they were made", () => {
  const id = uuid7(start);
  expect([validate(id), version(id), timeOf(id)]).toEqual([true, 7, start]);
});

it("makes each above the ones before, within a millisecond and when the clock steps back", () => {
  const within = Array.from({ length: 10_000 }, () => uuid7(start + 1));
  const after = [uuid7(start - 60_000), uuid7(start + 2), uuid7(start + 20)];
  const ids = [...within, ...after];
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  expect(timeOf(after[2] ?? "")).toBe(start + 20);
});

it("cannot be guessed from the one before", () => {
  const rests = Array.from({ length: 1000 }, () => uuid7(start + 21).slice(19));
  expect(new Set(rests).size).toBe(1000);
});
