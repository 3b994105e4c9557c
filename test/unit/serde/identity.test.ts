import { describe, expect, it } from "vitest";
import { ExternalReference } from "../../../src/checkpoint/serde/external-reference.ts";
import { difference } from "./same.ts";
import { Box, roundTrip } from "./support.ts";

describe("identity inside one dump", () => {
  it.each<[string, object]>([
    ["an object", { a: 1 }],
    ["an array", [1]],
    ["a Map", new Map([[1, 2]])],
    ["a Set", new Set([1])],
    ["a Date", new Date(5)],
    ["a RegExp", /a/g],
    ["a URL", new URL("https://example.com")],
    ["an error", new TypeError("m")],
    ["bytes", new Uint8Array([1])],
    ["a typed array", new Float64Array([1])],
    ["an ArrayBuffer", new Uint8Array([1]).buffer],
    ["an external reference", new ExternalReference("bytes", "f".repeat(64), 3)],
    ["an instance with a codec", new Box({})],
  ])("is kept for %s that comes up several times", (_, shared) => {
    const value = [shared, { again: shared }, new Map([[shared, shared]]), new Set([shared])];
    expect(difference(value, roundTrip(value))).toBeUndefined();
  });

  it("is not made up for parts that are merely equal", () => {
    const value = [{}, {}, [], [], new Date(0), new Date(0)];
    expect(difference(value, roundTrip(value))).toBeUndefined();
  });

  it("is kept for many objects, beyond one and two bytes of numbers", () => {
    const objects = Array.from({ length: 66_000 }, () => ({}));
    const loaded = Object(roundTrip({ objects, again: [objects[5], objects[300], objects[65_999]] }));
    expect(loaded.again[0]).toBe(loaded.objects[5]);
    expect(loaded.again[1]).toBe(loaded.objects[300]);
    expect(loaded.again[2]).toBe(loaded.objects[65_999]);
  });
});

describe("cycles", () => {
  it("through every kind of object that has parts", () => {
    const object: Record<string, unknown> = {};
    const array: unknown[] = [object];
    const map = new Map<unknown, unknown>([[array, 1]]);
    const set = new Set<unknown>([map]);
    const error = Object.assign(new Error("m", { cause: set }), { self: {} });
    map.set(map, map);
    set.add(set);
    array.push(array);
    error.self = error;
    const aggregate = new AggregateError([error], "all");
    aggregate.errors.push(aggregate);
    object["back"] = aggregate;
    expect(difference(object, roundTrip(object))).toBeUndefined();
  });

  it("through a plain object in the parts of an instance, but not through the instance", () => {
    const inner: Record<string, unknown> = {};
    inner["self"] = inner;
    expect(difference(new Box(inner), roundTrip(new Box(inner)))).toBeUndefined();

    const outer: Record<string, unknown> = {};
    outer["box"] = new Box([outer]);
    expect(difference(outer, roundTrip(outer))).toBeUndefined();
  });
});
