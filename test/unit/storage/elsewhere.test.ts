import { describe, expect, it } from "vitest";
import { adopt, isConstant } from "../../../src/values/adopt.ts";
import type { SqliteSaver } from "../../../src/storage/sqlite-saver.ts";
import { applyPatch } from "../../../src/storage/patch/apply.ts";
import { UndecodableError } from "../../../src/errors.ts";
import { ELSEWHERE, INSERT, NEW_LIST, NEW_RECORD, VALUE } from "../../../src/storage/patch/node.ts";
import { Places } from "../../../src/storage/patch/places.ts";
import { checkpointOf, METADATA, nextId, putAll, threadConfig, valuesOf } from "../../contract/fixtures.ts";
import { MemorySqlStorage } from "../../support/sql-storage.ts";
import { saverOf, threadTables } from "./support.ts";

const lines = (count: number, name = "line") =>
  Array.from({ length: count }, (_, index) => ({ text: `${name} ${index} `.padEnd(100, "lorem ") }));

/** A checkpoint of the graph around, and what it has as a graph would have it. */
async function around(saver: SqliteSaver, log = lines(50)) {
  const checkpoint = checkpointOf({ log, more: 1 });
  const config = await putAll(saver, threadConfig("t"), checkpoint);
  const tuple = await saver.getTuple(config);
  return { id: checkpoint.id, config, values: tuple?.checkpoint.channel_values ?? {} };
}

/** The first checkpoint of a graph in a namespace, which has got these values. */
function visit(
  saver: SqliteSaver,
  ns: string,
  parents: Readonly<Record<string, string>>,
  values: Readonly<Record<string, unknown>>,
) {
  return putAll(saver, threadConfig("t", ns), checkpointOf({ __start__: values }), { ...METADATA, parents });
}

interface Row {
  readonly level: number;
  readonly bytes: number;
}

function rowsOf(storage: MemorySqlStorage, ns: string): Row[] {
  const statement = `SELECT level, length(body) AS bytes FROM checkpoints
    WHERE namespace = (SELECT id FROM namespaces WHERE thread_id = 't' AND ns = ?) ORDER BY id`;
  return storage.sql.exec<{ level: number; bytes: number }>(statement, ns).toArray();
}

describe("the first checkpoint of a visit", () => {
  it("refers to what the graph around has, by identity and by name", async () => {
    const storage = threadTables();
    const saver = saverOf(storage);
    const { id, values } = await around(saver);
    const other = structuredClone(values["log"]);
    await visit(saver, "n:1", { "": id }, { log: values["log"] });
    await visit(saver, "n:2", { "": id }, { renamed: values["log"] });
    await visit(saver, "n:3", { "": id }, { log: other });
    await visit(saver, "n:4", { "": id }, { renamed: lines(50, "another") });
    saver.forget();
    const bytes = ["n:1", "n:2", "n:3"].map((ns) => rowsOf(storage, ns));
    for (const [row] of bytes) expect(row).toEqual({ level: 5, bytes: expect.any(Number) });
    expect(Math.max(...bytes.flat().map((row) => row.bytes))).toBeLessThan(300);
    expect(rowsOf(storage, "n:4")).toEqual([{ level: 4, bytes: expect.any(Number) }]);
    for (const [ns, key] of [
      ["n:1", "log"],
      ["n:2", "renamed"],
      ["n:3", "log"],
    ] as const)
      expect(await valuesOf(saver, threadConfig("t", ns))).toEqual({ __start__: { [key]: lines(50) } });
  });

  it.each([
    ["of a history that many visits share", "n", (id: string) => ({ "": id })],
    ["whose checkpoint around is not the one that is remembered", "n:1", () => ({ "": nextId() })],
    ["that says nothing of the graph around", "n:1", () => ({})],
    [
      "in more than 64 graphs",
      Array.from({ length: 66 }, () => "n:1").join("|"),
      (id: string) => ({ "": id }),
    ],
  ])("is whole: one %s", async (_, ns, parents) => {
    const storage = threadTables();
    const saver = saverOf(storage);
    const { id, values } = await around(saver);
    await visit(saver, ns, parents(id), { log: values["log"] });
    expect(rowsOf(storage, ns)).toEqual([{ level: 4, bytes: expect.any(Number) }]);
  });

  it("is such a row in each of very many visits at once, as are what they and the graph around write", async () => {
    const storage = threadTables();
    const saver = saverOf(storage);
    const { id, config, values } = await around(saver);
    const visits = Array.from({ length: 1100 }, (_, index) => `n:${index}`);
    const { log } = values;
    for (const ns of visits) await saver.getTuple(threadConfig("t", ns));
    const begun = [];
    for (const ns of visits) begun.push(await visit(saver, ns, { "": id }, { log }));
    for (const inside of begun) await saver.putWrites(inside, [["log", log]], "start");
    for (const ns of visits) await saver.putWrites(config, [["other", log]], ns);
    const largest = (table: string, where: string) =>
      storage.sql.exec(`SELECT max(length(body)) AS bytes FROM ${table} WHERE ${where}`).one()["bytes"];
    expect(largest("checkpoints", "level <> 4")).toBeLessThan(300);
    expect(storage.sql.exec("SELECT count(*) AS n FROM checkpoints WHERE level = 5").one()["n"]).toBe(1100);
    expect(largest("writes", "true")).toBeLessThan(300);
  });

  it("is read with two statements more for each graph around", async () => {
    const storage = threadTables();
    const saver = saverOf(storage);
    const { id, values } = await around(saver);
    const parents: Record<string, string> = { "": id };
    for (const ns of ["n:1", "n:1|m:2", "n:1|m:2|l:3"]) {
      const config = await visit(saver, ns, parents, { log: values["log"] });
      parents[ns] = config.configurable?.checkpoint_id ?? "";
    }
    expect(rowsOf(storage, "n:1|m:2|l:3")[0]?.level).toBe(5);
    const counts: number[] = [];
    for (const ns of ["", "n:1", "n:1|m:2", "n:1|m:2|l:3"]) {
      const cold = saverOf(storage);
      cold.head("t");
      const before = storage.statements;
      expect(await valuesOf(cold, threadConfig("t", ns))).toMatchObject(
        ns === "" ? { log: lines(50) } : { __start__: { log: lines(50) } },
      );
      counts.push(storage.statements - before);
    }
    // That of the graph around is found by its namespace, which is known of the root graph.
    expect(counts).toEqual([2, 5, 7, 9]);
  });

  it("keeps its values when the checkpoint around is replaced, in the thread and in a copy of it", async () => {
    const storage = threadTables();
    const saver = saverOf(storage);
    const { id, values } = await around(saver);
    await visit(saver, "n:1", { "": id }, { log: values["log"] });
    await saver.copyThread("t", "copy");
    await putAll(saver, threadConfig("t"), checkpointOf({ log: ["other"] }, { id }));
    expect(rowsOf(storage, "n:1")).toEqual([{ level: 4, bytes: expect.any(Number) }]);
    for (const thread of ["t", "copy"])
      expect(await valuesOf(saver, threadConfig(thread, "n:1"))).toEqual({ __start__: { log: lines(50) } });
  });

  it("goes with the checkpoint around, when that is removed, and what stays of its visit is whole", async () => {
    const storage = threadTables();
    const saver = saverOf(storage);
    const first = await around(saver);
    const begun = await visit(saver, "n:1", { "": first.id }, { log: first.values["log"] });
    const second = checkpointOf({ log: lines(60) });
    const config = await putAll(saver, first.config, second);
    const values = await valuesOf(saver, config);
    const later = { ...METADATA, parents: { "": second.id } };
    await putAll(saver, begun, checkpointOf({ __start__: { log: lines(50) }, more: 1 }), later);
    await visit(saver, "n:2", { "": second.id }, { log: values?.["log"] });
    const levels = (ns: string) => rowsOf(storage, ns).map(({ level }) => level);
    expect([levels("n:1"), levels("n:2")]).toEqual([[5, 0], [5]]);
    await saver.prune(["t"]);
    expect([levels(""), levels("n:1"), levels("n:2")]).toEqual([[4], [4], [5]]);
    const inFirst = await valuesOf(saver, threadConfig("t", "n:1"));
    expect(inFirst).toEqual({ __start__: { log: lines(50) }, more: 1 });
    expect(await valuesOf(saver, threadConfig("t", "n:2"))).toEqual({ __start__: { log: lines(60) } });
  });

  it("cannot be read where the row around is not there", async () => {
    const storage = threadTables();
    const saver = saverOf(storage);
    const { id, values } = await around(saver);
    await visit(saver, "n:1", { "": id }, { log: values["log"] });
    for (const damage of [
      "UPDATE checkpoints SET base = x'00' WHERE level = 5",
      "UPDATE checkpoints SET base = NULL WHERE level = 5",
      "DELETE FROM checkpoints WHERE level = 4",
      "UPDATE namespaces SET ns = 'n' WHERE ns = 'n:1'",
    ]) {
      storage.run(damage);
      const [{ ns }] = storage.sql
        .exec<{ ns: string }>("SELECT ns FROM namespaces WHERE ns <> ''")
        .toArray() as [{ ns: string }];
      saver.forget();
      await expect(saver.getTuple(threadConfig("t", ns))).rejects.toMatchObject({ code: "undecodable" });
    }
  });
});

describe("the places of a state", () => {
  it("are no more than some hundreds, however many there are", () => {
    let read = 0;
    const record = (part: () => unknown, keys: number) =>
      Object.defineProperties(
        {},
        Object.fromEntries(
          Array.from({ length: keys }, (_, key) => [
            `key ${key}`,
            { enumerable: true, get: () => (read++, part()) },
          ]),
        ),
      );
    const wide = record(() => record(() => record(() => ({}), 60), 60), 60);
    const places = new Places(new Map([["wide", wide]]));
    expect(places.of({})).toBeUndefined();
    expect(read).toBeLessThan(600);
    const sends = Array.from({ length: 60 }, () => ({ node: "n", args: { list: lines(1) } }));
    expect(new Places(new Map([["__pregel_tasks", sends]])).named("list").length).toBeLessThan(10);
  });
});

describe("a patch that refers to other places of its state", () => {
  const values = new Map<string, unknown>([["a", adopt({ list: [{ b: 1 }], text: "text" })]]);

  it("has what stands there, and what was made of it", () => {
    expect(applyPatch(undefined, [ELSEWHERE, ["a", "list", 0]], values)).toBe(
      Reflect.get(Reflect.get(Object(values.get("a")), "list"), 0),
    );
    const made = [
      NEW_RECORD,
      "x",
      [
        NEW_LIST,
        1,
        [
          [ELSEWHERE, ["a", "list"]],
          [VALUE, [2]],
        ],
      ],
      "y",
      3,
    ];
    const applied = applyPatch(undefined, made, values);
    expect(applied).toEqual({ x: [[{ b: 1 }], [2]], y: 3 });
    expect(isConstant(applied)).toBe(true);
  });

  it("is refused where a node contains itself", () => {
    const node: unknown[] = [ELSEWHERE, ["a"]];
    node.push(node);
    const list: unknown[] = [NEW_LIST, 1];
    list.push([[NEW_RECORD, "x", list]]);
    for (const each of [node, list])
      expect(() => applyPatch(undefined, each, values)).toThrow("it has a node that contains itself");
  });

  it.each([
    [[]],
    [["b"]],
    [["a", "none"]],
    [["a", "list", "0"]],
    [["a", "list", 1]],
    [["a", "list", -1]],
    [["a", "list", "length"]],
    [["a", "text"]],
    [["a", "text", 0]],
    [["a", "constructor"]],
    [["a", "__proto__"]],
    [[["a"]]],
    ["a"],
    [undefined],
  ])("is refused where it refers to %j", (path) => {
    expect(() => applyPatch(undefined, [ELSEWHERE, path], values)).toThrow("it refers to what is not there");
    expect(() => applyPatch(undefined, [ELSEWHERE, ["a"]])).toThrow("it refers to what is not there");
  });

  it.each([
    ["reference", [ELSEWHERE, ["a"]], (node: unknown[]) => node.push(node)],
    ["record", [NEW_RECORD, "key"], (node: unknown[]) => node.push(node)],
    ["list", [NEW_LIST, INSERT], (node: unknown[]) => node.push([node])],
  ])("is refused where a %s is a part of itself", (_, node, close) => {
    close(node);
    expect(() => applyPatch(undefined, node, values)).toThrow(UndecodableError);
  });
});
