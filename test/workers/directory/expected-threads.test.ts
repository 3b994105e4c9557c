import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import type { DirectoryApi, ThreadEntry } from "../../../src/directory/protocol.ts";
import { objectName } from "../../../src/http/object-name.ts";
import { Log } from "../../support/log.ts";
import { TestThread } from "../../support/threads.ts";
import { announcing, deploy } from "../graphs.ts";

const noting = new StateGraph(Log)
  .addNode("note", () => ({ log: ["noted"] }))
  .addEdge(START, "note")
  .addEdge("note", END)
  .compile();

let stub: DurableObjectStub;
let directory: DirectoryApi;

beforeAll(() => {
  announcing.isOn = false;
  deploy({ noting });
});
beforeEach(() => {
  stub = env.DIRECTORY.getByName(crypto.randomUUID());
  directory = stub as unknown as DirectoryApi;
});
afterAll(() => {
  announcing.isOn = false;
});

function entry(rest: Partial<ThreadEntry> = {}): ThreadEntry {
  const times = { createdAt: 1, updatedAt: 1, stateUpdatedAt: 1 };
  return {
    threadId: "a",
    version: -1,
    status: "idle",
    ...times,
    metadata: {},
    extract: {},
    questions: [],
    ...rest,
  };
}

function objectId(threadId: string): string {
  return env.THREAD.idFromName(objectName("", threadId)).toString();
}

/** Until when the directory waits for it, undefined when it does not. */
function expectedBy(): Promise<unknown> {
  return runInDurableObject(stub, (_, { storage }) => {
    const [row] = storage.sql.exec("SELECT expected_by FROM threads").toArray();
    return row?.["expected_by"] ?? undefined;
  });
}

const LATER = Date.UTC(2100, 0, 1);
const unmade = objectId(crypto.randomUUID());

describe("a thread that a directory expects", () => {
  it("is found, and forgotten when it was not made", async () => {
    await directory.putThread(entry(), { by: Date.now() + 300, objectId: unmade });
    expect(await directory.countThreads({})).toBe(1);
    await expect.poll(() => directory.countThreads({}), { timeout: 5000 }).toBe(0);
  });

  it("is asked when nothing was heard of it", async () => {
    announcing.isOn = true;
    const thread = new TestThread();
    await thread.invoke({ input: { log: [] } });
    const shard = await shardOf(thread.id);
    await shard.putThread(entry({ threadId: thread.id }), { by: Date.now(), objectId: objectId(thread.id) });
    const known = async () => (await shard.getThreads([thread.id]))[0]?.version;
    await expect.poll(known, { timeout: 5000 }).toBeGreaterThan(-1);
    announcing.isOn = false;
  });

  it("that cannot be asked is asked again later", async () => {
    const now = Date.now();
    await directory.putThread(entry({ createdAt: now }), { by: now, objectId: "no id" });
    await expect.poll(expectedBy, { timeout: 5000 }).toBeGreaterThanOrEqual(now + 30_000);
    expect(await directory.countThreads({})).toBe(1);
  });

  it.for([
    ["the same", -1],
    ["news", 0],
  ] as const)("is not asked when it has told %s", async ([, version]) => {
    await directory.putThread(entry(), { by: LATER, objectId: unmade });
    expect(await expectedBy()).toBe(LATER);
    await directory.putThread(entry({ version }));
    expect(await expectedBy()).toBeUndefined();
  });

  it("is asked when what comes is older than what is known", async () => {
    await directory.putThread(entry({ version: 2 }), { by: LATER, objectId: unmade });
    await directory.putThread(entry({ version: 1 }));
    expect(await expectedBy()).toBe(LATER);
    await directory.putThread(entry({ version: 1 }), { by: LATER + 1, objectId: unmade });
    expect(await expectedBy()).toBe(LATER + 1);
  });

  it("may go on saying that there is more", async () => {
    await directory.putThread(entry(), { by: LATER, objectId: unmade });
    await directory.putThread(entry({ version: 1, status: "busy" }), { by: LATER, objectId: unmade });
    expect(await expectedBy()).toBe(LATER);
  });
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
