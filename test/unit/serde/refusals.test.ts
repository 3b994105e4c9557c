import { describe, expect, it } from "vitest";
import { MAX_DEPTH } from "../../../src/checkpoint/serde/format.ts";
import { UnserializableError } from "../../../src/errors.ts";
import { Box, roundTrip, serializer, thrownBy } from "./support.ts";

class Money {
  readonly amount = 1;
}
class Tally extends Map<string, number> {}
class Row extends Array<number> {}

function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = "innermost";
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}

describe("what cannot be stored is refused", () => {
  it.each<[string, unknown, (string | number)[], string]>([
    ["a function", { a: [{ b: () => 1 }] }, ["a", 0, "b"], "a function cannot be stored; leave it out"],
    ["a symbol", [1, Symbol("s")], [1], "a symbol cannot be stored"],
    ["a symbol key", { a: { [Symbol("s")]: 1 } }, ["a"], "key Symbol(s) is a symbol"],
    ["a Promise", { p: Promise.resolve(1) }, ["p"], "await it first"],
    ["a WeakMap", [new WeakMap()], [0], "use a Map"],
    ["a WeakSet", [new WeakSet()], [0], "use a Set"],
    [
      "an instance",
      { m: [0, new Money()] },
      ["m", 1],
      'class "Money"; return plain data, or register a codec',
    ],
    [
      "a nameless class",
      {
        m: new (class {
          readonly a = 1;
        })(),
      },
      ["m"],
      "a class without a name",
    ],
    ["a subclass of Map", new Tally(), [], 'class "Tally"'],
    ["a subclass of Array", { r: new Row() }, ["r"], 'class "Row"'],
    ["a prototype of one's own", [Object.create({ inherited: 1 })], [0], "a prototype of its own"],
    ["a boxed number", [Object(1)], [0], 'class "Number"'],
    ["a generator", [(function* () {})()], [0], "a prototype of its own"],
    ["headers", { h: new Headers() }, ["h"], 'class "Headers"'],
    ["a value of a Map under a text", new Map([["k", { f: () => 1 }]]), ["k", "f"], "a function"],
    [
      "a value of a Map under another key",
      new Map<unknown, unknown>([[0, 1]]).set(7, Symbol("s")),
      [1],
      "a symbol",
    ],
    ["a key of a Map", new Map<unknown, unknown>([[0, 1]]).set(() => 1, 1), [1], "a function"],
    ["a member of a Set", { s: new Set([1, new Money()]) }, ["s", 1], "Money"],
    ["a part that a codec gave", { b: new Box({ f: () => 1 }) }, ["b", "content", "f"], "a function"],
    ["the root", () => 1, [], "at its root"],
    [
      "something after other parts",
      { a: { b: [1, 2, { c: 3 }] }, d: [new Date(), Symbol("s")] },
      ["d", 1],
      "a symbol",
    ],
    [
      "what only looks like a Date",
      { a: [1], d: Object.create(Date.prototype) },
      ["d"],
      'class "Date" alone',
    ],
    ["a Date with a property", [Object.assign(new Date(0), { tz: "UTC" })], [0], "property tz would be lost"],
    ["bytes with a property", Object.assign(new Uint8Array(1), { unit: "px" }), [], "property unit"],
  ])("%s", (_, value, path, message) => {
    const error = thrownBy(() => serializer.dumpsTyped(value));
    expect(error).toBeInstanceOf(UnserializableError);
    expect(error).toMatchObject({ code: "unserializable", path, message: expect.stringContaining(message) });
  });

  it("a getter that throws, with what it threw", () => {
    const cause = new Error("not now");
    const value = {
      a: [
        {
          get b() {
            throw cause;
          },
        },
      ],
    };
    expect(thrownBy(() => serializer.dumpsTyped(value))).toMatchObject({
      code: "unserializable",
      path: ["a", 0, "b"],
      cause,
    });
  });

  it("and the serializer can be used after that", () => {
    expect(() => serializer.dumpsTyped([() => 1])).toThrow(UnserializableError);
    expect(roundTrip([{ a: 1 }])).toEqual([{ a: 1 }]);
  });

  it("and a symbol key that is not enumerable is passed over, as other hidden properties are", () => {
    const value = Object.defineProperty({ a: 1 }, Symbol("hidden"), { value: 1 });
    expect(roundTrip(Object.defineProperty(value, "hidden", { value: 1 }))).toEqual({ a: 1 });
  });

  it("a sparse array of absurd length, before it fills the memory", () => {
    const sparse: unknown[] = [];
    sparse.length = 2 ** 32 - 1;
    const error = thrownBy(() => serializer.dumpsTyped(new Map([["a", sparse]])));
    expect(error).toMatchObject({ code: "unserializable", path: ["a"] });
    expect(String(error)).toContain("nearly all of its 4294967295 places are empty");
  });
});

describe("nesting", () => {
  it.each<[string, (inner: unknown) => unknown]>([
    ["objects", (inner) => ({ inner })],
    ["arrays", (inner) => [inner]],
    ["Maps", (inner) => new Map([["inner", inner]])],
    ["Sets", (inner) => new Set([inner])],
    ["causes", (cause) => new Error("m", { cause })],
    ["instances", (inner) => new Box([inner])],
  ])("of %s is kept up to the limit and refused beyond it", (name, wrap) => {
    const levels = name === "instances" ? Math.floor(MAX_DEPTH / 3) : MAX_DEPTH;
    expect(() => roundTrip(nested(levels, wrap))).not.toThrow();
    const error = thrownBy(() => serializer.dumpsTyped(nested(levels + 1, wrap)));
    expect(error).toMatchObject({
      code: "unserializable",
      message: expect.stringContaining(`${MAX_DEPTH} levels`),
    });
  });

  it("may be far deeper without a crash", () => {
    expect(() => serializer.dumpsTyped(nested(200_000, (inner) => [inner]))).toThrow(UnserializableError);
  });
});
