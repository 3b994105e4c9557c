import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import { createDirectoryClass } from "../../../src/directory/durable-directory.ts";
import type { DirectoryApi, ThreadEntry } from "../../../src/directory/protocol.ts";
import { DRAFT } from "../../../src/draft-version.ts";
import { objectName } from "../../../src/http/object-name.ts";
import { Log } from "../../support/log.ts";
import { threadEntry } from "../../support/thread-entry.ts";
import { TestThread } from "../../support/threads.ts";
import { announcing, deploy } from "../graphs.ts";

const noting = new StateGraph(Log)
  .addNode("note", () => ({ log: ["noted"] }))
  .addEdge(START, "note")
  .addEdge("note", END)
  .compile();

let stub: DurableObjectStub;
let directory: DirectoryApi;

beforeAll(() => deploy({ noting }));
beforeEach(() => {
  announcing.isOn = false;
  stub = env.DIRECTORY.getByName(crypto.randomUUID());
  directory = stub as unknown as DirectoryApi;
});
afterAll(() => {
  announcing.isOn = false;
});

/** A thread that is about to be made. */
function entry(rest: Partial<ThreadEntry> = {}): ThreadEntry {
  return threadEntry("a", { version: DRAFT, ...rest });
}

function objectId(threadId: string): string {
  return env.THREAD.idFromName(objectName("", threadId)).toString();
}

/** How many of these threads the directory knows, drafts included. */
async function known(...ids: readonly string[]): Promise<number> {
  return (await directory.getThreads(ids)).length;
}

/** Until when the directory waits for it, undefined when it does not. */
function expectedBy(): Promise<unknown> {
  return runInDurableObject(stub, (_, { storage }) => {
    const [row] = storage.sql.exec("SELECT expected_by FROM threads").toArray();
    return row?.["expected_by"] ?? undefined;
  });
}

const HOUR = 60 * 60 * 1000;
const unmade = objectId(crypto.randomUUID());
/** Of an object that cannot be asked: its thread counts. */
const unknown = "no id";

describe("a thread that a directory expects", () => {
  it("is forgotten when it was not made", async () => {
    await directory.putThread(entry(), { within: 300, objectId: unmade });
    expect(await known("a")).toBe(1);
    await expect.poll(() => known("a"), { timeout: 5000 }).toBe(0);
  });

  it("is asked when nothing was heard of it", async () => {
    announcing.isOn = true;
    const thread = new TestThread();
    await thread.invoke({ input: { log: [] } });
    const shard = await shardOf(thread.id);
    await shard.putThread(entry({ threadId: thread.id }), { within: 0, objectId: objectId(thread.id) });
    const version = async () => (await shard.getThreads([thread.id]))[0]?.version;
    await expect.poll(version, { timeout: 5000 }).toBeGreaterThan(-1);
  });

  it("that cannot be asked is asked again later", async () => {
    const now = Date.now();
    await directory.putThread(entry({ createdAt: now }), { within: 0, objectId: unknown });
    await expect.poll(expectedBy, { timeout: 5000 }).toBeGreaterThanOrEqual(now + 30_000);
    expect(await directory.countThreads({})).toBe(1);
  });

  it("that cannot be asked is asked each time after twice as long", async () => {
    const now = Date.now();
    await directory.putThread(entry({ createdAt: now - 100_000 }), { within: 0, objectId: unknown });
    await expect.poll(expectedBy, { timeout: 5000 }).toBeGreaterThanOrEqual(now + 100_000);
  });

  it("is asked after one that was asked before", async () => {
    for (const threadId of ["a", "b"]) {
      await directory.putThread(entry({ threadId }), { within: 0, objectId: unmade });
      await expect.poll(() => known(threadId), { timeout: 5000 }).toBe(0);
    }
  });

  it("is asked by a directory that was erased before", async () => {
    await directory.putThread(entry(), { within: HOUR, objectId: unmade });
    await directory.removeThread("a");
    expect(await directory.erase()).toBe(0);
    await directory.putThread(entry(), { within: HOUR, objectId: unmade });
    const alarm = await runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
    expect(alarm).toBeGreaterThan(Date.now());
  });

  it.for([
    ["the same", -1],
    ["news", 0],
  ] as const)("is not asked when it has told %s", async ([, version]) => {
    await directory.putThread(entry(), { within: HOUR, objectId: unmade });
    expect(await expectedBy()).toBeGreaterThan(Date.now());
    await directory.putThread(entry({ version }));
    expect(await expectedBy()).toBeUndefined();
  });

  it("is asked when what comes is older than what is known", async () => {
    await directory.putThread(entry({ version: 2 }), { within: HOUR, objectId: unmade });
    await directory.putThread(entry({ version: 1 }));
    expect(await expectedBy()).toBeGreaterThan(Date.now());
  });

  it("is what its last maker has said", async () => {
    for (const owner of ["ann", "bob"])
      await directory.putThread(entry({ metadata: { owner } }), { within: HOUR, objectId: unknown });
    expect(await directory.countThreads({ metadata: { owner: "ann" } })).toBe(0);
    expect(await directory.countThreads({ metadata: { owner: "bob" } })).toBe(1);
  });

  it("keeps no other waiting while it does not answer, and no item", () =>
    runInDurableObject(stub, async (_, state) => {
      const asked: string[] = [];
      const Silent = createDirectoryClass({
        serde: undefined,
        report: () => undefined,
        askThread: () => (id) => {
          asked.push(id);
          return id === "silent" ? new Promise(() => undefined) : Promise.resolve(false);
        },
      });
      const silent = new Silent(state, env);
      await silent.putThread(entry({ threadId: "a" }), { within: 60_000, objectId: "silent" });
      await silent.putThread(entry({ threadId: "b" }), { within: 60_000, objectId: "unmade" });
      const item = { namespace: ["x"], key: "y", value: { type: "msgpack", data: new Uint8Array([1]) } };
      await silent.useStore([], [{ ...item, ttl: 1 }]);
      await scheduler.wait(5);
      // Due from here on: the runtime's own alarm, of the other instance, comes when it will.
      state.storage.sql.exec("UPDATE threads SET expected_by = 1");
      const alarm = silent.alarm();
      await expect.poll(async () => (await silent.getThreads(["a", "b"])).length).toBe(1);
      expect(asked).toEqual(["silent", "unmade"]);
      expect(state.storage.sql.exec("SELECT key FROM items").toArray()).toEqual([]);
      expect(await state.storage.getAlarm()).toBeGreaterThan(Date.now() + 20_000);
      state.waitUntil(alarm);
    }));
});

/** The object of the directory that is to know the thread. */
async function shardOf(threadId: string): Promise<DirectoryApi> {
  const shards = [0, 1].map(
    (index) => env.DIRECTORY.getByName(JSON.stringify(["", index])) as unknown as DirectoryApi,
  );
  const thread = new TestThread(threadId);
  await thread.state();
  await expect
    .poll(async () => (await Promise.all(shards.map((shard) => shard.getThreads([threadId])))).flat())
    .toHaveLength(1);
  for (const shard of shards) {
    if ((await shard.getThreads([threadId])).length === 0) continue;
    await shard.removeThread(threadId);
    return shard;
  }
  throw new Error("No object knows the thread.");
}
