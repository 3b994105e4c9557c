import { describe, expect, it } from "vitest";
import { ExternalReference } from "../../../src/checkpoint/serde/external-reference.ts";
import { difference } from "./same.ts";
import { Box, boxCodec, roundTrip, serializer } from "./support.ts";

const longText = "日本語 é 🎉 ".repeat(200);

const examples: Record<string, unknown> = {
  null: null,
  undefined,
  booleans: [true, false],
  "numbers that JSON loses": [NaN, Infinity, -Infinity, -0],
  integers: [
    0,
    127,
    128,
    255,
    256,
    65535,
    65536,
    2 ** 31,
    2 ** 32 - 1,
    2 ** 32,
    Number.MAX_SAFE_INTEGER,
    2 ** 60,
  ],
  "negative integers": [
    -1,
    -32,
    -33,
    -128,
    -129,
    -32768,
    -32769,
    -(2 ** 31),
    -(2 ** 31) - 1,
    Number.MIN_SAFE_INTEGER,
  ],
  doubles: [0.1, Math.PI, 5e-324, 1.7976931348623157e308],
  strings: [
    "",
    "a",
    "x".repeat(31),
    "x".repeat(32),
    "x".repeat(255),
    "x".repeat(256),
    "x".repeat(65536),
    longText,
  ],
  "text with a byte order mark": "\ufeffa",
  "short text beyond ASCII": ["é", "日", "🎉", "é".repeat(16), "é".repeat(31), "日".repeat(90)],
  "lone surrogates": ["\ud800", "a\udfff", "\udc00\ud800", `${longText}\ud800`, { "\ud800": 1 }],
  "text over a megabyte": `${"x".repeat(2 ** 20)}é`,
  bigints: [0n, 1n, -1n, 255n, 256n, 2n ** 64n, -(2n ** 64n), 3n ** 999n],
  dates: [new Date(0), new Date(-1), new Date(8.64e15), new Date(Number.NaN)],
  maps: new Map<unknown, unknown>([
    ["a", 1],
    [1, "a"],
    [{ k: 1 }, new Map()],
    [NaN, -0],
    [undefined, null],
  ]),
  sets: new Set<unknown>([1, "1", [1], new Set([undefined]), NaN]),
  regexps: [/a\/b[/]/gi, /(?:)/, /é\u{1f389}/su, /x/dmy],
  urls: new URL("https://user@example.com:8080/a%20b?q=é#f"),
  bytes: { bytes: new Uint8Array([0, 255]), empty: new Uint8Array(0), more: new Uint8Array(300).fill(7) },
  "typed arrays": [
    new Int8Array([-1]),
    new Uint8ClampedArray([255]),
    new Int16Array([-2]),
    new Uint16Array([65535]),
    new Int32Array([-3]),
    new Uint32Array([2 ** 32 - 1]),
    new Float32Array([1.5, NaN]),
    new Float64Array([-0, Math.PI]),
    new BigInt64Array([-(2n ** 63n)]),
    new BigUint64Array([2n ** 64n - 1n]),
    new DataView(new Uint8Array([1, 2, 3]).buffer),
    new Uint8Array([4, 5]).buffer,
  ],
  "external references": new ExternalReference("string", "0123456789abcdef".repeat(4), 200_000),
  instances: [new Box(1), { box: new Box([new Box(new Map([[1, new Date(1)]]))]) }],
  "keys in their order": { z: 1, a: 2, 2: 3, 1: 4, "": 5 },
  "frozen objects": Object.freeze({
    list: Object.freeze([Object.freeze(new Map([[1, Object.freeze({})]]))]),
  }),
};

describe("MsgpackSerializer", () => {
  it.each(Object.entries(examples))("keeps %s", (_, value) => {
    expect(difference(value, roundTrip(value))).toBeUndefined();
    expect(difference({ in: [value] }, roundTrip({ in: [value] }))).toBeUndefined();
  });

  it("keeps what has more parts than two bytes can count", () => {
    const numbers = Array.from({ length: 70_000 }, (_, index) => index - 35_000);
    expect(roundTrip(numbers)).toEqual(numbers);
    const keys = Object.fromEntries(numbers.map((number) => [`key ${number}`, number]));
    expect(Object.entries(Object(roundTrip(keys)))).toEqual(Object.entries(keys));
    const bytes = new Uint8Array(70_000).fill(7);
    expect(roundTrip([bytes])).toEqual([bytes]);
  });

  it("tags null and bytes, which have a form of their own, and all else as msgpack", () => {
    expect(serializer.dumpsTyped(null)).toEqual(["null", new Uint8Array(0)]);
    expect(serializer.dumpsTyped(new Uint8Array([1, 2]))).toEqual(["bytes", new Uint8Array([1, 2])]);
    for (const value of [undefined, 0, "", [], {}, new Date(0)])
      expect(serializer.dumpsTyped(value)[0]).toBe("msgpack");
  });

  it("stores only the viewed bytes of a view", () => {
    const buffer = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]).buffer;
    const views = [new Uint8Array(buffer, 1, 2), new Int16Array(buffer, 2, 1), new DataView(buffer, 3, 4)];
    expect(roundTrip(views)).toEqual([
      new Uint8Array([2, 3]),
      new Int16Array(buffer.slice(2, 4)),
      new DataView(buffer.slice(3, 7)),
    ]);
    expect(roundTrip(views[0])).toEqual(new Uint8Array([2, 3]));
  });

  it("stores a Buffer of Node as the bytes that it holds", () => {
    const buffer = Buffer.from("abc");
    expect(difference(new Uint8Array([97, 98, 99]), roundTrip(buffer))).toBeUndefined();
    expect(difference([new Uint8Array([97, 98, 99])], roundTrip([buffer]))).toBeUndefined();
  });

  it.skipIf(!("Float16Array" in globalThis))("keeps a Float16Array, where there is one", () => {
    const Float16 = Object(Reflect.get(globalThis, "Float16Array"));
    const loaded = roundTrip({ half: new Float16([1.5, -0]) });
    expect(loaded).toEqual({ half: new Float16([1.5, -0]) });
  });

  it("hands out bytes that nobody else holds", () => {
    const given = new Uint8Array([1, 2]);
    const [type, data] = serializer.dumpsTyped(given);
    const loaded = serializer.loadsTyped(type, data);
    given[0] = 9;
    expect(data).toEqual(new Uint8Array([1, 2]));
    data[0] = 9;
    expect(loaded).toEqual(new Uint8Array([1, 2]));
  });

  it("does not overwrite what it returned when it is used again", () => {
    const [, first] = serializer.dumpsTyped({ a: "first" });
    const before = first.slice();
    serializer.dumpsTyped({ b: "second", c: "x".repeat(3_000_000) });
    serializer.dumpsTyped({ d: "third" });
    expect(first).toEqual(before);
    expect(first.buffer.byteLength).toBe(first.byteLength);
  });

  it("can be used again inside of a getter", () => {
    const inner = { a: [1, 2, 3] };
    let innerBytes = new Uint8Array(0);
    const outer = {
      before: "x".repeat(100),
      get now() {
        innerBytes = serializer.dumpsTyped(inner)[1].slice();
        return "now";
      },
    };
    expect(roundTrip(outer)).toEqual({ before: "x".repeat(100), now: "now" });
    expect(serializer.loadsTyped("msgpack", innerBytes)).toEqual(inner);
  });

  it("reads holes as undefined and getters as their values, and gives objects without a prototype one", () => {
    // oxlint-disable-next-line no-sparse-arrays
    expect(difference(roundTrip([1, , 3]), [1, undefined, 3])).toBeUndefined();
    const bare: unknown = Object.assign(Object.create(null), { a: 1 });
    expect(difference(roundTrip(bare), { a: 1 })).toBeUndefined();
    const twice = {
      half: 2,
      get whole() {
        return this.half * 2;
      },
    };
    expect(difference(roundTrip(twice), { half: 2, whole: 4 })).toBeUndefined();
  });

  it("does not call toJSON", () => {
    class Money {
      toJSON(): string {
        return "money";
      }
    }
    expect(() => roundTrip(new Money())).toThrow("Money");
    expect(() => roundTrip({ toJSON: () => "json" })).toThrow("toJSON");
    expect(roundTrip({ toJSON: "data" })).toEqual({ toJSON: "data" });
  });

  it("takes nothing in user data for a mark of its own", () => {
    const lookalikes = [
      { lc: 2, type: "undefined" },
      { lc: 1, type: "constructor", id: ["evil", "x"], kwargs: {} },
      { type: 1, data: new Uint8Array([0]) },
      { $ref: 0, name: boxCodec.name, content: 1 },
      ["box", { content: 1 }],
      { kind: "string", hash: "0".repeat(64), size: 1 },
    ];
    expect(difference(lookalikes, roundTrip(lookalikes))).toBeUndefined();
  });
});
