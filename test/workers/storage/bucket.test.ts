import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { checkpointOf, METADATA, putAll, threadConfig, valuesOf } from "../../contract/fixtures.ts";
import { SaverObject } from "./durable-saver.ts";

const THREAD = threadConfig("t");
const BIG = "b".repeat(300_000);

type Calls = { put: number; get: number };

/** The test bucket, with calls counted and failing on demand. */
function bucketStub(
  calls: Calls,
  failing: Partial<Record<"put" | "get" | "delete", boolean>> = {},
): R2Bucket {
  const stub: Pick<R2Bucket, "get" | "delete"> & {
    put: (key: string, bytes: Uint8Array) => Promise<unknown>;
  } = {
    async put(key, bytes) {
      calls.put += 1;
      if (failing.put === true) throw new Error("put: internal error (10001)");
      return env.BLOBS.put(key, bytes);
    },
    async get(key: string) {
      calls.get += 1;
      if (failing.get === true) throw new Error("get: internal error (10001)");
      return env.BLOBS.get(key);
    },
    async delete(keys) {
      if (failing.delete === true) throw new Error("delete: internal error (10001)");
      return env.BLOBS.delete(keys);
    },
  };
  return stub as unknown as R2Bucket;
}

describe("the bucket of large values", () => {
  let object: SaverObject;
  let calls: Calls;
  beforeEach(async () => {
    object = await SaverObject.create();
    calls = { put: 0, get: 0 };
  });

  it("has the object before the row is committed", async () => {
    const seen: number[] = [];
    const saver = await object.saver({
      bucket: bucketStub(calls),
      transact: (write, storage) => {
        seen.push(calls.put, storage.sql.exec("SELECT 1 FROM blobs").toArray().length);
        return storage.transactionSync(write);
      },
    });
    const config = await putAll(saver, THREAD, checkpointOf({ big: BIG }));
    expect(seen).toEqual([1, 0]);
    const [row] = await object.query<{ hash: string; generation: string; size: number }>(
      "SELECT lower(hex(hash)) AS hash, generation, size FROM blobs",
    );
    expect(row?.size).toBe(BIG.length);
    const stored = await env.BLOBS.get(`${object.prefix}/${row?.hash}.${row?.generation}`);
    expect((await stored?.text()) === BIG).toBe(true);
    await saver.putWrites(config, [["big", [BIG]]], "task");
    expect(calls.put).toBe(1);
  });

  it("shares one object between writers of the same value at the same time", async () => {
    const saver = await object.saver({ bucket: bucketStub(calls) });
    const config = threadConfig("t", "", "c");
    const tasks = ["1", "2", "3"];
    await object.run(() =>
      Promise.all(tasks.map((task) => saver.inner.putWrites(config, [["a", BIG]], task))),
    );
    expect(calls.put).toBe(1);
    expect(await object.count("blobs")).toBe(1);
    expect(await object.count("writes")).toBe(3);
  });

  it.each([300_000, 3_000_000])("commits nothing when an object of %i bytes cannot be put", async (size) => {
    const big = "b".repeat(size);
    const saver = await object.saver({ bucket: bucketStub(calls, { put: true }) });
    const expected = { code: "blob_unavailable", cause: { message: "put: internal error (10001)" } };
    await expect(putAll(saver, THREAD, checkpointOf({ a: 1, big: big }))).rejects.toMatchObject(expected);
    await expect(saver.putWrites(threadConfig("t", "", "c"), [["a", [big]]], "task")).rejects.toMatchObject(
      expected,
    );
    for (const table of ["namespaces", "checkpoints", "writes", "blobs"] as const) {
      expect(await object.count(table)).toBe(0);
    }
    const healthy = await object.saver({ bucket: env.BLOBS });
    const config = await putAll(healthy, THREAD, checkpointOf({ big: big }));
    expect((await valuesOf(healthy, config))?.["big"] === big).toBe(true);
  });

  it("recovers when the next put succeeds", async () => {
    const failing = { put: true };
    const saver = await object.saver({ bucket: bucketStub(calls, failing) });
    const checkpoint = checkpointOf({ big: { text: BIG } });
    await expect(putAll(saver, THREAD, checkpoint)).rejects.toThrow("could not be written");
    failing.put = false;
    const config = await putAll(saver, THREAD, checkpoint);
    expect(calls.put).toBe(2);
    expect((await valuesOf(saver, config))?.["big"]).toSatisfy((big: { text: string }) => big.text === BIG);
  });

  it("says so when an object cannot be read, or is missing", async () => {
    const config = await putAll(
      await object.saver({ bucket: env.BLOBS }),
      THREAD,
      checkpointOf({ big: BIG }),
    );
    const unavailable = await object.saver({ bucket: bucketStub(calls, { get: true }) });
    await expect(unavailable.getTuple(config)).rejects.toMatchObject({ code: "blob_unavailable" });
    const withoutBucket = await object.saver();
    await expect(withoutBucket.getTuple(config)).rejects.toMatchObject({ code: "blob_unavailable" });
    const { objects } = await env.BLOBS.list({ prefix: `${object.prefix}/` });
    await env.BLOBS.delete(objects.map(({ key }) => key));
    await expect((await object.saver({ bucket: env.BLOBS })).getTuple(config)).rejects.toMatchObject({
      code: "blob_missing",
    });
  });

  it("carries a large value over without reading it, and reads it once for all its places", async () => {
    const root = await putAll(
      await object.saver({ bucket: env.BLOBS }),
      THREAD,
      checkpointOf({ big: [BIG, BIG, { again: BIG }], bytes: new Uint8Array(300_000).fill(98), v: 0 }),
    );
    const saver = await object.saver({ bucket: bucketStub(calls) });
    const checkpoint = checkpointOf({ v: 1 }, { channel_versions: { big: 1, bytes: 1, v: 2 } });
    const config = await saver.put(root, checkpoint, METADATA, { v: 2 });
    expect(calls).toEqual({ put: 0, get: 0 });
    // Text and bytes are the same 300,000 bytes: one object, read once.
    const values = await valuesOf(saver, config);
    expect(calls.get).toBe(1);
    expect(JSON.stringify(values?.["big"]) === JSON.stringify([BIG, BIG, { again: BIG }])).toBe(true);
    expect(values?.["bytes"]).toBeInstanceOf(Uint8Array);
  });

  it("reports objects that a deleted thread left behind", async () => {
    const saver = await object.saver({ bucket: bucketStub(calls, { delete: true }) });
    await putAll(saver, THREAD, checkpointOf({ big: BIG }));
    await expect(saver.deleteThread("t")).rejects.toMatchObject({ code: "blob_unavailable" });
    expect(await object.count("checkpoints")).toBe(0);
    expect(await saver.getTuple(THREAD)).toBeUndefined();
  });
});
