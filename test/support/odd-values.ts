/** Values that are more, or less, than they seem, and what becomes of each when it is stored. */
export interface OddValue {
  readonly name: string;
  readonly make: () => unknown;
}

/** It is refused, and the message says this. */
export interface RefusedValue extends OddValue {
  readonly says: string;
}

/** It is kept, and reads as this one. */
export interface KeptValue extends OddValue {
  readonly as: () => unknown;
}

export class Tags extends Array<string> {}
export class Tally extends Map<string, unknown> {}
class Group extends Set<string> {}
class Moment extends Date {}
class Address extends URL {}
class Pattern extends RegExp {}
class Pixels extends Uint8Array {}
class Memory extends ArrayBuffer {}

const mark = Symbol("mark");
const more = { more: 1 };
const LARGE = "large".repeat(60_000);

const builtIns: Readonly<Record<string, () => object>> = {
  list: () => ["a"],
  "list with an undefined": () => ["a", undefined],
  // oxlint-disable-next-line no-sparse-arrays
  "list with a hole": () => ["a", , "b"],
  "long list": () => Array.from({ length: 300 }, (_, index) => index),
  "list with a large text": () => [LARGE],
  Map: () => new Map([["a", 1]]),
  "Map with a large text": () => new Map([["a", LARGE]]),
  Set: () => new Set(["a"]),
  Date: () => new Date(0),
  URL: () => new URL("https://example.com/"),
  RegExp: () => /a/g,
  ArrayBuffer: () => new ArrayBuffer(2),
  DataView: () => new DataView(new ArrayBuffer(2)),
  Uint8Array: () => new Uint8Array(2),
  Float64Array: () => new Float64Array(2),
};

const withMore = Object.entries(builtIns).flatMap(([name, make]): RefusedValue[] => [
  { name: `a ${name} with a property`, make: () => Object.assign(make(), more), says: "its property more" },
  {
    name: `a ${name} with a symbol`,
    make: () => Object.assign(make(), { [mark]: 1 }),
    says: "its property Symbol(mark)",
  },
]);

const ofSubclasses = [
  () => new Tags("a", "b"),
  () => new Tally([["a", LARGE]]),
  () => new Group(["a"]),
  () => new Moment(0),
  () => new Address("https://example.com/"),
  () => new Pattern("a"),
  () => new Pixels(2),
  () => new Pixels(200_000),
  () => new Memory(2),
].map((make): RefusedValue => {
  const { name } = make().constructor;
  return { name: `a ${name} of a class of its own`, make, says: `class "${name}"` };
});

const looksLike = [Map, Set, Date, URL, RegExp, Uint8Array, ArrayBuffer].map(
  ({ name, prototype }): RefusedValue => ({
    name: `what looks like a ${name}`,
    make: () => Object.create(prototype as object),
    says: `class "${name}"`,
  }),
);

const boxed = [1, "text", true, 1n, mark].map((value): RefusedValue => ({
  name: `a boxed ${typeof value}`,
  make: () => Object(value),
  says: "class",
}));

function givenAway<Bytes extends ArrayBuffer | Uint8Array<ArrayBuffer>>(bytes: Bytes): Bytes {
  structuredClone(bytes, { transfer: [bytes instanceof Uint8Array ? bytes.buffer : bytes] });
  return bytes;
}

export const refused: readonly RefusedValue[] = [
  ...withMore,
  ...ofSubclasses,
  ...looksLike,
  ...boxed,
  { name: "what a pattern matched", make: () => /b/.exec("abc"), says: "its property groups" },
  {
    name: "a list with one far index",
    make: () => Object.assign([1], { 2_000_000_000: 1 }),
    says: "2000000001",
  },
  { name: "bytes that were given away", make: () => givenAway(new Uint8Array(8)), says: "given away" },
  { name: "a buffer that was given away", make: () => givenAway(new ArrayBuffer(8)), says: "given away" },
  { name: "bytes that are shared", make: () => new SharedArrayBuffer(2), says: "SharedArrayBuffer" },
  { name: "an object with a symbol", make: () => ({ [mark]: 1 }), says: "Symbol(mark) is a symbol" },
  {
    name: "an error whose cause is no data",
    make: () => new Error("m", { cause: new Headers() }),
    says: 'class "Headers"',
  },
];

function hidden<Value extends object>(value: Value): Value {
  return Object.defineProperties(value, { hidden: { value: 1 }, [mark]: { value: 1 } });
}

function searched(pattern: RegExp): RegExp {
  pattern.lastIndex = 2;
  return pattern;
}

export const kept: readonly KeptValue[] = [
  // oxlint-disable-next-line no-sparse-arrays
  { name: "a list with holes", make: () => ["a", , "b"], as: () => ["a", undefined, "b"] },
  {
    name: "an object without a prototype",
    make: () => Object.assign(Object.create(null) as object, { a: 1 }),
    as: () => ({ a: 1 }),
  },
  {
    name: "a getter",
    make: () => ({
      get a() {
        return [1];
      },
    }),
    as: () => ({ a: [1] }),
  },
  {
    name: "hidden properties",
    make: () => [hidden({ a: 1 }), hidden(["a"]), hidden(new Map([["a", 1]])), hidden(new URL("a:b"))],
    as: () => [{ a: 1 }, ["a"], new Map([["a", 1]]), new URL("a:b")],
  },
  { name: "a pattern in the middle of a search", make: () => searched(/a/g), as: () => /a/g },
  {
    name: "numbers that JSON loses",
    make: () => [-0, Number.NaN, -Infinity],
    as: () => [-0, Number.NaN, -Infinity],
  },
  {
    name: "half a surrogate pair",
    make: () => ["\ud800", { "\udc00": 1 }],
    as: () => ["\ud800", { "\udc00": 1 }],
  },
  {
    name: "bytes of a shared buffer",
    make: () => new Uint8Array(new SharedArrayBuffer(2)),
    as: () => new Uint8Array(2),
  },
  {
    name: "a part of a buffer",
    make: () => new Uint16Array(new Uint8Array([1, 2, 3, 4, 5, 6]).buffer, 2, 1),
    as: () => new Uint16Array(new Uint8Array([3, 4]).buffer),
  },
  {
    name: "a buffer that can grow",
    make: () => new ArrayBuffer(2, { maxByteLength: 9 }),
    as: () => new ArrayBuffer(2),
  },
  {
    name: "an error with properties",
    make: () =>
      Object.assign(new TypeError("m", { cause: [1n] }), { code: "E", status: 418, at: new Date(0) }),
    as: () => Object.assign(new TypeError("m", { cause: [1n] }), { code: "E", status: 418, at: new Date(0) }),
  },
  {
    name: "an error with the methods and marks of its class",
    make: () => Object.assign(new TypeError("m"), { status: 418, retry: () => 1, [mark]: true }),
    as: () => Object.assign(new TypeError("m"), { status: 418 }),
  },
];
