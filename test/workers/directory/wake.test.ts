import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import type { DirectoryApi } from "../../../src/directory/protocol.ts";
import { GRAPH_CRONS } from "../../../src/graph-crons.ts";
import { objectName } from "../../../src/http/object-name.ts";
import { createRuntime } from "../../../src/worker.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { announcing, deploy } from "../graphs.ts";

const noting = new StateGraph(Log)
  .addNode("note", () => ({ log: ["noted"] }))
  .addEdge(START, "note")
  .addEdge("note", END)
  .compile();

beforeAll(() => {
  announcing.isOn = true;
  deploy({ noting });
});
afterAll(() => {
  announcing.isOn = false;
});

function post(path: string, body: unknown): Promise<Response> {
  return request(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** All objects among which the threads are divided. */
function shards(): readonly DirectoryApi[] {
  return [0, 1].map(
    (index) => env.DIRECTORY.getByName(JSON.stringify(["", index])) as unknown as DirectoryApi,
  );
}

async function forget(threadId: string): Promise<void> {
  for (const shard of shards()) await shard.removeThread(threadId);
}

async function isFound(threadId: string): Promise<boolean> {
  return ((await json(post("/threads/search", { ids: [threadId] }))) as unknown[]).length > 0;
}

async function noted(): Promise<TestThread> {
  const thread = new TestThread();
  await thread.invoke({ input: { log: [] } });
  await expect.poll(() => isFound(thread.id)).toBe(true);
  return thread;
}

function objectId(threadId: string): string {
  return env.THREAD.idFromName(objectName("", threadId)).toString();
}

describe("a directory that has lost a thread", () => {
  it("hears of it when the thread wakes, and nothing when it has not lost it", async () => {
    const thread = await noted();
    const rows = () =>
      thread.inside(({ storage }) => storage.sql.exec("SELECT version FROM thread").one()["version"]);
    const version = await rows();
    await forget(thread.id);
    await thread.state();
    expect(await isFound(thread.id)).toBe(false);
    await thread.evict();
    await thread.state();
    await expect.poll(() => isFound(thread.id)).toBe(true);
    expect(await rows()).toBe(version);
  });

  it("hears of it when it is rebuilt from the ids of objects, of whatever is a thread", async () => {
    const [lost, other] = [await noted(), await noted()];
    await forget(lost.id);
    const cron = { schedule: "never", assistant_id: "noting", input: {} };
    await json(post("/runs/crons", cron));
    const objects = [
      objectId(lost.id),
      objectId(other.id),
      objectId(GRAPH_CRONS),
      objectId(crypto.randomUUID()),
    ];
    expect(await json(post("/directory/rebuild", { objects }))).toEqual({ announced: 2, failed: [] });
    expect(await isFound(lost.id)).toBe(true);
    expect(await isFound(GRAPH_CRONS)).toBe(false);
  });

  it("is rebuilt of the others when an object cannot tell, and says of which it cannot", async () => {
    const ids = Array.from({ length: 12 }, (_, index) => String(index).padStart(64, "0"));
    const [down = "", reset = ""] = ids;
    const faults = new Map([
      [down, new Error("the directory is down")],
      [reset, Object.assign(new Error("reset"), { durableObjectReset: true })],
    ]);
    const threads = {
      getByName: () => undefined,
      idFromString: (id: string) => id,
      get: (id: string) => ({
        announceThread: async () => {
          const fault = faults.get(id);
          if (fault !== undefined) throw fault;
          return { ok: true, value: true };
        },
      }),
    };
    const reported: unknown[] = [];
    const runtime = createRuntime({ graphs: { noting }, report: (fault) => reported.push(fault) });
    const rebuild = new Request("http://localhost/directory/rebuild", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ objects: ids }),
    });
    const response = await runtime.fetch(rebuild, { ...env, THREAD: threads }, createExecutionContext());
    expect(await json(response)).toEqual({
      announced: 10,
      failed: [
        { object: down, code: "internal" },
        { object: reset, code: "thread_unavailable" },
      ],
    });
    expect(reported).toEqual([faults.get(down)]);
  });

  it.for([
    [["x"]],
    [["0".repeat(64)]],
    [[env.DIRECTORY.idFromName("x").toString()]],
    [Array.from({ length: 1001 }, () => "0".repeat(64))],
  ])("is not rebuilt from %o", async ([objects]) => {
    await expect(json(post("/directory/rebuild", { objects }))).rejects.toMatchObject({
      code: "invalid_request",
    });
  });
});

describe("a thread that is deleted while a directory that has lost it hears of it", () => {
  it("is forgotten in the end", async () => {
    const tenant = crypto.randomUUID();
    const threadId = crypto.randomUUID();
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const told: string[] = [];
    const directory: Pick<DirectoryApi, "knowsThread" | "putThread" | "removeThread"> = {
      knowsThread: async () => false,
      putThread: async () => {
        asked.resolve();
        await gate.promise;
        told.push("put");
        return false;
      },
      removeThread: async () => {
        told.push("removed");
      },
    };
    const { Thread } = createRuntime({ graphs: { noting } });
    const stub = env.THREAD.getByName(objectName(tenant, threadId));
    await runInDurableObject(stub, async (_, state) => {
      const made = new Thread(state, { ...env, DIRECTORY: undefined });
      await made.createThread({ tenant, threadId, metadata: {}, ifExists: "raise" });
      const thread = new Thread(state, { ...env, DIRECTORY: { getByName: () => directory } });
      await thread.getThread({ tenant, threadId });
      await asked.promise;
      const deleting = thread.deleteThread({ tenant, threadId });
      await scheduler.wait(20);
      gate.resolve();
      expect(await deleting).toMatchObject({ ok: true });
      expect(told).toEqual(["put", "removed"]);
    });
  });
});
