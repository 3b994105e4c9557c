import { describe, expect, it } from "vitest";
import { Budget } from "../../../src/checkpoint/serde/budget.ts";
import { CodecRegistry } from "../../../src/checkpoint/serde/codec.ts";
import { KeyCache } from "../../../src/checkpoint/serde/key-cache.ts";
import { readValue } from "../../../src/checkpoint/serde/value-reader.ts";
import { serializer } from "./support.ts";

const MEBI = 1024 * 1024;

/** The bytes of a list in which the same member stands so often. */
function listOf(member: readonly number[], count: number): Uint8Array {
  const bytes = new Uint8Array(6 + member.length * count);
  bytes.set([1, 0xdd]);
  new DataView(bytes.buffer).setUint32(2, count);
  for (let at = 6; at < bytes.length; at += member.length) bytes.set(member, at);
  return bytes;
}

const load = (bytes: Uint8Array, budget?: Budget) =>
  readValue(bytes, new CodecRegistry([]), new KeyCache(), budget);

describe("bytes of which more comes than there is room for", () => {
  it.each<readonly [string, readonly number[], count: number]>([
    ["empty lists", [0x90], 35_000],
    ["empty objects", [0x80], 35_000],
    ["small numbers", [1], 170_000],
    ["empty bytes", [0xc4, 0], 10_000],
    ["empty Maps", [0xc7, 0, 4], 10_000],
    ["dates", [0xc7, 8, 3, 0, 0, 0, 0, 0, 0, 0, 0], 10_000],
  ])("are refused: %s", (_, member, count) => {
    const bytes = listOf(member, count);
    expect(load(bytes, new Budget(200_000))).toHaveLength(count);
    expect(() => load(bytes, new Budget(150_000))).toThrow("more comes of it than an object has room for");
  });

  it("are refused where it is what an object has", () => {
    expect(() => load(listOf([1], 33 * MEBI))).toThrow("more comes of it");
  });
});

it("a value that could not be read again is not written", () => {
  const numbers = { found: Array(17 * MEBI).fill(1) };
  expect(() => serializer.dumpsTyped(numbers)).toThrow(/has room for/);
});
