import { expect, it } from "vitest";
import { WritePace } from "../../../src/thread/events/write-pace.ts";

/** How long each of so many writes has to wait that are wanted one after the other. */
function waits(pace: WritePace, count: number, now: number): number[] {
  return Array.from({ length: count }, () => {
    const wait = pace.wait(now);
    if (wait === 0) pace.note(now);
    return wait;
  });
}

it("lets four writes come when they are wanted, and then one each 250 ms", () => {
  const pace = new WritePace();
  expect(waits(pace, 6, 1000)).toEqual([0, 0, 0, 0, 250, 250]);
  expect(waits(pace, 2, 1200)).toEqual([50, 50]);
  expect(waits(pace, 2, 1250)).toEqual([0, 250]);
  expect(waits(pace, 4, 1750)).toEqual([0, 0, 250, 250]);
  expect(waits(pace, 5, 60_000)).toEqual([0, 0, 0, 0, 250]);
});

it("does not wait longer when more is written, or the clock is put back", () => {
  const pace = new WritePace();
  for (let write = 0; write < 100; write++) pace.note(10_000);
  expect(pace.wait(10_000)).toBe(250);
  expect(pace.wait(3000)).toBe(250);
  expect(pace.wait(3250)).toBe(0);
});
