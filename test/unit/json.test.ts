import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringifyJson } from "../../src/json.ts";
import { value } from "./serde/arbitraries.ts";

describe("JSON text that may have so many characters", () => {
  it("is there for every value whose text has no more", () => {
    fc.assert(
      fc.property(value, (any) => {
        const text = stringifyJson(any);
        expect(stringifyJson(any, text.length)).toBe(text);
      }),
    );
    const odd = { left: undefined, list: [undefined, null, -0, NaN], quoted: '"' };
    expect(stringifyJson(odd, stringifyJson(odd).length)).toBe(stringifyJson(odd));
  });

  it("is not begun for long where it would have more", () => {
    let read = 0;
    let list: unknown = Object.defineProperty({}, "text", {
      enumerable: true,
      get: () => (read++, "x".repeat(100)),
    });
    for (let level = 0; level < 14; level++) list = [list, list];
    expect(() => stringifyJson(list, 1000)).toThrow(RangeError);
    expect(read).toBeLessThan(30);
  });
});
