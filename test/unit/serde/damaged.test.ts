import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_DEPTH } from "../../../src/checkpoint/serde/format.ts";
import { UndecodableError } from "../../../src/errors.ts";
import { graph, value } from "./arbitraries.ts";
import { bytesOf, serializer, thrownBy } from "./support.ts";

const BARE_PROTOTYPE = Object.getOwnPropertyNames(Object.prototype).join();

/** Whatever the bytes are, they are a value or a typed error, and nothing else happens. */
function load(bytes: Uint8Array): unknown {
  try {
    return serializer.loadsTyped("msgpack", bytes);
  } catch (error) {
    if (!(error instanceof UndecodableError)) throw error;
    return error;
  } finally {
    expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(BARE_PROTOTYPE);
  }
}

const mutation = fc.record({
  at: fc.nat(),
  byte: fc.nat(255),
  kind: fc.constantFrom("set", "insert", "remove"),
});

function mutated(
  bytes: Uint8Array,
  mutations: readonly { at: number; byte: number; kind: string }[],
): Uint8Array {
  const changed = [...bytes];
  for (const { at, byte, kind } of mutations) {
    changed.splice(
      at % (changed.length + 1),
      kind === "insert" ? 0 : 1,
      ...(kind === "remove" ? [] : [byte]),
    );
  }
  return Uint8Array.from([1, ...changed.slice(1)]);
}

describe("bytes that may be anything", () => {
  it("are refused or read: random ones", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void load(Uint8Array.from([1, ...bytes]))),
      {
        numRuns: 1500,
      },
    );
  });

  it("are refused or read: tags with random payloads", () => {
    const tag = fc.constantFrom(
      0x81,
      0x91,
      0xa1,
      0xc1,
      0xc4,
      0xc6,
      0xc7,
      0xc8,
      0xc9,
      0xcf,
      0xd4,
      0xd5,
      0xd6,
      0xdb,
      0xdd,
      0xdf,
    );
    const token = fc.oneof(tag, fc.nat(16), fc.nat(255));
    fc.assert(
      fc.property(fc.array(token, { maxLength: 60 }), (bytes) => void load(Uint8Array.from([1, ...bytes]))),
      {
        numRuns: 1500,
      },
    );
  });

  it("are refused or read: valid ones with some bytes changed", () => {
    fc.assert(
      fc.property(
        fc.oneof(value, graph),
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        (before, mutations) => {
          load(mutated(serializer.dumpsTyped({ before })[1], mutations));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("are refused wherever valid ones are cut, and when anything follows", () => {
    fc.assert(
      fc.property(fc.oneof(value, graph), (before) => {
        const [, data] = serializer.dumpsTyped([before]);
        for (let end = 0; end < data.length; end += Math.ceil(data.length / 20)) {
          expect(load(data.subarray(0, end))).toBeInstanceOf(UndecodableError);
        }
        expect(load(Uint8Array.from([...data, 0xc0]))).toBeInstanceOf(UndecodableError);
      }),
    );
  });

  it("are read at any offset in their buffer", () => {
    const [, data] = serializer.dumpsTyped({ a: [1.5, new Float64Array([1]), "text"] });
    const padded = new Uint8Array(data.length + 7);
    padded.set(data, 3);
    expect(load(padded.subarray(3, 3 + data.length))).toEqual({ a: [1.5, new Float64Array([1]), "text"] });
  });
});

describe("damaged bytes are refused", () => {
  it.each<[string, string, string]>([
    ["no bytes at all", "", "cut short"],
    ["a newer format version", "02 c0", "format version 2"],
    ["format version 0", "00 c0", "format version 0"],
    ["only a version", "01", "cut short"],
    ["bytes after the value", "01 c0 c0", "1 bytes follow"],
    ["a tag that MessagePack does not use", "01 c1", "0xc1"],
    ["a tag that this format does not use", "01 cf 0000000000000001", "0xcf"],
    ["an array of 4 billion", "01 dd ffffffff c0", "announces"],
    ["an object of 4 billion", "01 df ffffffff a161 c0", "announces"],
    ["a string of 4 billion bytes", "01 db ffffffff 61", "announces"],
    ["bytes of 4 billion", "01 c6 ffffffff 61", "announces"],
    ["an extension of 4 billion bytes", "01 c9 ffffffff 04", "announces"],
    ["text that is no UTF-8", "01 a2 c328", "damaged"],
    ["a key that is no text", "01 81 c0 c0", "no tag"],
    ["a key that is another extension", "01 81 d4 00 00 c0", "text must be"],
    ["UTF-16 text of odd length", "01 c7 03 0b 00d800", "odd number"],
    ["a reference to nothing", "01 d4 01 00", "refers to object 0"],
    ["a reference to a later object", "01 92 d4 01 01 90", "refers to object 1"],
    ["a reference of no known size", "01 c7 03 01 000000", "damaged"],
    ["a BigInt without digits", "01 d4 02 00", "BigInt"],
    ["a BigInt without a known sign", "01 d5 02 0201", "BigInt"],
    ["a Date of wrong size", "01 d6 03 00000000", "cut short"],
    ["a Date with bytes left", "01 c7 09 03 000000000000000000", "wrong size"],
    ["a Map with a key but no value", "01 92 c7 01 04 c0 c0", "wrong size"],
    ["a RegExp that cannot be", "01 c7 03 06 a128 a0", "damaged"],
    ["a URL that is none", "01 c7 02 07 a161", "damaged"],
    ["a view of an unknown kind", "01 c7 02 08 ff 00", "unknown kind 255"],
    ["a view of half a number", "01 c7 02 08 08 00", "damaged"],
    ["an error of an unknown class", "01 c7 05 0a a4 45766c21", 'class "Evl!"'],
    ["an external reference without a hash", "01 c7 03 0c a0 a0 00", "SHA-256"],
    ["an unknown extension type", "01 d4 63 00", "extension type 99"],
    ["an unknown codec", "01 c7 05 0d a3 666f6f c0", 'codec "foo"'],
    [
      "a codec's instance inside itself",
      "01 c7 11 0d a3 626f78 81 a7 636f6e74656e74 91 d4 01 00",
      "refers to object 0",
    ],
  ])("%s", (_, hex, message) => {
    const error = thrownBy(() => serializer.loadsTyped("msgpack", bytesOf(hex)));
    expect(error).toBeInstanceOf(UndecodableError);
    expect(error).toMatchObject({ code: "undecodable", message: expect.stringContaining(message) });
  });

  it("keep the cause", () => {
    const error = thrownBy(() => serializer.loadsTyped("msgpack", bytesOf("01 c7 03 06 a128 a0")));
    expect(error).toMatchObject({ cause: expect.any(SyntaxError) });
  });

  it.each<[string, number[]]>([
    ["arrays", [0x91]],
    ["objects", [0x81, 0xa0]],
    ["error causes", [0xc9, 0, 0xff, 0xff, 0xff, 0x0a, 0xa5, 0x45, 0x72, 0x72, 0x6f, 0x72, 0xa1, 0x61]],
  ])("that nest %s without end, without a crash", (_, level) => {
    const bytes = Uint8Array.from([1, ...Array.from({ length: 60_000 / level.length }, () => level).flat()]);
    expect(() => serializer.loadsTyped("msgpack", bytes)).toThrow(UndecodableError);
  });

  it("that nest one level too deep, and no sooner", () => {
    const nested = (levels: number) => Uint8Array.from([1, ...Array<number>(levels).fill(0x91), 0xc0]);
    expect(serializer.loadsTyped("msgpack", nested(MAX_DEPTH))).toEqual([expect.any(Array)]);
    expect(() => serializer.loadsTyped("msgpack", nested(MAX_DEPTH + 1))).toThrow(`${MAX_DEPTH} levels`);
  });

  it("that hold half of a key that was read before", () => {
    expect(serializer.loadsTyped("msgpack", bytesOf("01 81 a2 c383 01"))).toEqual({ "\u00c3": 1 });
    expect(() => serializer.loadsTyped("msgpack", bytesOf("01 81 a1 c3 01"))).toThrow(UndecodableError);
  });

  it("that announce far more than they hold, before anything is allocated for it", () => {
    const announced = ["dd", "df", "db", "c6", "c9"].map(
      (tag) => `01 ${tag} 7fffffff ${tag === "c9" ? "09" : ""} c0`,
    );
    const before = process.memoryUsage();
    for (const hex of announced) {
      for (let times = 0; times < 200; times++) expect(load(bytesOf(hex))).toBeInstanceOf(UndecodableError);
    }
    const { arrayBuffers, heapTotal } = process.memoryUsage();
    expect(arrayBuffers - before.arrayBuffers).toBeLessThan(64 * 1024 * 1024);
    expect(heapTotal - before.heapTotal).toBeLessThan(256 * 1024 * 1024);
  });

  it("under a type that is unknown or does not go with the data", () => {
    expect(() => serializer.loadsTyped("json", "{}")).toThrow('type "json" is unknown');
    expect(() => serializer.loadsTyped("__proto__", new Uint8Array(0))).toThrow(UndecodableError);
    expect(() => serializer.loadsTyped("msgpack", "text")).toThrow(UndecodableError);
    expect(() => serializer.loadsTyped("bytes", "text")).toThrow(UndecodableError);
    expect(() => serializer.loadsTyped("null", new Uint8Array(1))).toThrow(UndecodableError);
  });

  it("as is a prototype in the guise of a key", () => {
    const loaded = serializer.loadsTyped("msgpack", bytesOf("01 81 a9 5f5f70726f746f5f5f 81 a1 78 01"));
    expect(Object.getPrototypeOf(loaded)).toBe(Object.prototype);
    expect(Object.keys(Object(loaded))).toEqual(["__proto__"]);
    expect(Object(loaded).x).toBeUndefined();
  });
});
