import { describe, expect, it } from "vitest";
import { roundTrip } from "./support.ts";

/** What LangGraph's serializer is publicly known to lose; the ids are those of our list of cases. */
describe("public bugs", () => {
  it("SER-01: a BigInt is kept, and what is beside it", () => {
    expect(roundTrip({ v: { id: 10n, keep: "x" } })).toEqual({ v: { id: 10n, keep: "x" } });
  });

  it("SER-03: a Date stays a Date, an invalid one stays invalid", () => {
    const loaded = roundTrip({ at: new Date(0), bad: new Date(Number.NaN) });
    expect(loaded).toEqual({ at: new Date(0), bad: new Date(Number.NaN) });
    expect(loaded).toMatchObject({ at: expect.any(Date), bad: expect.any(Date) });
  });

  it("SER-05: an error keeps class, name, code, cause and the list of an AggregateError", () => {
    const error = Object.assign(
      new TypeError("m", { cause: new Error("inner", { cause: new RangeError("root") }) }),
      { code: "E1" },
    );
    const loaded = roundTrip(error);
    expect(loaded).toBeInstanceOf(TypeError);
    expect(loaded).toMatchObject({ name: "TypeError", message: "m", code: "E1" });
    expect(loaded).toMatchObject({
      cause: { message: "inner", cause: { name: "RangeError", message: "root" } },
    });

    const aggregate = roundTrip(new AggregateError([new Error("a"), new TypeError("b")], "all"));
    expect(aggregate).toBeInstanceOf(AggregateError);
    expect(aggregate).toMatchObject({
      message: "all",
      errors: [{ message: "a" }, { name: "TypeError", message: "b" }],
    });
  });

  it("SER-07: a cycle is a cycle again", () => {
    const value: Record<string, unknown> = { a: 1 };
    value["self"] = value;
    const loaded = roundTrip({ v: value });
    expect(loaded).toMatchObject({ v: { a: 1 } });
    const again = Object(loaded).v;
    expect(again.self).toBe(again);
    expect(Object.keys(value)).toEqual(["a", "self"]);
  });

  it("SER-09: typed arrays and buffers keep class and bytes", () => {
    const value = {
      f: new Float64Array([1.5, -0]),
      i: new Int32Array([1, 2]),
      b: new Uint8Array([1, 2]).buffer,
    };
    const loaded = roundTrip(value);
    expect(loaded).toStrictEqual(value);
    expect(Object(loaded).b).toBeInstanceOf(ArrayBuffer);
  });

  it("SER-11: an undefined is told apart from nothing, in objects and arrays", () => {
    expect(roundTrip({ v: undefined })).toStrictEqual({ v: undefined });
    expect(roundTrip([1, undefined, 3])).toStrictEqual([1, undefined, 3]);
  });

  it("SER-13: own keys named __proto__, constructor and prototype are data", () => {
    const value: unknown = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"z":1}},"prototype":2,"a":1}',
    );
    const loaded = Object(roundTrip({ v: value })).v;
    expect(Object.keys(loaded)).toEqual(["__proto__", "constructor", "prototype", "a"]);
    expect(Object.getPrototypeOf(loaded)).toBe(Object.prototype);
    expect(loaded.polluted).toBeUndefined();
    expect(Object.getOwnPropertyDescriptor(loaded, "__proto__")?.value).toEqual({ polluted: 1 });
    expect(Object({}).polluted).toBeUndefined();
    expect(Object({}).z).toBeUndefined();
  });
});
