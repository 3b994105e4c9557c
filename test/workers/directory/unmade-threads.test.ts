import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDirectoryClass } from "../../../src/directory/durable-directory.ts";
import type { DirectoryApi, ThreadEntry } from "../../../src/directory/protocol.ts";
import { type CallShard, TenantDirectory } from "../../../src/directory/tenant-directory.ts";
import { DRAFT } from "../../../src/draft-version.ts";
import { END, START, StateGraph } from "../../../src/index.ts";
import { objectName } from "../../../src/http/object-name.ts";
import { createRuntime } from "../../../src/worker.ts";
import { Log } from "../../support/log.ts";
import { threadEntry } from "../../support/thread-entry.ts";
import { json } from "../../support/threads.ts";
import { announcing, deploy } from "../graphs.ts";

const graph = new StateGraph(Log)
  .addNode("note", () => ({ log: ["noted"] }))
  .addEdge(START, "note")
  .addEdge("note", END)
  .compile();

/** As the test worker has them. */
const SHARDS = 2;

beforeAll(() => {
  deploy({ graph });
  announcing.isOn = true;
});
afterAll(() => {
  announcing.isOn = false;
});

/** A server of a tenant of its own; `threads` finds its objects. */
function serverOf(tenant: string, threads: unknown = env.THREAD, report?: (fault: unknown) => void) {
  const auth = () => ({ tenant, caller: "", scopes: ["*"] });
  const runtime = createRuntime({
    graphs: { graph },
    directory: { shards: SHARDS },
    auth,
    ...(report && { report }),
  });
  return async (path: string, body: unknown): Promise<Response> => {
    const headers = { "content-type": "application/json" };
    const request = new Request(`http://localhost${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return runtime.fetch(request, { ...env, THREAD: threads }, createExecutionContext());
  };
}

function postTo(...server: Parameters<typeof serverOf>): (path: string, body: unknown) => Promise<unknown> {
  return (path, body) => json(serverOf(...server)(path, body));
}

function directoryOf(tenant: string): DirectoryApi {
  const shards = Array.from({ length: SHARDS }, (_, index): CallShard => {
    const stub = env.DIRECTORY.getByName(JSON.stringify([tenant, index]));
    return (call) => call(stub as unknown as DirectoryApi);
  });
  return new TenantDirectory(shards);
}

const SELECTED = { select: ["thread_id"], sort_by: "thread_id", sort_order: "asc" };

/** A draft that its maker has left behind. */
async function leaveDraft(tenant: string, threadId: string, rest: Partial<ThreadEntry> = {}): Promise<void> {
  const objectId = env.THREAD.idFromName(objectName(tenant, threadId)).toString();
  const draft = threadEntry(threadId, { version: DRAFT, ...rest });
  await directoryOf(tenant).putThread(draft, { within: 60_000, objectId });
}

it("a search shows a thread that is made, and none of which there is only a draft, whatever is selected", async () => {
  const tenant = crypto.randomUUID();
  const post = postTo(tenant);
  await leaveDraft(tenant, "a ghost");
  for (const id of ["b", "c"]) await post("/threads", { thread_id: id });
  expect(await post("/threads/search", SELECTED)).toEqual([{ thread_id: "b" }, { thread_id: "c" }]);
  expect(await post("/threads/search", {})).toHaveLength(2);
  await post("/threads", { thread_id: "a ghost" });
  expect(await post("/threads/search", SELECTED)).toHaveLength(3);
});

it("a count is of what pages show, all of which are full", async () => {
  const tenant = crypto.randomUUID();
  const server = serverOf(tenant);
  const post = postTo(tenant);
  const metadata = { owner: "ann", tags: [{ of: "ann" }] };
  for (const [index, ghost] of ["a", "c", "d", "g", "h"].entries())
    await leaveDraft(tenant, ghost, index === 4 ? {} : { metadata });
  for (const id of ["b", "e", "f"]) await post("/threads", { thread_id: id, metadata });
  await post("/threads", { thread_id: "i" });
  for (const [filter, all] of [
    [{}, ["b", "e", "f", "i"]],
    [{ metadata: { owner: "ann" } }, ["b", "e", "f"]],
    [{ metadata: { tags: [{ of: "ann" }] } }, ["b", "e", "f"]],
    [{ ids: ["a", "e", "i"] }, ["e", "i"]],
  ] as const) {
    if (!("ids" in filter)) expect(await post("/threads/count", filter)).toBe(all.length);
    const shown: unknown[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const page = await server("/threads/search", { ...SELECTED, ...filter, limit: 2, offset });
      expect(page.headers.get("x-pagination-total")).toBe(String(all.length));
      const threads = await page.json<readonly { readonly thread_id: string }[]>();
      expect(threads).toHaveLength(Math.min(2, all.length - offset));
      shown.push(...threads.map(({ thread_id: id }) => id));
      const next = page.headers.get("x-pagination-next");
      offset = next === null ? undefined : Number(next);
    }
    expect(shown).toEqual(all);
  }
});

it("a count has a thread whose object does not answer, and does not wait for it", async () => {
  const tenant = crypto.randomUUID();
  await runInDurableObject(env.DIRECTORY.getByName(tenant), async (_, state) => {
    const Silent = createDirectoryClass({
      serde: undefined,
      report: () => undefined,
      askThread: () => (id) => (id === "silent" ? new Promise(() => undefined) : Promise.resolve(false)),
    });
    const silent = new Silent(state, env);
    for (const objectId of ["silent", "unmade"])
      await silent.putThread(threadEntry(objectId, { version: DRAFT }), { within: 60_000, objectId });
    const began = Date.now();
    expect(await silent.countThreads({})).toBe(1);
    expect(Date.now() - began).toBeLessThan(5000);
    const order = { by: "thread_id", descending: false } as const;
    expect(await silent.findThreads({}, order, 10)).toEqual([{ threadId: "silent", key: "silent" }]);
  });
});

it("a count is of what there is when it is made, whenever a thread that is asked is forgotten or tells more", async () => {
  await runInDurableObject(env.DIRECTORY.getByName(crypto.randomUUID()), async (_, state) => {
    let [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<boolean>()];
    const Asking = createDirectoryClass({
      serde: undefined,
      report: () => undefined,
      askThread: () => () => {
        asked.resolve();
        return answer.promise;
      },
    });
    const asking = new Asking(state, env);
    const objectId = "unmade";
    const draft = threadEntry(objectId, { version: DRAFT });
    const changes = [
      { change: () => asking.removeThread(objectId), counts: [0] },
      { change: () => asking.putThread(threadEntry(objectId, { version: 1 })), counts: [0, 1] },
    ];
    for (const { change, counts } of changes) {
      for (let turns = 0; turns < 20; turns++) {
        [asked, answer] = [Promise.withResolvers(), Promise.withResolvers()];
        await asking.putThread(draft, { within: 60_000, objectId });
        const counting = asking.countThreads({});
        await asked.promise;
        answer.resolve(false);
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        await change();
        expect(counts).toContain(await counting);
        await asking.removeThread(objectId);
      }
    }
  });
});

it("a search shows what the directory knows of a thread whose object throws, and the others whole", async () => {
  const tenant = crypto.randomUUID();
  const damaged = new Error("damaged");
  const threads = {
    getByName: (name: string) =>
      name === objectName(tenant, "b")
        ? { getThread: () => Promise.reject(damaged) }
        : env.THREAD.getByName(name),
  };
  for (const id of ["a", "b"]) await postTo(tenant)(`/threads/${id}/invoke`, { input: { log: [] } });
  const reported: unknown[] = [];
  const post = postTo(tenant, threads, (fault) => reported.push(fault));
  expect(await post("/threads/search", { sort_by: "thread_id", sort_order: "asc" })).toMatchObject([
    { thread_id: "a", values: { log: ["noted"] } },
    { thread_id: "b", values: null, error: { code: "internal" } },
  ]);
  expect(reported).toEqual([damaged]);
});
