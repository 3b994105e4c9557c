import { describe, expect, it } from "vitest";
import { NamedBarrierValue, NamedBarrierValueAfterFinish } from "tidemark/channels";

const names = new Set(["a", "b"]);

describe("NamedBarrierValue", () => {
  it("opens when all names were written, in any superstep, until consumed", () => {
    const barrier = new NamedBarrierValue(names);
    expect(barrier.consume()).toBe(false);
    expect(barrier.update(["b"])).toBe(true);
    expect(barrier.consume()).toBe(false);
    expect(barrier.update(["b"])).toBe(false);
    expect(barrier.isAvailable()).toBe(false);
    expect(barrier.update(["a"])).toBe(true);
    expect(barrier.get()).toBeUndefined();
    expect(barrier.checkpoint()).toEqual(["b", "a"]);
    expect(barrier.consume()).toBe(true);
    expect(barrier.checkpoint()).toEqual([]);
    barrier.update(["a"]);
    expect(barrier.isAvailable()).toBe(false);
  });

  it("refuses an unknown name and says which it waits for", () => {
    expect(() => new NamedBarrierValue(names).update(["a", "c"])).toThrow(/waits for a, b; "c"/);
  });

  it("forgets saved names that it no longer waits for", () => {
    const barrier = new NamedBarrierValue(names).fromCheckpoint(["a", "gone"]);
    expect(barrier.isAvailable()).toBe(false);
    barrier.update(["b"]);
    expect(barrier.isAvailable()).toBe(true);
  });
});

describe("NamedBarrierValueAfterFinish", () => {
  it("opens when all names were written and finish came after", () => {
    const barrier = new NamedBarrierValueAfterFinish(names);
    barrier.update(["a"]);
    expect(barrier.finish()).toBe(false);
    barrier.update(["b"]);
    expect(barrier.isAvailable()).toBe(false);
    expect(barrier.consume()).toBe(false);
    expect(barrier.finish()).toBe(true);
    expect(barrier.finish()).toBe(false);
    expect(barrier.checkpoint()).toEqual([["a", "b"], true]);
    expect(barrier.get()).toBeUndefined();
    expect(barrier.consume()).toBe(true);
    expect(barrier.checkpoint()).toEqual([[], false]);
  });

  it("stays closed when it was saved as finished and now waits for more", () => {
    const barrier = new NamedBarrierValueAfterFinish(names).fromCheckpoint([["a", "gone"], true]);
    expect(barrier.isAvailable()).toBe(false);
    barrier.update(["b"]);
    expect(barrier.isAvailable()).toBe(false);
    expect(barrier.finish()).toBe(true);
  });
});
