import { describe, expect, it } from "vitest";
import { adopt } from "../../../src/values/adopt.ts";
import { applyPatch } from "../../../src/storage/patch/apply.ts";
import { Budget } from "../../../src/checkpoint/serde/budget.ts";
import { MOST_BUILT } from "../../../src/storage/patch/budget.ts";
import { COPY, KEEP, LIST, MAP, PATCH, RECORD, SET } from "../../../src/storage/patch/node.ts";
import { checkpointOf, putAll, threadConfig } from "../../contract/fixtures.ts";
import { serializer } from "../serde/support.ts";
import { saverOf, threadTables } from "../storage/support.ts";

const MANY = 10_000;
const numbers = Array.from({ length: MANY }, (_, index) => index);
const often = (...step: readonly unknown[]) => Array.from({ length: 1000 }, () => step).flat();
const record = Object.fromEntries(numbers.slice(0, 5000).map((number) => [`key ${number}`, number]));
const pairs = numbers.map((number) => [number, number] as const);

describe("a patch that builds far more than it takes", () => {
  it.each<readonly [string, unknown, unknown]>([
    ["a list", numbers, [LIST, ...often(COPY, 0, MANY)]],
    ["a Set", new Set(numbers), [SET, ...often(COPY, 0, MANY)]],
    ["a Map", new Map(pairs), [MAP, ...often(COPY, 0, MANY)]],
    ["an object", [record], [LIST, ...often(PATCH, 0, [RECORD, 0, "a", 1])]],
  ])("is refused: %s", (_, old, node) => {
    const budget = new Budget(1_000_000);
    expect(() => applyPatch(adopt(old), node, undefined, budget)).toThrow("more comes of it");
  });
});

it("what tasks have made of many records is as much as it takes", () => {
  const fields = Object.fromEntries(numbers.slice(0, 60).map((number) => [`key ${number}`, number]));
  const records = adopt(Array.from({ length: 500 }, () => ({ ...fields })));
  const node = [LIST, ...numbers.slice(0, 500).flatMap((index) => [PATCH, index, [RECORD, 0, 7, "x"]])];
  // Of each of sixteen tasks it is 140 KB, and there is room for 4 MB.
  const budget = new Budget(1_000_000);
  for (let task = 0; task < 16; task++) {
    const made = applyPatch(records, structuredClone(node), undefined, budget);
    expect(made).toHaveLength(500);
  }
});

it("what each row of a chain has built makes room for the next one: older code did not count it", async () => {
  const storage = threadTables();
  const saver = saverOf(storage);
  const list = Array.from({ length: 600_000 }, (_, index) => index);
  let config = await putAll(saver, threadConfig("t"), checkpointOf({ list }));
  for (let count = 0; count < 60; count++)
    config = await putAll(saver, config, checkpointOf({ list: [count] }));
  // Each as a patch of its parent that makes the list anew.
  const [, body] = serializer.dumpsTyped([KEEP, 0, "list", [LIST, COPY, 0, list.length]]);
  const rows = "id <> (SELECT min(id) FROM checkpoints)";
  storage.sql.exec(`UPDATE checkpoints SET level = 0, base = NULL, body = ? WHERE ${rows}`, body);
  const read = await saverOf(storage).getTuple(config);
  expect(read?.checkpoint.channel_values["list"]).toHaveLength(list.length);
});

it("a row goes a level up where reading its value would take more", async () => {
  const storage = threadTables();
  const list = Array.from({ length: 1024 }, () => 1);
  let config = threadConfig("t");
  const append = async () => {
    list.push(2);
    config = await putAll(saverOf(storage), config, checkpointOf({ list: [...list] }));
  };
  const levels = () =>
    storage.sql.exec<{ level: number }>("SELECT level FROM checkpoints ORDER BY id").toArray();
  for (let count = 0; count < 3; count++) await append();
  // The list becomes as long as it may, and short again.
  const long = [LIST, ...Array.from({ length: MOST_BUILT / 1024 - 8 }, () => [COPY, 0, 1024]).flat()];
  for (const [step, node] of [long, [LIST, COPY, 0, 1024]].entries()) {
    const [, body] = serializer.dumpsTyped([KEEP, 0, "list", node]);
    const row = "(SELECT id FROM checkpoints ORDER BY id LIMIT 1 OFFSET ?)";
    storage.sql.exec(`UPDATE checkpoints SET body = ? WHERE id = ${row}`, body, step + 1);
  }
  await append();
  expect(levels().map(({ level }) => level)).toEqual([4, 0, 0, 1]);
});
