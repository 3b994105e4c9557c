import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BundledServer } from "../e2e/support/bundled-server.ts";

let server: BundledServer;
let client: Client;

beforeAll(async () => {
  server = await BundledServer.build(join(import.meta.dirname, "fixtures"));
  await server.start();
  client = new Client({ apiUrl: server.url, apiKey: null });
});
afterAll(() => server?.dispose());

const hello = { message: "hello" };

async function newThread(metadata: Record<string, unknown> = {}): Promise<string> {
  return (await client.threads.create({ metadata })).thread_id;
}

/** A thread with a run for each of these. */
async function threadOf(...runs: readonly string[]): Promise<string> {
  const id = await newThread();
  for (const run of runs) await client.runs.wait(id, "support", { input: hello, metadata: { run } });
  return id;
}

describe("what LangGraph's client asks of threads", () => {
  it.each(["thread_id", "status", "created_at", "updated_at", "state_updated_at"] as const)(
    "sorts them by %s",
    async (sortBy) => {
      const tag = crypto.randomUUID();
      for (const n of [0, 1, 2]) await newThread({ tag, n });
      const query = { metadata: { tag }, sortBy, select: ["metadata"] as "metadata"[] };
      const sorted = async (sortOrder: "asc" | "desc") =>
        (await client.threads.search({ ...query, sortOrder })).map(({ metadata }) => metadata?.["n"]);
      expect(await sorted("asc")).toEqual([0, 1, 2]);
      expect(await sorted("desc")).toEqual([2, 1, 0]);
      const page = await client.threads.search({ ...query, sortOrder: "asc", limit: 1, offset: 1 });
      expect(page).toEqual([{ metadata: { tag, n: 1 } }]);
    },
  );

  it("shows the parts of states that are selected, and the states of some runs", async () => {
    const id = await threadOf("a", "b");
    const [head] = await client.threads.getHistory(id, { limit: 1 });
    const select = ["values.topic", "next"] as const;
    const selected = { values: { topic: "other" }, next: [] };
    expect(await client.threads.getState(id, undefined, { select: [...select] })).toEqual(selected);
    for (const checkpoint of [head?.checkpoint.checkpoint_id ?? "", head?.checkpoint])
      expect(await client.threads.getState(id, checkpoint, { select: [...select] })).toEqual(selected);
    expect(await client.threads.getHistory(id, { limit: 1, select: [...select] })).toEqual([selected]);
    const ofRun = await client.threads.getHistory(id, { metadata: { run: "a" }, limit: 100 });
    expect(ofRun.map(({ metadata }) => metadata?.["step"])).toEqual([2, 1, 0, -1]);
  });

  it("answers an update with nothing, tells a time to live, and takes a thread's id from a config", async () => {
    const { thread_id: id, ...made } = await client.threads.create({ ttl: { ttl: 5, strategy: "delete" } });
    expect(made).toMatchObject({ ttl: { ttl_minutes: 5, strategy: "delete" } });
    expect(await client.threads.update(id, { metadata: { a: 1 }, returnMinimal: true })).toBeUndefined();
    await client.threads.patchState({ configurable: { thread_id: id } }, { b: 2 });
    expect(await client.threads.get(id, { include: ["ttl"] })).toMatchObject({
      metadata: { a: 1, b: 2 },
      ttl: { ttl_minutes: 5 },
    });
  });

  it("removes threads, and says how many there were", async () => {
    const id = await newThread();
    expect(await client.threads.prune([id, crypto.randomUUID()])).toEqual({ pruned_count: 1 });
    await expect(client.threads.get(id)).rejects.toThrow("HTTP 404");
  });
});

describe("what LangGraph's client asks of runs", () => {
  it("lists them page by page, with the keys that are selected", async () => {
    const id = await threadOf("a", "b", "c");
    const page = await client.runs.list(id, { limit: 2, offset: 1, select: ["metadata", "status"] });
    expect(page).toEqual([
      { metadata: { run: "b" }, status: "success" },
      { metadata: { run: "a" }, status: "success" },
    ]);
  });

  it("gives a failure as a value where none is to be raised", async () => {
    const id = await newThread();
    const config = { recursion_limit: 1 };
    const failed = await client.runs.wait(id, "support", { input: hello, config, raiseError: false });
    expect(failed).toMatchObject({ __error__: { error: "GraphRecursionError" } });
  });

  it("tells of each run that is made, also of those without a thread", async () => {
    const told: unknown[] = [];
    const options = { input: hello, onRunCreated: (run: unknown) => void told.push(run) };
    const id = await newThread();
    await client.runs.wait(id, "support", options);
    await client.runs.create(id, "support", options);
    await client.runs.wait(null, "support", options);
    const [run, thread] = [expect.any(String), expect.any(String)];
    expect(told).toEqual([
      { run_id: run, thread_id: id },
      { run_id: run, thread_id: id },
      { run_id: run, thread_id: thread },
    ]);
  });

  it("refuses, cancels by ids, rolls back, and says why", async () => {
    const id = await newThread();
    const later = { input: hello, afterSeconds: 60 };
    const [first, second] = [
      await client.runs.create(id, "support", later),
      await client.runs.create(id, "support", later),
    ];
    const rejected = client.runs.create(id, "support", { input: hello, multitaskStrategy: "reject" });
    await expect(rejected).rejects.toThrow("HTTP 409");
    await client.runs.cancel(id, first.run_id, true, "interrupt", { reason: "taken" });
    expect(await client.runs.get(id, first.run_id)).toMatchObject({ cancel_reason: "taken:interrupt" });
    await client.runs.cancelMany({ threadId: id, runIds: [second.run_id], action: "rollback" });
    await expect(client.runs.get(id, second.run_id)).rejects.toThrow("HTTP 404");
  });

  it("makes no thread where that is forbidden", async () => {
    const rejected = client.runs.wait(crypto.randomUUID(), "support", {
      input: hello,
      ifNotExists: "reject",
    });
    await expect(rejected).rejects.toThrow("HTTP 404");
  });

  it("hears the modes that it names, and of a thread where runs begin and end", async () => {
    const id = await newThread();
    const leave = new AbortController();
    const heard: string[] = [];
    const listening = (async () => {
      for await (const { event } of client.threads.joinStream(id, {
        streamMode: "lifecycle",
        signal: leave.signal,
      }))
        if (heard.push(event) === 2) break;
    })();
    const options = { input: hello, streamMode: ["updates" as const, "tasks" as const], afterSeconds: 1 };
    const { run_id: run } = await client.runs.create(id, "support", options);
    await listening;
    expect(heard).toEqual(["lifecycle", "lifecycle"]);
    const joined: string[] = [];
    const only = { lastEventId: "-1", streamMode: "updates" as const };
    for await (const { event } of client.runs.joinStream(id, run, only)) joined.push(event);
    expect(joined).toEqual(["metadata", "updates", "updates", "end"]);
  });
});

it("finds assistants page by page, sorted, and removes their threads with them", async () => {
  const team = crypto.randomUUID();
  for (const name of ["Beta", "Alpha"])
    await client.assistants.create({ graphId: "support", name, metadata: { team } });
  const query = { metadata: { team }, sortBy: "name" as const, sortOrder: "asc" as const, limit: 1 };
  const { assistants, next } = await client.assistants.search({ ...query, includePagination: true });
  expect([assistants.map(({ name }) => name), next]).toEqual([["Alpha"], "1"]);
  const id = await newThread();
  await client.runs.wait(id, assistants[0]?.assistant_id ?? "", { input: hello });
  await client.assistants.delete(assistants[0]?.assistant_id ?? "", { deleteThreads: true });
  const isThere = () =>
    client.threads.get(id).then(
      () => true,
      () => false,
    );
  await expect.poll(isThere, { timeout: 10_000 }).toBe(false);
});

it("finds items of the store by comparing, and namespaces by their ends", async () => {
  await client.store.putItem(["o"], "k", { a: 1 }, { ttl: 5 });
  await client.store.putItem(["o", "p"], "k", { a: 2 }, { index: false });
  expect(await client.store.getItem(["o"], "k", { refreshTtl: false })).toMatchObject({ value: { a: 1 } });
  const { items } = await client.store.searchItems(["o"], { filter: { a: { $gt: 1 } }, limit: 1 });
  expect(items.map(({ value }) => value)).toEqual([{ a: 2 }]);
  const suffix = { prefix: ["o"], suffix: ["p"], maxDepth: 2 };
  expect(await client.store.listNamespaces(suffix)).toEqual({ namespaces: [["o", "p"]] });
});
