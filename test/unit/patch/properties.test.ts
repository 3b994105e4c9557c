import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { adopt, isAdopted } from "../../../src/values/adopt.ts";
import { applyPatch } from "../../../src/storage/patch/apply.ts";
import { Budget } from "../../../src/checkpoint/serde/budget.ts";
import { diff } from "../../../src/storage/patch/diff.ts";
import { value } from "../serde/arbitraries.ts";
import { loss } from "../serde/same.ts";
import { roundTrip, serializer } from "../serde/support.ts";
import { versions } from "./edits.ts";

const newContext = () => ({
  storedForm: (part: unknown) => part,
  shortText: Infinity,
  isStoredApart: () => false,
});

describe("a patch that is applied to the old value gives the new one", () => {
  it("for any two values", () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        const [old, next] = [adopt(a), adopt(b)];
        const { change } = diff(old, next, newContext());
        const budget = new Budget();
        const applied =
          change === undefined ? old : applyPatch(old, roundTrip(change.node), undefined, budget);
        expect(budget.built).toBeLessThanOrEqual(change?.built ?? 0);
        expect(loss(next, applied)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it("for values that come of each other, read back from bytes", () => {
    fc.assert(
      fc.property(versions, (all) => {
        const context = newContext();
        let kept: unknown = undefined;
        let stored: unknown = undefined;
        for (const next of all) {
          const difference = diff(kept, next, context);
          const { change } = difference;
          if (change !== undefined) {
            const budget = new Budget();
            stored = applyPatch(stored, roundTrip(change.node), undefined, budget);
            expect(budget.built).toBeLessThanOrEqual(change.built);
            kept = change.value;
          }
          expect(loss(next, stored)).toBeUndefined();
          expect(loss(next, kept)).toBeUndefined();
          expect(isAdopted(kept) || !isAdopted(next)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("for a list that contains itself, in a new place and in the place of another list", () => {
    const kept = "long enough for a patch to be smaller than all".repeat(3);
    const list: unknown[] = ["a"];
    list.push({ loop: list });
    const old = adopt({ kept, moved: [1, 2, 3] });
    const next = adopt({ added: list, kept, moved: list });
    const { change } = diff(old, next, newContext());
    const applied = applyPatch(old, roundTrip(change?.node));
    for (const after of [change?.value, applied]) expect(loss(next, after)).toBeUndefined();
  });

  it.each([
    ["members of a Set", (parts: readonly object[]) => new Set(parts)],
    ["keys of a Map", (parts: readonly object[]) => new Map(parts.map((part) => [part, 1]))],
  ])("for %s that are equal and stand beside each other", (_, collectionOf) => {
    const part = { deep: ["a text that is long enough to be worth a reference"] };
    const old = adopt({ all: collectionOf([part]), more: [1, 2, 3] });
    const [first] = old.all.keys();
    if (first === undefined) throw new Error("There is one.");
    for (const parts of [
      [first, structuredClone(part)],
      [structuredClone(part), first, structuredClone(part)],
      [structuredClone(part), structuredClone(part)],
    ]) {
      const next = adopt({ all: collectionOf(parts), more: old.more });
      const { change } = diff(old, next, newContext());
      const made = [applyPatch(old, roundTrip(change?.node)), change?.value] as (typeof next)[];
      expect(made.map(({ all }) => all.size)).toEqual([parts.length, parts.length]);
    }
  });

  it("and is hardly larger than the new value", () => {
    fc.assert(
      fc.property(versions, (all) => {
        for (const [index, next] of all.entries()) {
          const old = all[index - 1];
          const { change } = diff(old, next, newContext());
          if (change === undefined) continue;
          const [size, whole] = [change.node, next].map((each) => serializer.dumpsTyped(each)[1].length);
          expect(size).toBeLessThanOrEqual(1.5 * (whole ?? 0) + 16);
        }
      }),
    );
  });
});

describe("parts that stand in two places on each of 60 levels", () => {
  const nested = (leaf: unknown): unknown => {
    let part = leaf;
    for (let level = 0; level < 60; level++) part = { a: part, b: part };
    return adopt(part);
  };

  it("are looked at once when they are equal", () => {
    expect(diff(nested([1]), nested([1]), newContext()).change).toBeUndefined();
  });

  it.each<[string, unknown, unknown]>([
    ["have changed", nested(["one"]), nested(["two"])],
    ["are a level deeper", nested(["one"]), nested({ a: ["one"], b: 2 })],
    ["are of equal twins", nested([["one"], ["one"]]), nested([["two"], ["one"]])],
  ])("cost no more than the value when they %s", (_, old, next) => {
    const { change } = diff(old, next, newContext());
    expect(serializer.dumpsTyped(change?.node)[1].length).toBeLessThan(
      2 * serializer.dumpsTyped(next)[1].length,
    );
  });
});
