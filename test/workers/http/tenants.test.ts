import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Annotation, END, START, StateGraph } from "../../../src/index.ts";
import { GRAPH_CRONS } from "../../../src/graph-crons.ts";
import { objectName } from "../../../src/http/object-name.ts";
import type { CreateThread, StartRun, ThreadAddress, ThreadApi } from "../../../src/thread/protocol.ts";
import { apiKeys, createRuntime } from "../../../src/worker.ts";
import { holdBucket } from "../../support/bucket.ts";
import { json } from "../../support/threads.ts";
import { announcing } from "../graphs.ts";
import { crons } from "../schedules.ts";
import { type Call, codeOf, server } from "./auth/server.ts";

beforeAll(() => {
  announcing.isOn = true;
});
afterAll(() => {
  announcing.isOn = false;
});

/** Has a value that goes into the bucket. */
const large = new StateGraph(Annotation.Root({ text: Annotation<string>() }))
  .addNode("grow", () => ({ text: crypto.randomUUID().repeat(8000) }))
  .addEdge(START, "grow")
  .addEdge("grow", END)
  .compile();

async function hash(key: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

interface Tenant {
  readonly name: string;
  readonly call: (path: string, request?: Call) => Promise<Response>;
}

async function tenants(): Promise<readonly [Tenant, Tenant]> {
  const names = [crypto.randomUUID(), crypto.randomUUID()] as const;
  const keys = await Promise.all(names.map(async (name) => ({ name, tenant: name, hash: await hash(name) })));
  const call = server({ auth: apiKeys(() => keys), crons }, {}, { large });
  const tenant = (name: string): Tenant => ({
    name,
    call: (path, request = {}) => call(path, { ...request, headers: { "x-api-key": name } }),
  });
  return [tenant(names[0]), tenant(names[1])];
}

/** Some of everything that a tenant can have; gives the prefixes of its threads in the bucket. */
async function fill({ name, call }: Tenant, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => crypto.randomUUID());
  for (const id of ids) await json(call(`/threads/${id}/invoke`, { body: { input: {} } }));
  await json(call("/threads", { body: { metadata: { empty: true } } }));
  await json(call("/assistants", { body: { graph_id: "large", assistant_id: "desk" } }));
  await call("/store/items", { method: "PUT", body: { namespace: ["notes"], key: "k", value: { a: 1 } } });
  await json(call("/runs/crons", { body: { schedule: "never", assistant_id: "large", input: {} } }));
  return ids.map((id) => `${env.THREAD.idFromName(objectName(name, id)).toString()}/`);
}

async function has({ call }: Tenant): Promise<Readonly<Record<string, unknown>>> {
  return {
    threads: await json(call("/threads/count", { body: {} })),
    assistants: (await call("/assistants/desk")).status,
    items: await json(call("/store/namespaces", { body: {} })),
    crons: await json(call("/runs/crons/count", { body: {} })),
  };
}

async function blobs(prefixes: readonly string[]): Promise<number> {
  const lists = await Promise.all(prefixes.map((prefix) => env.BLOBS.list({ prefix })));
  return lists.reduce((sum, { objects }) => sum + objects.length, 0);
}

function erase({ call }: Tenant, query = ""): Promise<unknown> {
  return json(call(`/tenant${query}`, { method: "DELETE" }));
}

describe("erasing a tenant", () => {
  // So many objects are made and removed for it.
  it(
    "leaves nothing of it, and all of another, however often it is broken off",
    { timeout: 20_000 },
    async () => {
      const [gone, stays] = await tenants();
      const [ofGone, ofOther] = [await fill(gone, 3), await fill(stays, 2)];
      const whole = { assistants: 200, items: { namespaces: [["notes"]] }, crons: 1 };
      expect(await has(gone)).toEqual({ threads: 4, ...whole });
      expect(await blobs(ofGone)).toBeGreaterThanOrEqual(3);
      const before = await blobs(ofOther);
      expect(await erase(gone, "?limit=1")).toEqual({
        erased: false,
        threads_left: expect.toSatisfy((left) => left > 0 && left < 4),
        failed: [],
      });
      await expect.poll(() => erase(gone, "?limit=1")).toEqual({ erased: true, threads_left: 0, failed: [] });
      expect(await erase(gone)).toEqual({ erased: true, threads_left: 0, failed: [] });
      expect(await has(gone)).toEqual({ threads: 0, assistants: 404, items: { namespaces: [] }, crons: 0 });
      expect(await blobs(ofGone)).toBe(0);
      expect(await has(stays)).toEqual({ threads: 3, ...whole });
      expect(await blobs(ofOther)).toBe(before);
      expect(before).toBeGreaterThanOrEqual(2);
    },
  );

  it("leaves no thread of a cron that is starting a run", async () => {
    const tenant = crypto.randomUUID();
    const options = { auth: () => ({ tenant, caller: "", scopes: ["*"] }), crons };
    const call = server(options, {}, { large });
    const body = { schedule: "every 3600000", assistant_id: "large", input: {}, on_run_completed: "keep" };
    await json(call("/runs/crons", { body }));
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = {
      getByName: (name: string) => {
        const thread = env.THREAD.getByName(name) as unknown as ThreadApi;
        return {
          createThread: async (create: CreateThread) => {
            asked.resolve();
            await gate.promise;
            return thread.createThread(create);
          },
          startRun: (start: StartRun) => thread.startRun(start),
          deleteThread: (address: ThreadAddress) => thread.deleteThread(address),
        };
      },
    };
    const { Thread } = createRuntime({ graphs: { large }, directory: { shards: 2 }, crons });
    const keeper = { tenant, threadId: GRAPH_CRONS };
    await runInDurableObject(env.THREAD.getByName(objectName(tenant, GRAPH_CRONS)), async (_, state) => {
      state.storage.sql.exec("UPDATE timers SET due = 1");
      state.storage.sql.exec("UPDATE crons SET next_at = 1");
      // The object that is there already must not go on with the deletion meanwhile.
      const alarms = vi.spyOn(state.storage, "setAlarm").mockResolvedValue();
      const thread = new Thread(state, { ...env, THREAD: slow });
      const firing = thread.alarm();
      await asked.promise;
      const deleting = thread.deleteThread(keeper);
      await scheduler.wait(20);
      gate.resolve();
      await firing;
      expect(await deleting).toMatchObject({ ok: true });
      alarms.mockRestore();
    });
    await scheduler.wait(100);
    expect(await json(call("/threads/count", { body: {} }))).toBe(0);
  });

  it("says which threads could not be deleted, keeps all that the directory knows, and goes on later", async () => {
    const [gone] = await tenants();
    const ids = await fill(gone, 1);
    holdBucket(({ operation }) => (operation === "list" ? Promise.reject(new Error("no")) : undefined));
    const kept = { thread_id: expect.any(String), code: "blob_unavailable" };
    for (let time = 0; time < 2; time++)
      expect(await erase(gone)).toEqual({ erased: false, threads_left: 2, failed: [kept, kept, kept] });
    expect((await gone.call("/assistants/desk")).status).toBe(200);
    holdBucket();
    await expect.poll(() => erase(gone)).toMatchObject({ erased: true, failed: [] });
    expect(await blobs(ids)).toBe(0);
  });

  it("deletes the others when the object of a thread throws, and says which one is left", async () => {
    const [gone] = await tenants();
    for (const id of ["a", "b", "c"]) await json(gone.call("/threads", { body: { thread_id: id } }));
    const deleteThread = async (): Promise<never> => {
      throw new Error("damaged");
    };
    const threads = {
      getByName: (name: string) =>
        name === objectName(gone.name, "b") ? { deleteThread } : env.THREAD.getByName(name),
    };
    const reported: unknown[] = [];
    const runtime = createRuntime({
      graphs: { large },
      directory: { shards: 2 },
      auth: () => ({ tenant: gone.name, caller: "", scopes: ["*"] }),
      report: (fault) => reported.push(fault),
    });
    const request = new Request("http://localhost/tenant", { method: "DELETE" });
    const answer = await runtime.fetch(request, { ...env, THREAD: threads }, createExecutionContext());
    const failed = [{ thread_id: "b", code: "internal" }];
    expect(await json(answer)).toEqual({ erased: false, threads_left: 1, failed });
    expect(reported).toEqual([new Error("damaged")]);
    await expect.poll(() => erase(gone)).toMatchObject({ erased: true });
  });

  it("needs a permission of its own, and rebuilding the directory one that nothing else brings along", async () => {
    const scopes = (...given: string[]) =>
      server({ auth: () => ({ tenant: crypto.randomUUID(), caller: "ann", scopes: given }) }, {}, { large });
    const rebuild = { body: { objects: [] } };
    const erasing = { method: "DELETE" };
    expect(await codeOf(await scopes("threads:*", "*:delete")("/tenant", erasing))).toBe("forbidden");
    expect((await scopes("tenant:erase")("/tenant", erasing)).status).toBe(200);
    expect((await scopes("*")("/tenant", erasing)).status).toBe(200);
    expect(await codeOf(await scopes("*", "*:rebuild_directory")("/directory/rebuild", rebuild))).toBe(
      "forbidden",
    );
    expect((await scopes("admin:rebuild_directory")("/directory/rebuild", rebuild)).status).toBe(200);
  });
});
