import { expect, it } from "vitest";
import { isOverwrite, Overwrite, overwriteOf } from "tidemark/channels";

it.each([
  [new Overwrite(1), { value: 1 }],
  [{ __overwrite__: 2 }, { value: 2 }],
  [{ __overwrite__: undefined }, { value: undefined }],
  [{ type: "__overwrite__", value: null }, { value: null }],
  [{ type: "__overwrite__", value: undefined }, { value: undefined }],
  [{ type: "__overwrite__" }, undefined],
  [{ type: "other", value: 1 }, undefined],
  [{}, undefined],
  [[], undefined],
  ["__overwrite__", undefined],
  [null, undefined],
  [undefined, undefined],
])("overwriteOf(%j) is %j", (write, expected) => {
  expect(overwriteOf(write)).toEqual(expected);
  expect(isOverwrite(write)).toBe(expected !== undefined);
});

it("becomes its plain form in JSON, and reads as the same there", () => {
  const overwrite = new Overwrite([1]);
  expect(JSON.stringify(overwrite)).toBe('{"__overwrite__":[1]}');
  expect(overwriteOf(JSON.parse(JSON.stringify(overwrite)))).toEqual({ value: overwrite.value });
});

it("is known by its name across copies of the package", () => {
  expect(Overwrite.isInstance(new Overwrite(1))).toBe(true);
  expect(Overwrite.isInstance({ lg_name: "Overwrite", __overwrite__: 1 })).toBe(true);
  expect(Overwrite.isInstance({ lg_name: "Send" })).toBe(false);
  expect(Overwrite.isInstance(null)).toBe(false);
});
