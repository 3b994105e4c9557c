import { beforeEach, describe, expect, it } from "vitest";
import { adopt } from "../../src/values/adopt.ts";
import type { BaseCheckpointSaver } from "../../src/checkpoint/saver.ts";
import { loss } from "../unit/serde/same.ts";
import { checkpointOf, METADATA, newThread, putAll, valuesOf } from "./fixtures.ts";
import type { MakeSaver, OpenSaver } from "./fixtures.ts";
import { spoil } from "./parts.ts";

/** The large ones are above the inline limit that the savers under test are given. */
const VALUES: Readonly<Record<string, unknown>> = {
  null: null,
  undefined: undefined,
  true: true,
  zero: 0,
  "negative zero": -0,
  NaN: Number.NaN,
  infinity: -Infinity,
  float: 0.1,
  "large integer": Number.MAX_SAFE_INTEGER,
  bigint: 123456789012345678901234567890n,
  "empty string": "",
  text: "ü\u{10000}\0",
  date: new Date(1234),
  "invalid date": new Date(Number.NaN),
  array: [1, [2, [3]], undefined, null],
  object: { a: { b: { c: undefined } }, "": 1 },
  map: new Map<unknown, unknown>([
    [1, "a"],
    [{ k: 1 }, new Map([["x", -0]])],
  ]),
  set: new Set<unknown>([1, "1", [2]]),
  bytes: new Uint8Array([0, 1, 255]),
  floats: new Float64Array([1.5, -0]),
  buffer: new Uint8Array([1, 2]).buffer,
  regexp: /a+/giu,
  url: new URL("https://example.com/a?b=c#d"),
  "serde lookalike": { lc: 2, type: "undefined", method: null, args: [] },
  "large text": `${"ü\u{10000}x".repeat(4_000)}\ufeff`,
  "text that begins like a file": `\ufeff${"x".repeat(20_000)}`,
  "large bytes": new Uint8Array(30_000).fill(7),
  "large view": new DataView(new Uint8Array(30_000).fill(9).buffer, 100, 20_000),
  "large things inside": {
    list: [{ text: "y".repeat(20_000) }],
    map: new Map([["k", new Float32Array(10_000)]]),
  },
};

/** What can be changed by whoever has it, beside what makes its reading another one. */
const WITH_BYTES: Readonly<Record<string, unknown>> = {
  "small ones": [new Uint8Array([1]), { bytes: new Uint8Array([2]) }],
  "large ones in a list": [new Uint8Array(20_000).fill(1), 5],
  "large ones in an object": { file: new Uint8Array(20_000).fill(1) },
  "large ones in a Map in a list": [new Map([["file", new Uint8Array(20_000).fill(1)]])],
  "next to a large text": [new Uint8Array([1]), { bytes: new Uint8Array([2]) }, "y".repeat(20_000)],
  "next to a large text and an error": [new Uint8Array([1]), new Error("e"), "y".repeat(20_000)],
  "next to a large text, in a cycle": cycle({ bytes: new Uint8Array([1]), text: "y".repeat(20_000) }),
};

function cycle(value: object): object {
  return Object.assign(value, { self: [value] });
}

export function valueContract(makeSaver: MakeSaver): void {
  describe("values", () => {
    let saver: BaseCheckpointSaver;
    let inPlace: NonNullable<OpenSaver["inPlace"]>;
    beforeEach(async () => {
      const open = await makeSaver();
      saver = open.saver;
      inPlace = open.inPlace ?? ((work) => work(open.saver));
    });

    it.each(Object.keys(VALUES))(
      "comes back equal as channel, carried over and as write: %s",
      async (name) => {
        const value = VALUES[name];
        const config = await putAll(saver, newThread(), checkpointOf({ c: value, nested: [{ value }] }));
        const child = await saver.put(
          config,
          checkpointOf({}, { channel_versions: { c: 1, nested: 1 } }),
          METADATA,
          {},
        );
        const grandchild = await saver.put(
          child,
          checkpointOf({}, { channel_versions: { c: 1 } }),
          METADATA,
          {},
        );
        await saver.putWrites(
          child,
          [
            ["c", value],
            ["nested", [{ value }]],
          ],
          "task",
        );
        expectSame(await valuesOf(saver, config), { c: value, nested: [{ value }] });
        expectSame(await valuesOf(saver, child), { c: value, nested: [{ value }] });
        expectSame(await valuesOf(saver, grandchild), { c: value });
        expectSame((await saver.getTuple(child))?.pendingWrites, [
          ["task", "c", value],
          ["task", "nested", [{ value }]],
        ]);
      },
    );

    it("comes back equal when it is adopted state", async () => {
      const state = adopt(VALUES);
      const config = await putAll(saver, newThread(), checkpointOf({ state }));
      const child = await saver.put(
        config,
        checkpointOf({}, { channel_versions: { state: 1 } }),
        METADATA,
        {},
      );
      expectSame(await valuesOf(saver, child), { state: VALUES });
    });

    it("keeps properties named __proto__, and no prototype comes of them", async () => {
      const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"z":1}},"a":1}';
      const config = await putAll(saver, newThread(), checkpointOf({ c: JSON.parse(text) }));
      await saver.putWrites(config, [["c", JSON.parse(text)]], "task");
      const child = await saver.put(config, checkpointOf({}, { channel_versions: { c: 1 } }), METADATA, {});
      const written = (await saver.getTuple(config))?.pendingWrites?.[0]?.[2];
      for (const read of [(await valuesOf(saver, child))?.["c"], written]) {
        expect(JSON.stringify(read)).toBe(text);
        expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
      }
    });

    it.each([1, 20_000])("keeps half of a surrogate pair in a text of %i characters", async (length) => {
      const text = `${"x".repeat(length)}\ud800`;
      const read = await valuesOf(saver, await putAll(saver, newThread(), checkpointOf({ text })));
      // The text itself would not get through to the test's reporter.
      expect(read?.["text"] === text).toBe(true);
    });

    it("keeps errors with name, message, code and cause", async () => {
      const error = Object.assign(new TypeError("outer", { cause: new Error("inner") }), { code: "E1" });
      const config = await putAll(saver, newThread(), checkpointOf({ error }));
      await saver.putWrites(config, [["__error__", error]], "task");
      const tuple = await saver.getTuple(config);
      for (const read of [tuple?.checkpoint.channel_values["error"], tuple?.pendingWrites?.[0]?.[2]]) {
        expect(read).toBeInstanceOf(TypeError);
        expect(read).toMatchObject({ message: "outer", code: "E1", cause: { message: "inner" } });
      }
    });

    it("keeps cycles and shared parts, next to a large value too", async () => {
      for (const text of ["small", "z".repeat(20_000)]) {
        const shared = { text };
        const loop: Record<string, unknown> = { shared, again: shared };
        loop["self"] = [loop];
        const read = await valuesOf(saver, await putAll(saver, newThread(), checkpointOf({ loop })));
        const back = read?.["loop"] as { shared: object; again: object; self: unknown[] };
        expect(back.self[0]).toBe(back);
        expect(back.again).toBe(back.shared);
        expect(back.shared).toStrictEqual({ text });
      }
    });

    it.each(["small", "m".repeat(20_000)])(
      "is not reached by changes that come after the call",
      async (text) => {
        const list = [text];
        const map = new Map([["k", text]]);
        const bytes = new Uint8Array(text.length).fill(1);
        const versions = { list: 1, map: 1, bytes: 1 };
        const metadata = { ...METADATA, own: ["m"] };
        const checkpoint = checkpointOf({ list, map, bytes }, { channel_versions: versions });
        const change = () => {
          list.push("late");
          map.clear();
          bytes.fill(9);
          versions.list = 99;
          metadata.own.push("late");
        };
        const config = await inPlace((here) => {
          const writing = putAll(here, newThread(), checkpoint, metadata);
          change();
          return writing;
        });
        change();
        const carried = checkpointOf({}, { channel_versions: { list: 1, map: 1, bytes: 1 } });
        const child = await saver.put(config, carried, METADATA, {});
        const tuple = await saver.getTuple(config);
        const expected = {
          list: [text],
          map: new Map([["k", text]]),
          bytes: new Uint8Array(text.length).fill(1),
        };
        expectSame(tuple?.checkpoint.channel_values, expected);
        expect(tuple?.checkpoint.channel_versions).toStrictEqual({ list: 1, map: 1, bytes: 1 });
        expect(tuple?.metadata).toStrictEqual({ ...METADATA, own: ["m"] });
        expectSame(await valuesOf(saver, child), expected);
      },
    );

    it.each(Object.keys(WITH_BYTES))("hands each reader bytes of its own: %s", async (name) => {
      const value = WITH_BYTES[name];
      const config = await putAll(saver, newThread(), checkpointOf({ value }));
      await saver.putWrites(config, [["value", adopt([value, 1])]], "task");
      for (let reading = 0; reading < 2; reading++) {
        const tuple = await saver.getTuple(config);
        expect(loss([value, 1], tuple?.pendingWrites?.[0]?.[2])).toBeUndefined();
        spoil(tuple?.pendingWrites);
        expect(loss(value, tuple?.checkpoint.channel_values["value"])).toBeUndefined();
        spoil(tuple?.checkpoint.channel_values);
      }
    });

    it("hands out nothing through which stored state could be changed", async () => {
      const config = await putAll(saver, newThread(), checkpointOf({ list: [1], map: new Map([[1, [1]]]) }));
      const first = await saver.getTuple(config);
      const { list: listed, map: mapped } = first?.checkpoint.channel_values ?? {};
      tryTo(() => (listed as number[]).push(2));
      tryTo(() => (mapped as Map<number, number[]>).set(2, []));
      tryTo(() => Object.assign(first?.checkpoint.channel_versions ?? {}, { list: 99 }));
      tryTo(() => Object.assign(first?.checkpoint.channel_values ?? {}, { list: "other" }));
      tryTo(() => Object.assign(first?.metadata ?? {}, { step: 99 }));
      const child = await saver.put(
        config,
        checkpointOf({}, { channel_versions: { list: 1, map: 1 } }),
        METADATA,
        {},
      );
      const expected = { list: [1], map: new Map([[1, [1]]]) };
      const again = await saver.getTuple(config);
      expect(again?.checkpoint.channel_values).toStrictEqual(expected);
      expect(again?.checkpoint.channel_versions).toStrictEqual({ list: 1, map: 1 });
      expect(again?.metadata).toStrictEqual(METADATA);
      expect(await valuesOf(saver, child)).toStrictEqual(expected);
    });
  });
}

/** The difference between large values would take minutes to print. */
function expectSame(actual: unknown, expected: unknown): void {
  try {
    expect(actual).toStrictEqual(expected);
  } catch {
    throw new Error("The value is not what was stored.");
  }
}

/** State that is handed out may be read-only. */
function tryTo(change: () => unknown): void {
  try {
    change();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}
