import { afterEach, expect, it, vi } from "vitest";
import { UnserializableError } from "../../../src/errors.ts";
import { MsgpackSerializer } from "../../../src/checkpoint/serde/msgpack-serializer.ts";
import { adopt } from "../../../src/values/adopt.ts";

afterEach(() => vi.restoreAllMocks());

const value = { list: [1, [2, "three"]], more: [[], [undefined]] };

it("asks of no list whether it has more than members where all are known to have none", () => {
  const serde = new MsgpackSerializer();
  const values = vi.spyOn(Object, "values");
  const asked = serde.dumpsTyped(value);
  expect(values).toHaveBeenCalledTimes(5);
  values.mockClear();
  const known = serde.dumpsTyped(value, true);
  expect(values).not.toHaveBeenCalled();
  expect(known).toEqual(asked);
});

it("asks of none that is adopted", () => {
  const adopted = adopt(value);
  const values = vi.spyOn(Object, "values");
  new MsgpackSerializer().dumpsTyped(adopted);
  expect(values).not.toHaveBeenCalled();
});

it("asks all the same of those that a codec makes", () => {
  class Point {
    readonly parts = Object.assign([1, 2], { unit: "mm" });
  }
  const codec = {
    name: "point",
    class: Point,
    encode: ({ parts }: Point) => parts,
    decode: () => new Point(),
  };
  const serde = new MsgpackSerializer({ codecs: [codec] });
  expect(() => serde.dumpsTyped([new Point()], true)).toThrow(UnserializableError);
});
