import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { adopt } from "../../../src/values/adopt.ts";
import type { CheckpointConfig } from "../../../src/checkpoint/types.ts";
import { checkpointOf, METADATA, putAll, threadConfig, valuesOf } from "../../contract/fixtures.ts";
import { SaverObject } from "./durable-saver.ts";

const THREAD = threadConfig("t");
const MEGABYTE = 1_000_000;

describe.each(["R2", "SQLite"])("large values in %s", { timeout: 30_000 }, (place) => {
  let object: SaverObject;
  const bucket = place === "R2" ? { bucket: env.BLOBS } : {};
  beforeEach(async () => {
    object = await SaverObject.create();
  });

  async function keysInBucket(): Promise<string[]> {
    const { objects } = await env.BLOBS.list({ prefix: `${object.prefix}/` });
    return objects.map(({ key }) => key);
  }

  async function longestRow(): Promise<number> {
    const [row] = await object.query<{ size: number }>(`SELECT max(
      (SELECT coalesce(max(length(body)), 0) FROM checkpoints),
      (SELECT coalesce(max(length(body)), 0) FROM writes),
      (SELECT coalesce(max(length(bytes)), 0) FROM parts)) AS size`);
    return row?.size ?? 0;
  }

  it("a text of 5 MB is stored once over 50 checkpoints (LAR-05), and is equal after an eviction", async () => {
    const saver = await object.saver(bucket);
    const text = "0123456789".repeat(MEGABYTE / 2);
    let config: CheckpointConfig = THREAD;
    let log = adopt<unknown[]>([{ role: "user", text }]);
    for (let step = 0; step < 50; step++) {
      log = adopt([...log, { role: "ai", step }]);
      config = await putAll(saver, config, checkpointOf({ log }));
    }
    config = await putAll(saver, config, checkpointOf({ log, copy: text }));
    await saver.putWrites(config, [["log", [{ again: text }]]], "task");
    expect(await object.count("blobs")).toBe(1);
    expect(await object.count("parts")).toBe(place === "R2" ? 0 : 5);
    expect(await keysInBucket()).toHaveLength(place === "R2" ? 1 : 0);
    const [row] = await object.query<{ size: number }>("SELECT sum(length(body)) AS size FROM checkpoints");
    expect(row?.size).toBeLessThan(20_000);
    await evictDurableObject(object.stub);
    const tuple = await (await object.saver(bucket)).getTuple(THREAD);
    expect(isSame(tuple?.checkpoint.channel_values, { log, copy: text })).toBe(true);
    expect(isSame(tuple?.pendingWrites, [["task", "log", [{ again: text }]]])).toBe(true);
  });

  it("stores 3 MB of text, 20 MB of bytes, and 1,000 values of 10 KB in one channel", async () => {
    const values = {
      text: "é".repeat(1.5 * MEGABYTE),
      bytes: new Uint8Array(20 * MEGABYTE).fill(3),
      list: Array.from({ length: 1000 }, (_, index) => `${index} `.padEnd(10_000, "x")),
    };
    const saver = await object.saver(bucket);
    const config = await putAll(saver, THREAD, checkpointOf(values));
    await saver.putWrites(config, [["list", values.list]], "task");
    await saver.putWrites(config, [["__interrupt__", "q"]], "task");
    expect(await longestRow()).toBeLessThanOrEqual(MEGABYTE);
    const fresh = await object.saver(bucket);
    const child = await fresh.put(
      config,
      checkpointOf({}, { channel_versions: { text: 1, list: 1 } }),
      METADATA,
      {},
    );
    const tuple = await fresh.getTuple(config);
    expect(tuple?.checkpoint.channel_values["text"] === values.text).toBe(true);
    const bytes = tuple?.checkpoint.channel_values["bytes"];
    expect(
      bytes instanceof Uint8Array && bytes.length === 20 * MEGABYTE && bytes.every((byte) => byte === 3),
    ).toBe(true);
    expect(
      isSame(tuple?.pendingWrites, [
        ["task", "__interrupt__", "q"],
        ["task", "list", values.list],
      ]),
    ).toBe(true);
    expect(isSame(await valuesOf(fresh, child), { text: values.text, list: values.list })).toBe(true);
  });

  it("keeps the longest text and the longest bytes that there may be, and what of them is read", async () => {
    const text = "0123456789abcdef".repeat((8 * 1024 * 1024) / 16);
    const bytes = new Uint8Array(25 * 1024 * 1024).map((_, index) => index % 251);
    const config = await putAll(await object.saver(bucket), THREAD, checkpointOf({ text, bytes }));
    const fresh = await object.saver(bucket);
    const values = await valuesOf(fresh, config);
    expect(values?.["text"] === text).toBe(true);
    const read = values?.["bytes"];
    expect(read instanceof Uint8Array && read.every((byte, index) => byte === index % 251)).toBe(true);
    expect(read instanceof Uint8Array && read.length).toBe(bytes.length);
    await putAll(fresh, config, checkpointOf({ text: "", bytes: 0 }));
    await fresh.prune(["t"]);
    expect(await object.count("blobs")).toBe(0);
    expect(await object.count("parts")).toBe(0);
    expect(await keysInBucket()).toEqual([]);
  });

  it("refuses a text of 20 MB and bytes of 30 MB, and stores nothing of the checkpoint", async () => {
    const saver = await object.saver(bucket);
    const text = "x".repeat(20 * MEGABYTE);
    const other = "y".repeat(MEGABYTE);
    await expect(putAll(saver, THREAD, checkpointOf({ other, big: [{ text }] }))).rejects.toMatchObject({
      code: "value_too_large",
      details: { size: 20 * MEGABYTE, limit: 8 * 1024 * 1024, channel: "big" },
    });
    const bytes = new Uint8Array(30 * MEGABYTE);
    const config = threadConfig("t", "", "c");
    await expect(
      saver.putWrites(
        config,
        [
          ["other", other],
          ["big", bytes],
        ],
        "task",
      ),
    ).rejects.toMatchObject({
      code: "value_too_large",
      details: { size: 30 * MEGABYTE, channel: "big" },
    });
    for (const table of ["namespaces", "checkpoints", "writes", "blobs", "parts"] as const) {
      expect(await object.count(table)).toBe(0);
    }
    expect(await keysInBucket()).toEqual([]);
  });

  it("leaves nothing of a deleted thread, and what belongs to another one", async () => {
    const saver = await object.saver(bucket);
    const shared = "s".repeat(MEGABYTE);
    for (const thread of ["a", "b"]) {
      for (const ns of ["", "sub|graph"]) {
        const body = Array.from({ length: 200 }, (_, index) => `${ns}${index}`.padEnd(10_000));
        const config = await putAll(saver, threadConfig(thread, ns), checkpointOf({ shared, body }));
        await saver.putWrites(config, [["shared", shared]], "task");
      }
    }
    const half = (await keysInBucket()).length / 2;
    await saver.deleteThread("a");
    expect(await keysInBucket()).toHaveLength(half);
    expect(isSame((await valuesOf(saver, threadConfig("b")))?.["shared"], shared)).toBe(true);
    await saver.deleteThread("b");
    for (const table of ["namespaces", "checkpoints", "writes", "blobs", "parts"] as const) {
      expect(await object.count(table)).toBe(0);
    }
    expect(await keysInBucket()).toEqual([]);
  });

  it("hashes bytes that nobody can change once, for a task and for the checkpoint", async () => {
    const saver = await object.saver(bucket);
    const config = await putAll(saver, THREAD, checkpointOf({ before: 1 }));
    const digest = vi.spyOn(crypto.subtle, "digest");
    const { bytes } = adopt({ bytes: new Uint8Array(MEGABYTE).fill(3) });
    await saver.putWrites(config, [["bytes", bytes]], "task");
    await putAll(saver, config, checkpointOf({ bytes }));
    expect(digest).toHaveBeenCalledTimes(1);
    digest.mockRestore();
    const read = (await valuesOf(await object.saver(bucket), THREAD))?.["bytes"];
    expect(read instanceof Uint8Array && read.every((byte) => byte === 3)).toBe(true);
  });

  it("stores bytes that were read and then changed in place as they are then", async () => {
    const saver = await object.saver(bucket);
    const first = await putAll(saver, THREAD, checkpointOf({ bytes: new Uint8Array(MEGABYTE).fill(3) }));
    const lent = (await valuesOf(saver, first))?.["bytes"] as Uint8Array;
    let config = await putAll(saver, first, checkpointOf({ bytes: lent }));
    for (const byte of [4, 5]) {
      lent.fill(byte);
      config = await putAll(saver, config, checkpointOf({ bytes: lent }));
      const read = (await valuesOf(await object.saver(bucket), config))?.["bytes"];
      expect(read instanceof Uint8Array && read.every((each) => each === byte)).toBe(true);
    }
    const before = (await valuesOf(await object.saver(bucket), first))?.["bytes"];
    expect(before instanceof Uint8Array && before.every((byte) => byte === 3)).toBe(true);
    expect(await object.count("blobs")).toBe(3);
  });

  it("reads them empty where nobody looks at them, unless a write of their channel is pending", async () => {
    const saver = await object.saver(bucket);
    const [text, other] = ["t".repeat(MEGABYTE), "o".repeat(MEGABYTE)];
    const values = { text, bytes: new Float64Array(MEGABYTE), list: [other, { other }], small: "s" };
    const config = await putAll(saver, THREAD, checkpointOf(values));
    await saver.putWrites(config, [["list", ["added"]]], "task");
    const fresh = await object.saver(bucket);
    const read = async (...channels: string[]) =>
      (await object.run(() => fresh.inner.outline(config, new Set(channels))))?.checkpoint.channel_values;
    expect(await read()).toEqual({ ...values, text: "", bytes: new Float64Array() });
    expect(await read("bytes")).toEqual({ ...values, text: "" });
    expect(isSame(await valuesOf(fresh, config), values)).toBe(true);
  });

  it("keeps the identity of adopted parts without large values", async () => {
    const saver = await object.saver(bucket);
    const small = adopt({ parts: [1, 2] });
    const config = await putAll(
      saver,
      THREAD,
      checkpointOf(adopt({ small, big: "b".repeat(MEGABYTE), mixed: [small, "b".repeat(MEGABYTE)] })),
    );
    const values = await valuesOf(saver, config);
    expect(values?.["small"]).toBe(small);
    expect(values?.["mixed"]).toSatisfy((mixed: unknown[]) => mixed[0] === small);
  });

  it("fails a write that was under way when its thread was deleted", async () => {
    const saver = await object.saver(bucket);
    const big = "g".repeat(MEGABYTE);
    const root = await putAll(saver, THREAD, checkpointOf(adopt({ big, v: 0 })));
    const outcome = await object.run(async () => {
      const checkpoint = checkpointOf({ v: "h".repeat(MEGABYTE) }, { channel_versions: { big: 1, v: 2 } });
      const putting = saver.inner.put(root, checkpoint, METADATA, { v: 2 }).then(
        () => "stored",
        (error: unknown) => error,
      );
      await saver.inner.deleteThread("t");
      return putting;
    });
    expect(outcome).toMatchObject({ code: "thread_deleted" });
    expect(await saver.getTuple(THREAD)).toBeUndefined();
  });
});

/** Compares as JSON: the difference between large values would take minutes to print. */
function isSame(actual: unknown, expected: unknown): boolean {
  return JSON.stringify(actual) === JSON.stringify(expected);
}
