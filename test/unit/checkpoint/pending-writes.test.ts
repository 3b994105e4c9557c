import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INTERRUPT, RESUME } from "../../../src/checkpoint/constants.ts";
import { mergeTaskWrites, positionWrites } from "../../../src/checkpoint/pending-writes.ts";

const channel = fc.constantFrom("a", "b", "constructor", "__proto__", INTERRUPT, RESUME);
const call = fc.array(fc.tuple(channel, fc.integer()), { maxLength: 5 });

describe("mergeTaskWrites", () => {
  it("keeps the first ordinary write and the last special one of each position", () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 4 }), (calls) => {
        const model = new Map<string, readonly [string, number]>();
        let merged = positionWrites("", []);
        for (const writes of calls) {
          merged = mergeTaskWrites(merged, positionWrites("", writes));
          for (const [position, write] of writes.entries()) {
            const special = write[0] === INTERRUPT || write[0] === RESUME;
            const key = special ? write[0] : String(position);
            if (special || !model.has(key)) model.set(key, write);
          }
        }
        const stored = merged.writes.map(({ channel: name, value }) => [name, value]);
        expect(stored).toHaveLength(model.size);
        expect(stored).toEqual(expect.arrayContaining(Array.from(model.values())));
        expect(merged.writes.map(({ index }) => index)).toEqual(
          merged.writes.map(({ index }) => index).toSorted((a, b) => a - b),
        );
      }),
    );
  });

  it("does not change its arguments", () => {
    const stored = Object.freeze(positionWrites("p", [["a", 1]]));
    Object.freeze(stored.writes);
    expect(mergeTaskWrites(stored, positionWrites("", [[INTERRUPT, 2]])).writes).toHaveLength(2);
    expect(stored.writes).toHaveLength(1);
  });
});
