import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { graph, value } from "./arbitraries.ts";
import { difference } from "./same.ts";
import { roundTrip, serializer } from "./support.ts";

describe("MsgpackSerializer gives back what it was given", () => {
  it("for every type in every other", () => {
    fc.assert(
      fc.property(value, (before) => {
        expect(difference(before, roundTrip(before))).toBeUndefined();
      }),
      { numRuns: 400 },
    );
  });

  it("with cycles and shared parts", () => {
    fc.assert(
      fc.property(graph, (before) => {
        expect(difference(before, roundTrip(before))).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  it("and writes the same bytes for what it read", () => {
    fc.assert(
      fc.property(graph, (before) => {
        const [, data] = serializer.dumpsTyped(before);
        expect(serializer.dumpsTyped(serializer.loadsTyped("msgpack", data))[1]).toEqual(data);
      }),
    );
  });
});
