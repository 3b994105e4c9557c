import { describe, expect, it } from "vitest";
import { ExternalReference } from "../../../src/checkpoint/serde/external-reference.ts";
import { EXTENSION } from "../../../src/checkpoint/serde/format.ts";
import { difference } from "./same.ts";
import { Box, bytesOf, hexOf, serializer } from "./support.ts";

/** One value that holds every type. Built in a function, as cycles cannot be written down. */
function everything(): object {
  const shared = { shared: true };
  const value: Record<string, unknown> = {
    simple: [null, undefined, true, false, "", "text", "é", "\ud800", "x".repeat(40)],
    numbers: [
      0,
      127,
      128,
      256,
      65536,
      4294967296,
      -1,
      -32,
      -33,
      -129,
      -32769,
      0.5,
      -0,
      NaN,
      Infinity,
      -Infinity,
    ],
    bigints: [0n, -1n, 2n ** 64n],
    dates: [new Date(1_700_000_000_000), new Date(Number.NaN)],
    map: new Map<unknown, unknown>([
      ["k", 1],
      [shared, new Map()],
    ]),
    set: new Set<unknown>(["m", shared]),
    regexp: /a[/]b/giu,
    url: new URL("https://example.com/a?b=c"),
    binary: [
      new Uint8Array([1, 2]),
      new Uint8Array([3]).buffer,
      new DataView(new Uint8Array([4]).buffer),
      new Int8Array([-1]),
      new Uint8ClampedArray([255]),
      new Int16Array([-2]),
      new Uint16Array([2]),
      new Int32Array([-3]),
      new Uint32Array([3]),
      new Float32Array([0.5]),
      new Float64Array([0.25]),
      new BigInt64Array([-4n]),
      new BigUint64Array([4n]),
    ],
    errors: [
      Object.assign(new TypeError("m", { cause: new Error("inner") }), { code: "E1", status: 503 }),
      new AggregateError([new RangeError("r")], "all"),
    ],
    reference: new ExternalReference("string", "0123456789abcdef".repeat(4), 200_000),
    instance: new Box(shared),
    shared,
  };
  Object.defineProperty(value, "__proto__", {
    value: 1,
    enumerable: true,
    writable: true,
    configurable: true,
  });
  value["self"] = value;
  return value;
}

/** Written by format version 1. It is never changed: stored data of that version must stay readable. */
const VERSION_1 = `
018fa673696d706c6599c0d40000c3c2a0a474657874a2c3a9c7020b00d8d9287878787878787878787878787878787878787878
7878787878787878787878787878787878787878a76e756d62657273dc0010007fcc80cd0100ce00010000cb41f0000000000000
ffe0d0dfd1ff7fd2ffff7fffcb3fe0000000000000cb8000000000000000cb7ff8000000000000cb7ff0000000000000cbfff000
0000000000a7626967696e747393c702020000c702020101c70a0200010000000000000000a5646174657392c708034278bcfe56
800000c708037ff8000000000000a36d6170c70f04a16b0181a6736861726564c3c70004a3736574c70505a16dd40108a6726567
657870c70a06a5615b2f5d62a3676975a375726cc71a07b968747470733a2f2f6578616d706c652e636f6d2f613f623d63a66269
6e6172799dc4020102c7010903c702080004c7020801ffc7020802ffc7030803feffc70308040200c7050805fdffffffc7050806
03000000c70508070000003fc7090808000000000000d03fc7090809fcffffffffffffffc709080a0400000000000000a6657272
6f727392c7430aa9547970654572726f72a76d657373616765a16da4636f6465a24531a56361757365c7140aa54572726f72a76d
657373616765a5696e6e6572a6737461747573cd01f7c73b0aae4167677265676174654572726f72a76d657373616765a3616c6c
a66572726f727391c7150aaa52616e67654572726f72a76d657373616765a172a97265666572656e6365c74e0ca6737472696e67
d9403031323334353637383961626364656630313233343536373839616263646566303132333435363738396162636465663031
3233343536373839616263646566ce00030d40a8696e7374616e6365c7100da3626f7881a7636f6e74656e74d40108a673686172
6564d40108a95f5f70726f746f5f5f01a473656c66d40100
`;

const shared = {};

/** One value for each extension type, in bytes of version 1: a type that is added needs one too. */
const BY_EXTENSION = {
  undefined: [undefined, "01 d40000"],
  reference: [[shared, shared], "01 92 80 d40101"],
  bigint: [-258n, "01 c70302 01 0102"],
  date: [new Date(1_700_000_000_000), "01 c70803 4278bcfe56800000"],
  map: [
    new Map<unknown, unknown>([
      ["k", 1],
      [2, "v"],
    ]),
    "01 c70604 a16b 01 02 a176",
  ],
  set: [new Set(["m"]), "01 c70205 a16d"],
  regexp: [/a[/]b/giu, "01 c70a06 a5615b2f5d62 a3676975"],
  url: [
    new URL("https://example.com/a?b=c"),
    "01 c71a07 b968747470733a2f2f6578616d706c652e636f6d2f613f623d63",
  ],
  view: [new Float32Array([0.5]), "01 c70508 07 0000003f"],
  arrayBuffer: [new Uint8Array([3]).buffer, "01 c70109 03"],
  error: [
    Object.assign(new TypeError("m", { cause: 1 }), { code: "E1" }),
    "01 c7230a a9547970654572726f72 a76d657373616765 a16d a4636f6465 a24531 a56361757365 01",
  ],
  utf16: ["\ud800", "01 c7020b 00d8"],
  externalReference: [
    new ExternalReference("text", "0123456789abcdef".repeat(4), 200_000),
    `01 c74c0c a474657874 d940 ${hexOf(new TextEncoder().encode("0123456789abcdef".repeat(4)))} ce00030d40`,
  ],
  custom: [new Box(1), "01 c70e0d a3626f78 81 a7636f6e74656e74 01"],
} satisfies Record<keyof typeof EXTENSION, readonly [value: unknown, hex: string]>;

describe("format version 1", () => {
  it.each(Object.entries(BY_EXTENSION))("has the extension type %s", (_, [value, hex]) => {
    expect(difference(value, serializer.loadsTyped("msgpack", bytesOf(hex)))).toBeUndefined();
    expect(hexOf(serializer.dumpsTyped(value)[1])).toBe(hex.replaceAll(" ", ""));
  });

  it("gives every extension type a number of its own", () => {
    const numbers = Object.values(EXTENSION);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(Object.keys(BY_EXTENSION).toSorted()).toEqual(Object.keys(EXTENSION).toSorted());
  });

  it("is read as what was written", () => {
    expect(difference(everything(), serializer.loadsTyped("msgpack", bytesOf(VERSION_1)))).toBeUndefined();
  });

  /** To be dropped when a later version is written. */
  it("is what is written", () => {
    expect(hexOf(serializer.dumpsTyped(everything())[1])).toBe(VERSION_1.replaceAll("\n", ""));
  });
});
