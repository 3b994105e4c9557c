import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { adopt } from "../../../src/values/adopt.ts";
import type { CheckpointConfig } from "../../../src/checkpoint/types.ts";
import type { BodyRow } from "../../../src/storage/body-row.ts";
import type { StagedRecord } from "../../../src/storage/record-store.ts";
import type { SqliteSaver } from "../../../src/storage/sqlite-saver.ts";
import { checkpointOf, METADATA, putAll, threadConfig, valuesOf } from "../../contract/fixtures.ts";
import { SaverObject, type SaverInObject } from "./durable-saver.ts";

const THREAD = threadConfig("t");

function big(letter: string, length = 200_000): string {
  return letter.repeat(length);
}

const value = big("v");

type Operation = "put" | "get" | "delete" | "list" | "after put";
type Hold = (operation: Operation) => Promise<void> | undefined;

/** The test bucket; before a call, or when an object is there and its writer is not told yet, `hold` may let it wait or fail. */
function heldBucket(hold: Hold): R2Bucket {
  return new Proxy(env.BLOBS, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return async (...parameters: unknown[]): Promise<unknown> => {
        await hold(name as Operation);
        const result: unknown = await Reflect.apply(method, target, parameters);
        if (name === "put") await hold("after put");
        return result;
      };
    },
  });
}

describe.each(["R2", "SQLite"])("blobs in %s that nothing refers to", (place) => {
  let object: SaverObject;
  let saver: SaverInObject;
  const bucket = place === "R2" ? { bucket: env.BLOBS } : {};
  beforeEach(async () => {
    object = await SaverObject.create();
    saver = await object.saver(bucket);
  });

  /** How many blobs there are, checked to be whole: rows and objects, or rows and parts. */
  async function blobs(): Promise<number> {
    const rows = await object.count("blobs");
    const { objects } = await env.BLOBS.list({ prefix: `${object.prefix}/` });
    expect(objects).toHaveLength(place === "R2" ? rows : 0);
    const [parts] = await object.query<{ n: number }>(
      "SELECT count(*) AS n FROM (SELECT DISTINCT thread_id, hash FROM parts)",
    );
    expect(parts?.n).toBe(place === "R2" ? 0 : rows);
    return rows;
  }

  it("go with the last row that does: a checkpoint, a write, or a body of their own", async () => {
    const first = await putAll(saver, THREAD, checkpointOf({ keep: big("k"), gone: [{ text: big("g") }] }));
    await saver.putWrites(first, [["log", new Map([["a", big("w")]])]], "task");
    const long = Array.from({ length: 300 }, (_, index) => `${index}`.padEnd(10_000));
    const second = await saver.put(
      first,
      checkpointOf({ gone: 1, long }, { channel_versions: { keep: 1, gone: 2, long: 1 } }),
      METADATA,
      { gone: 2, long: 1 },
    );
    await saver.putWrites(second, [["log", big("w")]], "task");
    await putAll(saver, threadConfig("other"), checkpointOf({ gone: big("g") }));
    expect(await blobs()).toBe(5);
    await saver.prune(["t"]);
    expect(await blobs()).toBe(4);
    expect(await valuesOf(saver, THREAD)).toEqual({ keep: big("k"), gone: 1, long });
    expect((await saver.getTuple(THREAD))?.pendingWrites).toEqual([["task", "log", big("w")]]);
    expect(await valuesOf(saver, threadConfig("other"))).toEqual({ gone: big("g") });

    await putAll(saver, second, checkpointOf({ keep: 1 }));
    await saver.prune(["t"]);
    expect(await blobs()).toBe(1);
    await saver.deleteThread("other");
    expect(await blobs()).toBe(0);
  });

  it("are written anew when the same value comes back", async () => {
    const kept = adopt({ text: big("v") });
    const first = await putAll(saver, THREAD, checkpointOf({ kept }));
    const second = await putAll(saver, first, checkpointOf({ kept: 0 }));
    await saver.prune(["t"]);
    expect(await blobs()).toBe(0);
    const third = await putAll(saver, second, checkpointOf({ kept }));
    expect(await blobs()).toBe(1);
    expect(await valuesOf(await object.saver(bucket), third)).toEqual({ kept });
  });

  it("of a copy are the same, until both threads have let go of them", async () => {
    await putAll(saver, THREAD, checkpointOf({ value: big("v") }));
    await saver.copyThread("t", "u");
    expect(await object.count("blobs")).toBe(2);
    const objects = async () => (await env.BLOBS.list({ prefix: `${object.prefix}/` })).objects.length;
    expect(await objects()).toBe(place === "R2" ? 1 : 0);
    await saver.deleteThread("t");
    expect(await valuesOf(await object.saver(bucket), threadConfig("u"))).toEqual({ value: big("v") });
    const [head] = await object.query<{ n: number }>("SELECT count(*) AS n FROM blobs");
    expect(head?.n).toBe(1);
    await saver.deleteThread("u");
    expect(await objects()).toBe(0);
  });
});

describe("collection and writing at once", () => {
  let object: SaverObject;
  let first: CheckpointConfig;
  beforeEach(async () => {
    object = await SaverObject.create();
    const saver = await object.saver({ bucket: env.BLOBS });
    const gone = await putAll(saver, THREAD, checkpointOf({ value }));
    first = await putAll(saver, gone, checkpointOf({ value: 0 }));
  });

  /** Runs a prune, which collects the value, and a write of it, while the bucket holds one of their calls. */
  async function interleave(
    held: Operation,
    work: (
      saver: SqliteSaver,
      write: (parent?: CheckpointConfig) => Promise<CheckpointConfig>,
      open: () => void,
    ) => Promise<void>,
    left = 1,
  ): Promise<void> {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    let isHeld = true;
    const bucket = heldBucket((operation) => (operation === held && isHeld ? gate : undefined));
    const saver = await object.saver({ bucket });
    const written = await object.run(async () => {
      const configs: CheckpointConfig[] = [];
      const write = async (parent = first) => {
        const config = await putAll(saver.inner, parent, checkpointOf({ value }));
        configs.push(config);
        return config;
      };
      await work(saver.inner, write, () => {
        isHeld = false;
        open();
      });
      return configs;
    });
    const fresh = await object.saver({ bucket: env.BLOBS });
    expect(written.length).toBeGreaterThan(0);
    for (const config of written) expect(await valuesOf(fresh, config)).toEqual({ value });
    // Nothing is left over, and nothing is missing, once all is quiet.
    await fresh.prune(["t"], { keepLast: 10 });
    const { objects } = await env.BLOBS.list({ prefix: `${object.prefix}/` });
    expect(objects).toHaveLength(left);
    for (const config of written) expect(await valuesOf(fresh, config)).toEqual({ value });
  }

  it("a value that is written again while its old object is being deleted", async () => {
    await interleave("delete", async (saver, write, open) => {
      const pruning = saver.prune(["t"]);
      await scheduler.wait(30);
      await write();
      open();
      await pruning;
    });
  });

  it("a value whose object is being put while the thread is pruned", async () => {
    await interleave("put", async (saver, write, open) => {
      await saver.prune(["t"]);
      const writing = write();
      await scheduler.wait(10);
      const pruning = saver.prune(["t"]);
      await scheduler.wait(10);
      open();
      await Promise.all([writing, pruning]);
    });
  });

  it("a value that was there when its writer began, and is collected before it commits", async () => {
    await interleave("put", async (saver, write, open) => {
      // It waits until the other value is put, and relies on the row of this one.
      const writing = putAll(saver, first, checkpointOf({ value, other: big("o") }));
      await scheduler.wait(10);
      const pruning = saver.prune(["t"]);
      await scheduler.wait(30);
      open();
      const config = await writing;
      await pruning;
      expect(await valuesOf(saver, config)).toEqual({ value, other: big("o") });
      await write();
      await saver.prune(["t"]);
    });
  });

  it("a value whose writer fails when another one relies on its object", async () => {
    await interleave("put", async (saver, write, open) => {
      await saver.prune(["t"]);
      const removed = await putAll(saver, first, checkpointOf({ value: 1 }));
      const head = await putAll(saver, removed, checkpointOf({ value: 2 }));
      const failing = saver.put(
        removed,
        checkpointOf({ value, more: 1 }, { channel_versions: { value: 3, more: 1 } }),
        METADATA,
        { value: 3 },
      );
      const writing = write(head);
      await scheduler.wait(10);
      const pruning = saver.prune(["t"]);
      await scheduler.wait(10);
      open();
      await expect(failing).rejects.toMatchObject({ code: "parent_removed" });
      await pruning;
      await writing;
    });
  });

  it("an object that is there before its writer knows it", async () => {
    await interleave("after put", async (saver, write, open) => {
      await saver.prune(["t"]);
      const writing = write();
      await scheduler.wait(30);
      await saver.prune(["t"]);
      open();
      await writing;
    });
  });

  it("a row that comes where the search for what is in use has been already", async () => {
    const long = Array.from({ length: 300 }, (_, index) => `${index}`.padEnd(10_000));
    await putAll(
      await object.saver({ bucket: env.BLOBS }),
      threadConfig("t", "child:1"),
      checkpointOf({ long }),
    );
    await interleave(
      "get",
      async (saver, write, open) => {
        const pruning = saver.prune(["t"]);
        await scheduler.wait(30);
        await write();
        open();
        await pruning;
        await saver.prune(["t"], { strategy: "keep_latest" });
      },
      2,
    );
  });

  it("a list of what is in the bucket that is old when it arrives", async () => {
    await interleave("list", async (saver, write, open) => {
      const pruning = saver.prune(["t"]);
      await scheduler.wait(30);
      await write();
      open();
      await pruning;
    });
  });
});

describe("collection and values in rows of others", () => {
  it("what is staged stays, whether it was there before or is shared with somebody who is done", async () => {
    const object = await SaverObject.create();
    const bodies: BodyRow[] = [];
    const saver = await object.saver({ bucket: env.BLOBS, otherBodies: () => bodies });
    const gone = await putAll(saver, THREAD, checkpointOf({ value }));
    await putAll(saver, gone, checkpointOf({ value: 0 }));
    await object.run(async () => {
      const records = saver.inner.records();
      const stage = (text: string) => records.stage("t", "input", { text });
      const commit = async (staged: StagedRecord, text: string) => {
        staged.commit();
        await staged.release();
        const { type, body, bodyHash } = staged.body;
        const row = {
          type,
          body: body && body.slice().buffer,
          body_hash: bodyHash && bodyHash.slice().buffer,
        };
        expect(await records.read("t", row)).toEqual({ text });
        return row;
      };
      const known = await stage(value);
      const [early, late] = await Promise.all([stage(big("n")), stage(big("n"))]);
      await commit(early, big("n"));
      await saver.inner.prune(["t"]);
      bodies.push(await commit(known, value), await commit(late, big("n")));
      await saver.inner.prune(["t"]);
      for (const [index, text] of [value, big("n")].entries())
        expect(await records.read("t", bodies[index] as BodyRow)).toEqual({ text });
    });
    expect(await object.count("blobs")).toBe(2);
    bodies.pop();
    await saver.prune(["t"]);
    expect(await object.count("blobs")).toBe(1);
  });
});

describe("objects that no row names yet", () => {
  it("stay while their writer is at work", async () => {
    const object = await SaverObject.create();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const bucket = heldBucket((operation) => (operation === "after put" ? gate : undefined));
    const saver = await object.saver({ bucket });
    await putAll(await object.saver(), THREAD, checkpointOf({ small: 1 }));
    await object.run(async () => {
      const records = saver.inner.records();
      const staging = records.stage("t", "input", { text: value });
      await scheduler.wait(30);
      await saver.inner.prune(["t"]);
      open();
      const staged = await staging;
      staged.commit();
      await staged.release();
      const { type, body } = staged.body;
      const row = { type, body: body && body.slice().buffer, body_hash: null };
      expect(await records.read("t", row)).toEqual({ text: value });
    });
  });
});

describe("a bucket that fails", () => {
  const outage = (failing: Operation): Hold => {
    return (operation) => (operation === failing ? Promise.reject(new Error("outage")) : undefined);
  };

  it.each([
    ["removes what was put", false],
    ["leaves objects that the next prune removes", true],
  ])("after objects were put, or a transaction that does, %s (LAR-03)", async (_, isDown) => {
    const object = await SaverObject.create();
    let puts = 0;
    const bucket = heldBucket((operation) => {
      if (operation === "put") puts += 1;
      const fails = (operation === "put" && puts === 2) || (operation === "delete" && isDown);
      return fails ? Promise.reject(new Error("outage")) : undefined;
    });
    const half = await object.saver({ bucket });
    const checkpoint = checkpointOf({ a: big("a"), b: big("b") });
    await expect(putAll(half, THREAD, checkpoint)).rejects.toMatchObject({ code: "blob_unavailable" });
    const undone = await object.saver({
      bucket,
      transact: (write, storage) =>
        storage.transactionSync(() => {
          write();
          throw new Error("disk full");
        }),
    });
    await expect(putAll(undone, THREAD, checkpoint)).rejects.toThrow("disk full");
    for (const table of ["checkpoints", "blobs", "namespaces"] as const)
      expect(await object.count(table)).toBe(0);
    const keys = async () => (await env.BLOBS.list({ prefix: `${object.prefix}/` })).objects.length;
    const left = isDown ? 3 : 0;
    expect(await keys()).toBe(left);

    const saver = await object.saver({ bucket: env.BLOBS });
    const config = await putAll(saver, THREAD, checkpoint);
    expect(await keys()).toBe(left + 2);
    await saver.prune(["t"]);
    expect(await keys()).toBe(2);
    expect(await valuesOf(saver, config)).toEqual({ a: big("a"), b: big("b") });
  });

  it.each(["delete", "list"] as const)(
    "at %s leaves a pruned thread whole, and what is left for the next prune",
    async (failing) => {
      const object = await SaverObject.create();
      const saver = await object.saver({ bucket: heldBucket(outage(failing)) });
      const first = await putAll(saver, THREAD, checkpointOf({ value: big("v") }));
      await putAll(saver, first, checkpointOf({ value: big("w") }));
      await expect(saver.prune(["t"])).rejects.toMatchObject({ code: "blob_unavailable" });
      const healthy = await object.saver({ bucket: env.BLOBS });
      expect(await valuesOf(healthy, THREAD)).toEqual({ value: big("w") });
      await healthy.prune(["t"]);
      expect((await env.BLOBS.list({ prefix: `${object.prefix}/` })).objects).toHaveLength(1);
      expect(await valuesOf(healthy, THREAD)).toEqual({ value: big("w") });
    },
  );
});

describe("a long thread", () => {
  it("is pruned in pieces, and is whole after each", { timeout: 60_000 }, async () => {
    const object = await SaverObject.create();
    const lengths: number[] = [];
    const saver = await object.saver({
      yieldTurn: async () => {
        const tuple = await saver.inner.getTuple(THREAD);
        expect(tuple?.checkpoint.channel_values).toEqual({ once: "x", n: 1999 });
        lengths.push(await count());
      },
    });
    const count = async () => {
      let length = 0;
      for await (const _ of saver.inner.list(THREAD)) length += 1;
      return length;
    };
    await object.run(async () => {
      let parent: CheckpointConfig = THREAD;
      for (let n = 0; n < 2000; n++) {
        const values = n === 0 ? { once: "x", n } : { n };
        const next = checkpointOf(values, { channel_versions: { once: 1, n: n + 1 } });
        parent = await saver.inner.put(parent, next, METADATA, n === 0 ? { once: 1, n: 1 } : { n: n + 1 });
        await saver.inner.putWrites(parent, [["n", n]], "task");
      }
    });
    await saver.prune(["t"], { keepLast: 20 });
    expect(lengths.length).toBeGreaterThan(5);
    expect(lengths).toEqual(lengths.toSorted((a, b) => b - a));
    expect(await object.count("checkpoints")).toBe(20);
    expect(await object.count("writes")).toBe(20);
    const [roots] = await object.query<{ n: number }>(
      "SELECT count(*) AS n FROM checkpoints WHERE parent IS NULL",
    );
    expect(roots?.n).toBe(1);
    expect(await valuesOf(await object.saver(), THREAD)).toEqual({ once: "x", n: 1999 });
  });
});
