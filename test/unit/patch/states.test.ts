import { describe, expect, it } from "vitest";
import { adopt } from "../../../src/values/adopt.ts";
import { diffStates } from "../../../src/storage/checkpoint-state.ts";
import { COPY, INSERT, LIST, VALUE } from "../../../src/storage/patch/node.ts";

const context = { storedForm: (part: unknown) => part, shortText: Infinity, isStoredApart: () => false };
const frame = { v: 4, ts: 0, channel_versions: { lines: 1 }, versions_seen: {} };

function bodyOf(old: unknown, next: unknown): unknown {
  const state = { frame, values: new Map([["lines", old]]), missing: new Map() };
  return diffStates(state, frame, new Map([["lines", next]]), [], context).body;
}

describe("how a channel's new value is stored", () => {
  const lines = (count: number) => adopt(Array.from({ length: count }, (_, index) => `line number ${index}`));

  it("as a patch where it is long", () => {
    const old = lines(10);
    const next = adopt([...old, "one more"]);
    expect(bodyOf(old, next)).toEqual([[], 0, 0, [LIST, COPY, 0, 10, INSERT, ["one more"]]]);
  });

  it("whole where it is so small that looking for a patch is not worth it", () => {
    const old = lines(7);
    const next = adopt([...old, "one more"]);
    expect(bodyOf(old, next)).toEqual([[], 0, 0, [VALUE, next]]);
  });

  it("not at all where it is the same", () => {
    for (const old of [lines(7), lines(10)]) expect(bodyOf(old, old)).toEqual([[], 0]);
  });
});
