import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { registerCodec } from "../../src/checkpoint/serde/registered-codecs.ts";
import { UnserializableError } from "../../src/errors.ts";
import {
  adopt,
  adoptDerived,
  adoptedCopy,
  adoptOwned,
  handOut,
  isAdopted,
  isConstant,
  isMutable,
} from "../../src/values/adopt.ts";
import { edits } from "./patch/edits.ts";
import { loss } from "./serde/same.ts";

const scalar = fc.oneof(
  fc.integer(),
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
  fc.bigInt(),
);
const opaque = fc.oneof(
  fc.uint8Array({ maxLength: 4 }),
  fc.constantFrom(/a/g, new URL("https://example.com/")),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.date(),
    opaque,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.string({ maxLength: 3 }), fc.constant("__proto__")), tie("value"), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
    fc.array(fc.tuple(scalar, tie("value")), { maxLength: 3 }).map((entries) => new Map(entries)),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => new Set(items)),
  ),
}));

/** All objects in a value, itself included. */
function partsOf(root: unknown, found = new Set<object>()): Set<object> {
  if (typeof root !== "object" || root === null || found.has(root)) return found;
  found.add(root);
  if (root instanceof Map) for (const entry of root) entry.forEach((part) => partsOf(part, found));
  else if (root instanceof Set) for (const part of root) partsOf(part, found);
  else if (!ArrayBuffer.isView(root)) for (const part of Object.values(root)) partsOf(part, found);
  return found;
}

const canBeFrozen = (part: object): boolean =>
  Array.isArray(part) ||
  part instanceof Map ||
  part instanceof Set ||
  part instanceof Date ||
  Object.getPrototypeOf(part) === Object.prototype;

describe("adopt", () => {
  it("makes an equal value of which nothing is the caller's, and nothing can change", () => {
    fc.assert(
      fc.property(value, (given) => {
        const before = partsOf(given);
        const adopted = adopt(given);
        expect(adopted).toStrictEqual(given);
        for (const part of partsOf(adopted)) {
          expect(before.has(part)).toBe(false);
          expect(isAdopted(part)).toBe(true);
          if (canBeFrozen(part)) expect(Object.isFrozen(part)).toBe(true);
        }
        for (const part of before) expect(Object.isFrozen(part)).toBe(false);
      }),
    );
  });

  it("keeps what is adopted already, so that the cost is that of what is new", () => {
    fc.assert(
      fc.property(value, value, (first, second) => {
        const adopted = adopt(first);
        expect(adopt(adopted)).toBe(adopted);
        const grown = adopt({ old: adopted, list: [adopted, second] });
        expect(grown.old).toBe(adopted);
        expect(grown.list[0]).toBe(adopted);
      }),
    );
  });

  it("makes the same of a value, whatever it comes in place of", () => {
    fc.assert(
      fc.property(edits, (all) => {
        for (const { given, adopted } of all) {
          expect(loss(given, adopted)).toBeUndefined();
          const alone = adopt(given);
          // What was in the value before it may still count.
          if (!isConstant(alone)) expect(isConstant(adopted)).toBe(false);
          else
            for (const part of partsOf(adopted)) expect(isAdopted(part) && Object.isFrozen(part)).toBe(true);
          if (isMutable(alone)) expect(isMutable(adopted)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("keeps cycles and shared parts", () => {
    const shared = { n: 1 };
    const cyclic: Record<string, unknown> = { a: shared, b: [shared], map: new Map() };
    cyclic["self"] = cyclic;
    const adopted = adopt(cyclic);
    expect(adopted["self"]).toBe(adopted);
    expect((adopted["b"] as unknown[])[0]).toBe(adopted["a"]);
  });

  it("passes class instances through", () => {
    class Money {
      amount = 1;
    }
    for (const instance of [new Money(), Symbol("s"), (): void => undefined])
      expect(adopt(instance)).toBe(instance);
  });

  it("keeps an own key called __proto__", () => {
    const given: unknown = JSON.parse('{"__proto__":{"x":[1]}}');
    const adopted = adopt(given) as object;
    expect(Object.keys(adopted)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(adopted)).toBe(Object.prototype);
  });

  it("copies the part of a buffer that a view shows", () => {
    const bytes = new Uint8Array([1, 2, 3, 4]);
    const views = [
      bytes.subarray(1, 3),
      new DataView(bytes.buffer, 2),
      new Int16Array(bytes.buffer, 2, 1),
      bytes.buffer,
    ];
    const adopted = adopt(views);
    bytes.fill(0);
    const read = adopted.map((view) =>
      ArrayBuffer.isView(view)
        ? [...new Uint8Array(view.buffer, view.byteOffset, view.byteLength)]
        : [...new Uint8Array(view)],
    );
    expect(read).toEqual([
      [2, 3],
      [3, 4],
      [3, 4],
      [1, 2, 3, 4],
    ]);
    expect(adopted.map((view) => view.constructor.name)).toEqual([
      "Uint8Array",
      "DataView",
      "Int16Array",
      "ArrayBuffer",
    ]);
  });

  it("takes over what its owner has frozen", () => {
    const constant = Object.freeze([1]);
    const bytes = Object.freeze({ list: Object.freeze([new Uint8Array([0])]) });
    expect([adoptOwned(constant), adoptOwned(bytes)]).toEqual([[1], { list: [new Uint8Array([0])] }]);
    expect([constant, bytes, bytes.list].map(isAdopted)).toEqual([true, true, true]);
    expect([constant, bytes, bytes.list].map(isMutable)).toEqual([false, true, true]);
    expect(adopt(bytes)).toBe(bytes);
  });

  it("locks a date, whose methods that change it throw", () => {
    const given = new Date(Date.UTC(2026, 0, 31));
    const owned = adoptOwned([new Date(given)]);
    const changes = Object.getOwnPropertyNames(Date.prototype).filter((name) => name.startsWith("set"));
    expect(changes).toHaveLength(16);
    for (const date of [...adopt([given]), ...owned, ...adopt(new Set([given]))]) {
      for (const name of changes)
        expect(() => Reflect.apply(Reflect.get(date, name) as () => void, date, [1])).toThrow(
          "Cannot change a Date that is part of the state; change a copy: new Date(…)",
        );
      expect([isMutable(date), date.constructor, date.getUTCDate(), String(date)]).toEqual([
        false,
        Date,
        31,
        String(given),
      ]);
      expect([new Date(date), structuredClone(date)].map((copy) => copy.setTime(5))).toEqual([5, 5]);
    }
    given.setTime(0);
    expect(given.getTime()).toBe(0);
  });

  it("hands out copies of a date that its owner has frozen, which cannot be locked", () => {
    const [date] = adoptOwned([Object.freeze(new Date(0))]);
    handOut(date)?.setTime(5);
    expect([isMutable(date), date?.getTime()]).toEqual([true, 0]);
  });

  it("passes dates of a class of their own through", () => {
    class Moment extends Date {}
    const moment = new Moment(0);
    expect(adopt({ moment }).moment).toBe(moment);
  });

  it("passes a Date with properties of its own, and what only looks like one, through: neither can be stored", () => {
    const dates = [Object.assign(new Date(0), { tz: "UTC" }), Object.create(Date.prototype) as Date];
    expect(adopt(dates).map((date, index) => date === dates[index])).toEqual([true, true]);
    expect(isConstant(adopt(dates))).toBe(false);
  });

  it("refuses a value that is nested too deep", () => {
    let deep: unknown[] = [];
    for (let level = 0; level < 5000; level++) deep = [deep];
    expect(() => adopt(deep)).toThrow(UnserializableError);
  });
});

describe("handOut", () => {
  it("gives the value itself when all of it is read-only", () => {
    const adopted = adopt({ list: [1, { a: new Map([[1, new Set([2, new Date(3)])]]) }] });
    expect(handOut(adopted)).toBe(adopted);
  });

  it("gives copies of what cannot be read-only, and of what holds it", () => {
    fc.assert(
      fc.property(value, opaque, (around, inside) => {
        const adopted = adopt({ around, inside, map: new Map([["k", [inside]]]) });
        const given = handOut(adopted);
        expect(given).toStrictEqual(adopted);
        expect(given.inside).not.toBe(adopted.inside);
        expect(given.map.get("k")?.[0]).not.toBe(adopted.map.get("k")?.[0]);
        for (const part of partsOf(given)) if (canBeFrozen(part)) expect(Object.isFrozen(part)).toBe(true);
      }),
    );
  });

  it("what was handed out and comes back is adopted anew", () => {
    const adopted = adopt({ bytes: new Uint8Array([0]) });
    const given = handOut(adopted);
    given.bytes.fill(5);
    const back = adopt(given);
    expect([adopted.bytes[0], back.bytes[0]]).toEqual([0, 5]);
  });
});

it("an adopted copy is adopted as its original is, and has nothing of it that can change", () => {
  fc.assert(
    fc.property(value, opaque, (around, inside) => {
      const constant = adopt([around]);
      const adopted = adopt({
        around,
        constant,
        inside,
        set: new Set([inside]),
        map: new Map([[inside, [1]]]),
      });
      const copy = adoptedCopy(adopted);
      expect(loss(adopted, copy)).toBeUndefined();
      expect(isConstant(constant) ? copy.constant === constant : copy.constant !== constant).toBe(true);
      for (const part of partsOf(copy)) {
        expect(isAdopted(part)).toBe(true);
        if (canBeFrozen(part)) expect(Object.isFrozen(part)).toBe(true);
        else expect(partsOf(adopted).has(part)).toBe(false);
      }
      expect([isMutable(copy), isMutable(copy.inside), adopt(copy) === copy]).toEqual([true, true, true]);
      expect(new Set([copy.inside, ...copy.set, ...copy.map.keys()]).size).toBe(1);
    }),
  );
});

describe("isConstant", () => {
  class Money {
    amount = 1;
  }
  class Coin {
    readonly cents: number;

    constructor(cents: number) {
      this.cents = cents;
    }
  }
  registerCodec({
    name: "coin",
    class: Coin,
    immutable: true,
    encode: (coin) => coin.cents,
    decode: (cents) => new Coin(Number(cents)),
  });
  const cycle: unknown[] = [];
  cycle.push([cycle]);
  const shared = { n: 1 };

  it.each([
    ["primitives", [1, "a", null, undefined, true, 1n]],
    ["nested data", { a: [{ b: new Map([[1, new Set(["x"])]]) }] }],
    ["parts that are shared", [shared, { shared }]],
    ["dates", [new Date(1), new Date(NaN)]],
    ["errors", [new TypeError("e", { cause: { deep: [1] } })]],
    ["instances of a class whose codec says so", [new Coin(1)]],
  ])("true of adopted %s", (_, given) => {
    expect(isConstant(given)).toBe(false);
    expect(isConstant(adopt(given))).toBe(true);
    const list = adopt([given]);
    expect(isConstant(adoptDerived([...list, 1], list, [1]))).toBe(true);
  });

  it.each([
    ["bytes", new Uint8Array(1)],
    ["an instance", new Money()],
    ["an error with bytes", new Error("e", { cause: new Uint8Array(1) })],
    ["a function", (): void => undefined],
    ["a symbol", Symbol("s")],
    ["a key that is a symbol", { [Symbol("s")]: 1 }],
    ["a cycle", cycle],
  ])("false where there is %s", (_, part) => {
    for (const whole of [
      [part],
      { deep: [{ part }] },
      new Map([[1, part]]),
      new Map([[part, 1]]),
      new Set([part]),
    ])
      expect(isConstant(adopt(whole))).toBe(false);
    const list = adopt([1]);
    expect(isConstant(adoptDerived([...list, part], list, [adopt(part)]))).toBe(false);
  });
});

it("a hole in a list becomes undefined, as it does in storage", () => {
  const sparse: unknown[] = [1];
  sparse[2] = 3;
  expect(Object.keys(adopt(sparse))).toEqual(["0", "1", "2"]);
});
