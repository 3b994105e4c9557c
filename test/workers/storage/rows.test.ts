import { beforeEach, describe, expect, it } from "vitest";
import { adopt } from "../../../src/values/adopt.ts";
import { INTERRUPT } from "../../../src/checkpoint/constants.ts";
import { MsgpackSerializer } from "../../../src/checkpoint/serde/msgpack-serializer.ts";
import type { Checkpoint, CheckpointConfig } from "../../../src/checkpoint/types.ts";
import { checkpointOf, METADATA, putAll, threadConfig, valuesOf } from "../../contract/fixtures.ts";
import { countedSql, newCounts } from "./counted-sql.ts";
import type { Counts } from "./counted-sql.ts";
import { SaverObject } from "./durable-saver.ts";
import type { SaverInObject, SaverSettings } from "./durable-saver.ts";

const THREAD = threadConfig("t");

describe("rows", () => {
  let object: SaverObject;
  let counts: Counts;
  beforeEach(async () => {
    object = await SaverObject.create();
    counts = newCounts();
  });

  const open = (settings: SaverSettings = {}) =>
    object.saver({ sql: (sql) => countedSql(sql, counts), ...settings });

  /** Counts only what `work` does. */
  async function during(work: () => Promise<unknown>): Promise<Counts> {
    const before = { ...counts, statements: counts.statements.length };
    await work();
    return {
      rowsWritten: counts.rowsWritten - before.rowsWritten,
      rowsRead: counts.rowsRead - before.rowsRead,
      statements: counts.statements.slice(before.statements),
    };
  }

  async function putNext(
    saver: SaverInObject,
    parent: CheckpointConfig,
    value: unknown,
  ): Promise<CheckpointConfig> {
    const checkpoint = checkpointOf({ v: value }, { channel_versions: { kept: 1, v: 2 } });
    return saver.put(parent, checkpoint, METADATA, { v: 2 });
  }

  it("a namespace costs 2 rows once, a checkpoint and a task 1 each, up to bodies of 1 MB", async () => {
    const saver = await open({ inlineLimit: 2_000_000 });
    let config: CheckpointConfig = THREAD;
    const first = await during(
      async () => (config = await putAll(saver, THREAD, checkpointOf({ kept: "x", v: 0 }))),
    );
    expect(first.rowsWritten).toBe(3);
    for (const value of ["small", "y".repeat(990_000)]) {
      expect((await during(async () => (config = await putNext(saver, config, value)))).rowsWritten).toBe(1);
      const writes = [
        ["a", value],
        ["b", 1],
        ["branch", null],
      ] as const;
      expect((await during(() => saver.putWrites(config, writes, "task 1"))).rowsWritten).toBe(1);
      expect((await during(() => saver.putWrites(config, writes, crypto.randomUUID()))).rowsWritten).toBe(1);
    }
    expect((await during(() => saver.putWrites(config, [], "task 2"))).rowsWritten).toBe(0);
    expect(await object.count("parts")).toBe(0);
  });

  it("a sequential superstep reads nothing", async () => {
    const saver = await open();
    const root = await putAll(saver, THREAD, checkpointOf(adopt({ kept: { deep: ["x"] }, v: 0 })));
    const { statements } = await during(async () => {
      await saver.putWrites(root, [["v", 1]], "task");
      await putNext(saver, root, 1);
    });
    expect(statements.map((statement) => statement.trim().slice(0, 6))).toEqual(["INSERT", "INSERT"]);
  });

  it("a read warms the cache for the next put, and forget() empties it", async () => {
    await putAll(await open(), THREAD, checkpointOf({ kept: { deep: ["x"] }, v: 0 }));
    const saver = await open();
    const config = (await saver.getTuple(THREAD))?.config ?? {};
    const warm = await during(() => putNext(saver, config, 1));
    expect(warm.statements).toHaveLength(1);
    await object.run(() => saver.inner.forget());
    let next: CheckpointConfig = {};
    const cold = await during(async () => (next = await putNext(saver, config, 1)));
    expect(cold.statements.length).toBeGreaterThan(1);
    expect(await valuesOf(saver, next)).toStrictEqual({ kept: { deep: ["x"] }, v: 1 });
  });

  it("a read looks for writes where a task may have written, and finds those that came before their checkpoint", async () => {
    const first = await putAll(await open(), THREAD, checkpointOf({ kept: "x", v: 0 }));
    await (await open()).putWrites(first, [["v", 1]], "task");
    const saver = await open();
    const read = async (): Promise<readonly [number, unknown]> => {
      let writes: unknown;
      const { statements } = await during(
        async () => (writes = (await saver.getTuple(THREAD))?.pendingWrites?.map(([task]) => task)),
      );
      return [statements.filter((statement) => statement.includes("FROM writes")).length, writes];
    };
    expect((await read())[1]).toEqual(["task"]);
    const second = await putNext(saver, first, 1);
    expect(await read()).toEqual([0, []]);
    const early = checkpointOf({ kept: "x", v: 2 }, { channel_versions: { kept: 1, v: 3 } });
    const place = { configurable: { ...THREAD.configurable, checkpoint_id: early.id } };
    await saver.putWrites(place, [["v", 3]], "early");
    await saver.putWrites(second, [["v", 3]], "late");
    expect(await read()).toEqual([1, ["late"]]);
    await saver.put(second, early, METADATA, { v: 3 });
    expect(await read()).toEqual([1, ["early"]]);
    await putNext(saver, place, 4);
    expect(await read()).toEqual([0, []]);
  });

  it("writes that came before their checkpoint are found by another saver", async () => {
    const first = await putAll(await open(), THREAD, checkpointOf({ kept: "x", v: 0 }));
    const next = checkpointOf({ kept: "x", v: 1 }, { channel_versions: { kept: 1, v: 2 } });
    const place = { configurable: { ...THREAD.configurable, checkpoint_id: next.id } };
    await (await open()).putWrites(place, [["v", 2]], "early");
    const saver = await open();
    expect((await saver.getTuple(THREAD))?.pendingWrites).toEqual([]);
    await saver.put(first, next, METADATA, { v: 2 });
    expect((await saver.getTuple(THREAD))?.pendingWrites).toEqual([["early", "v", 2]]);
  });

  it("a second write of a task is merged into its row", async () => {
    const saver = await open();
    const config = await putAll(saver, THREAD, checkpointOf({}));
    await saver.putWrites(config, [["a", 1]], "task");
    const { rowsWritten } = await during(() => saver.putWrites(config, [[INTERRUPT, "q"]], "task"));
    expect(rowsWritten).toBe(1);
    expect(await object.count("writes")).toBe(1);
  });

  it("one put or putWrites is one transaction, and stays in the turn when nothing is awaited", async () => {
    const order: string[] = [];
    const saver = await open({ transact: (write) => (order.push("commit"), write()) });
    await object.run(async () => {
      const config = { configurable: { ...THREAD.configurable, checkpoint_id: "c" } };
      const writing = saver.inner.putWrites(config, [["a", { large: [1] }]], "task");
      order.push("after putWrites");
      const putting = saver.inner.put(THREAD, checkpointOf({ a: 1 }), METADATA, { a: 1 });
      order.push("after put");
      await Promise.all([writing, putting]);
    });
    expect(order).toEqual(["commit", "after putWrites", "commit", "after put"]);
  });

  it("says of a commit that it is atomic when one statement is all it takes", async () => {
    const commits: { readonly isAtomic: boolean; readonly rowsWritten: number }[] = [];
    const saver = await open({
      inlineLimit: 10,
      transact: (write, _, isAtomic) => {
        const before = counts.rowsWritten;
        const result = write();
        commits.push({ isAtomic, rowsWritten: counts.rowsWritten - before });
        return result;
      },
    });
    const root = await putAll(saver, THREAD, checkpointOf({ kept: "k", v: 0 }));
    await saver.putWrites(root, [["v", 1]], "task");
    await putNext(saver, root, 1);
    await putNext(saver, root, "x".repeat(20));
    expect(commits).toEqual([
      { isAtomic: false, rowsWritten: 3 },
      { isAtomic: true, rowsWritten: 1 },
      { isAtomic: true, rowsWritten: 1 },
      { isAtomic: false, rowsWritten: 3 },
    ]);
  });

  it("keeps writes in order that a slow serializer interleaves", async () => {
    const plain = new MsgpackSerializer();
    const later = <T>(value: T) => new Promise<T>((resolve) => setTimeout(resolve, Math.random() * 5, value));
    const serde = {
      dumpsTyped: (value: unknown) => later(plain.dumpsTyped(value)),
      loadsTyped: (type: string, data: Uint8Array | string) => later(plain.loadsTyped(type, data)),
    };
    const saver = await open({ serde });
    const config = await putAll(saver, THREAD, checkpointOf({ kept: ["k"], v: 0 }));
    const channels = Array.from({ length: 10 }, (_, index) => `c${index}`);
    await object.run(() =>
      Promise.all(
        channels.map((_, index) => {
          const padding = Array.from({ length: index }, () => ["c0", 0] as const);
          return saver.inner.putWrites(config, [...padding, [`c${index}`, index]], "task");
        }),
      ),
    );
    expect((await saver.getTuple(config))?.pendingWrites).toHaveLength(10);
    expect(await valuesOf(saver, await putNext(saver, config, 1))).toStrictEqual({ kept: ["k"], v: 1 });
  });

  it("keeps nothing of a transaction that was undone, in rows or in the cache", async () => {
    let fenced = false;
    const saver = await open({
      transact: (write, storage) =>
        storage.transactionSync(() => {
          const result = write();
          if (fenced) throw new Error("fenced");
          return result;
        }),
    });
    fenced = true;
    await expect(putAll(saver, THREAD, checkpointOf({ kept: "lost", v: 0 }))).rejects.toThrow("fenced");
    expect(await object.count("namespaces")).toBe(0);
    fenced = false;
    const root = await putAll(saver, THREAD, checkpointOf(adopt({ kept: "root", v: 0 })));
    fenced = true;
    const lost: Checkpoint = checkpointOf({ kept: "lost", v: 1 }, { id: "lost" });
    await expect(putAll(saver, root, lost)).rejects.toThrow("fenced");
    await expect(saver.putWrites(root, [["a", "z".repeat(200_000)]], "task")).rejects.toThrow("fenced");
    fenced = false;
    expect(await object.count("blobs")).toBe(0);
    const orphan = { configurable: { ...THREAD.configurable, checkpoint_id: "lost" } };
    expect(await valuesOf(saver, await putNext(saver, orphan, 2))).toStrictEqual({ v: 2 });
    expect(await valuesOf(saver, await putNext(saver, root, 2))).toStrictEqual({ kept: "root", v: 2 });
    expect((await saver.getTuple(root))?.pendingWrites).toStrictEqual([]);
  });

  it("filters and limits a listing without loading bodies", async () => {
    const saver = await open();
    let config: CheckpointConfig = THREAD;
    for (let step = 0; step < 6; step++)
      config = await putAll(saver, config, checkpointOf({ step }), { ...METADATA, step });
    const { statements } = await during(async () => {
      for await (const tuple of saver.list(THREAD, { filter: { step: 2 } }))
        expect(tuple.metadata?.step).toBe(2);
    });
    // It is among the metadata that SQL can filter by: nothing else is read, and that checkpoint is not remembered.
    expect(statements.filter((statement) => statement.includes("RECURSIVE"))).toHaveLength(1);
  });

  it("refuses metadata that would not fit beside a body", async () => {
    const saver = await open();
    const metadata = { ...METADATA, note: "n".repeat(600_000) };
    await expect(putAll(saver, THREAD, checkpointOf({}), metadata)).rejects.toMatchObject({
      code: "value_too_large",
    });
    expect(await object.count("checkpoints")).toBe(0);
  });

  it("ids are 16 bytes when they are UUIDs, and text otherwise", async () => {
    const saver = await open();
    await putAll(saver, THREAD, checkpointOf({}));
    await putAll(saver, THREAD, checkpointOf({}, { id: "text" }));
    const rows = await object.query(
      "SELECT typeof(id) AS type, length(id) AS length FROM checkpoints ORDER BY id",
    );
    expect(rows).toEqual([
      { type: "text", length: 4 },
      { type: "blob", length: 16 },
    ]);
  });
});
