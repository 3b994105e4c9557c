import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareCheckpointIds, compareCodePoints } from "../../../src/checkpoint/ordering.ts";

const text = fc.string({ unit: "binary" });

describe("compareCodePoints", () => {
  it("is the order of the UTF-8 bytes", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareCodePoints(a, b))).toBe(Math.sign(compareBytes(a, b)));
      }),
    );
  });
});

describe("compareCheckpointIds", () => {
  it("is text order for UUIDs", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (a, b) => {
        expect(Math.sign(compareCheckpointIds(a, b))).toBe(a < b ? -1 : Number(a > b));
      }),
    );
  });

  it("puts ids that are not UUIDs first", () => {
    fc.assert(
      fc.property(fc.uuid(), text, (uuid, other) => {
        expect(compareCheckpointIds(other, uuid)).toBeLessThan(0);
        expect(compareCheckpointIds(uuid, uuid.toUpperCase())).toBeGreaterThanOrEqual(
          /[a-f]/.test(uuid) ? 1 : 0,
        );
      }),
    );
  });
});

function compareBytes(a: string, b: string): number {
  const [x, y] = [new TextEncoder().encode(a), new TextEncoder().encode(b)];
  const difference = x.findIndex((byte, index) => byte !== y[index]);
  if (difference === -1) return x.length - y.length;
  return (x[difference] ?? 0) - (y[difference] ?? -1);
}
