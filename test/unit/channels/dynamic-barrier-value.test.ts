import { expect, it } from "vitest";
import { DynamicBarrierValue, DynamicBarrierValueAfterFinish } from "tidemark/channels";

it("a barrier that waits for nobody stays closed after a reload", () => {
  for (const barrier of [new DynamicBarrierValue(), new DynamicBarrierValueAfterFinish()]) {
    expect(barrier.fromCheckpoint(barrier.fromCheckpoint().checkpoint() as never).isAvailable()).toBe(false);
  }
});

it("opens when all that it was told to wait for have come, once", () => {
  const barrier = new DynamicBarrierValue<string>();
  expect(barrier.update(["a"])).toBe(false);
  expect(barrier.update([{ __names: ["a", "b"] }])).toBe(true);
  expect(barrier.update(["a", "z"])).toBe(true);
  expect([barrier.isAvailable(), barrier.consume()]).toEqual([false, false]);
  expect(barrier.update(["b"])).toBe(true);
  expect([barrier.isAvailable(), barrier.consume(), barrier.isAvailable()]).toEqual([true, true, false]);
  expect(barrier.update(["a", "b"])).toBe(false);
});

it("its form after the finish opens only then", () => {
  const barrier = new DynamicBarrierValueAfterFinish<string>();
  barrier.update([{ __names: ["a"] }]);
  expect(barrier.finish()).toBe(false);
  barrier.update(["a"]);
  expect(barrier.isAvailable()).toBe(false);
  expect([barrier.finish(), barrier.isAvailable()]).toEqual([true, true]);
  const loaded = barrier.fromCheckpoint(barrier.checkpoint());
  expect([loaded.isAvailable(), loaded.consume(), loaded.isAvailable()]).toEqual([true, true, false]);
});
