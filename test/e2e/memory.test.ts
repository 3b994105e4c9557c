import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LiveMemory } from "../../bench/memory/live-memory.ts";
import { type Kind, type Place, VALUES } from "../../bench/memory/values.ts";

/** Of an object's 128 MB, with room for its code and for what nobody has collected yet. */
const MOST = 105_000_000;

describe("the largest values, made, stored, handed on, and read again by an object that remembers nothing", () => {
  let memory: LiveMemory;
  beforeAll(async () => {
    memory = await LiveMemory.start();
  });
  afterAll(() => memory.stop());

  it.each<readonly [Place, Kind, number]>([
    ["SQLite", "bytes", 2],
    ["R2", "bytes", 2],
    ["encrypted", "bytes", 3],
    ["SQLite", "list", 3],
  ])("in %s: %s are in memory %i times at most", async (place, kind, times) => {
    const held = await memory.of(place, kind);
    // What else the run has, and a buffer on the way to the bucket.
    expect(held).toBeLessThan(times * VALUES[kind].size + 6_000_000);
    expect(held).toBeGreaterThan(VALUES[kind].size);
    expect(held).toBeLessThan(MOST);
  });
});
