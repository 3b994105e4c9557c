import { afterEach, describe, expect, it } from "vitest";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { holdBucket } from "../../support/bucket.ts";
import { Gate } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const gate = new Gate();

const graph = new StateGraph(Log)
  .addNode("answer", async ({ log }) => {
    const asked = log.at(-1);
    if (asked === "wait") await gate.pass();
    return { log: [asked === "ask" ? String(interrupt("ok?")) : `answer to ${asked}`] };
  })
  .addEdge(START, "answer")
  .addEdge("answer", END)
  .compile();

async function startedThread(...turns: readonly string[]): Promise<TestThread> {
  deploy({ graph });
  const thread = new TestThread();
  for (const turn of turns) await thread.invoke({ input: { log: [turn] } });
  return thread;
}

function prune(body: unknown): Promise<unknown> {
  return json(
    request("/threads/prune", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
}

afterEach(() => holdBucket());

describe("POST /threads/:thread_id/prune", () => {
  it("keeps the newest checkpoint and its state, and the thread goes on", async () => {
    const thread = await startedThread("a", "b");
    expect((await thread.post("/prune", {})).status).toBe(204);
    expect(await thread.history("?limit=100")).toHaveLength(1);
    await thread.evict();
    expect((await thread.state()).values["log"]).toEqual(["a", "answer to a", "b", "answer to b"]);
    expect((await thread.invoke({ input: { log: ["c"] } })).values["log"]).toHaveLength(6);
  });

  it("keeps the last so many, and what is not older than a time", async () => {
    const thread = await startedThread("a", "b");
    const [newest] = await thread.history();
    await json(thread.post("/prune", { strategy: "keep_latest", keep_last: 4 }));
    expect(await thread.history("?limit=100")).toHaveLength(4);
    await json(thread.post("/prune", { older_than: "2020-01-01T00:00:00Z" }));
    expect(await thread.history("?limit=100")).toHaveLength(4);
    await json(thread.post("/prune", { older_than: Date.now() + 1000, keep_last: 2 }));
    const left = await thread.history("?limit=100");
    expect(left).toHaveLength(2);
    expect(left[0]).toEqual(newest);
    expect(left[1]?.parent_checkpoint).toBeNull();
  });

  it("leaves a question that can be answered", async () => {
    const thread = await startedThread("ask");
    await json(thread.post("/prune", {}));
    const [question] = (await thread.state()).interrupts;
    const answer = await thread.resume({ interrupt_id: question?.id, value: "yes" });
    expect(answer.values["log"]).toEqual(["ask", "yes"]);
  });

  it("deletes the thread on demand", async () => {
    const thread = await startedThread("a");
    expect((await thread.post("/prune", { strategy: "delete" })).status).toBe(204);
    await expect(thread.state()).rejects.toMatchObject({ code: "thread_not_found" });
    expect(await thread.tables()).toEqual([]);
  });

  it("does not start a run again that a key has led to", async () => {
    const thread = await startedThread();
    const send = (key: string) =>
      request(`${thread.path}/invoke`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify({ input: { log: [key] } }),
      });
    await json(send("one"));
    await json(send("two"));
    await json(thread.post("/prune", {}));
    await json(send("two"));
    await expect(json(send("one"))).rejects.toMatchObject({ code: "checkpoint_not_found" });
    expect((await thread.state()).values["log"]).toEqual(["one", "answer to one", "two", "answer to two"]);
  });

  it("is refused while a run is going on, for a thread that is not there, and for what it does not know", async () => {
    const thread = await startedThread("a");
    const running = thread.invoke({ input: { log: ["wait"] } });
    await gate.reached();
    await expect(json(thread.post("/prune", {}))).rejects.toMatchObject({ status: 409, code: "thread_busy" });
    gate.open();
    await running;
    await expect(json(new TestThread().post("/prune", {}))).rejects.toMatchObject({
      status: 404,
      code: "thread_not_found",
    });
    for (const body of [
      { strategy: "oldest" },
      { keep_last: 0 },
      { keep_last: 1.5 },
      { older_than: "soon" },
      { strategy: "delete", keep_last: 3 },
      { other: 1 },
    ])
      await expect(json(thread.post("/prune", body))).rejects.toMatchObject({ code: "invalid_request" });
    expect(await thread.history("?limit=100")).toHaveLength(6);
  });
});

describe("POST /threads/prune", () => {
  it("prunes or deletes those that are there, and says how many", async () => {
    const threads = [await startedThread("a", "b"), await startedThread("c", "d")];
    const other = await startedThread("e", "f");
    const ids = [...threads.map(({ id }) => id), "no such thread"];
    expect(await prune({ thread_ids: ids })).toEqual({ pruned_count: 2 });
    for (const thread of threads) expect(await thread.history("?limit=100")).toHaveLength(1);
    expect(await other.history("?limit=100")).toHaveLength(6);
    expect(await prune({ thread_ids: ids, strategy: "delete" })).toEqual({ pruned_count: 2 });
    for (const thread of threads) expect(await thread.tables()).toEqual([]);
    expect(await prune({ thread_ids: [] })).toEqual({ pruned_count: 0 });
  });

  it("refuses what it does not understand before it removes anything", async () => {
    const thread = await startedThread("a", "b");
    for (const body of [
      {},
      { thread_ids: thread.id },
      { thread_ids: [thread.id], strategy: "oldest" },
      { thread_ids: Array.from({ length: 101 }, () => thread.id) },
    ])
      await expect(prune(body)).rejects.toMatchObject({ code: "invalid_request" });
    await expect(prune({ thread_ids: [thread.id, ".."] })).rejects.toMatchObject({
      code: "invalid_thread_id",
    });
    expect(await thread.history("?limit=100")).toHaveLength(6);
  });
});

describe("POST /threads/:thread_id/copy", () => {
  it("copies a thread that has run nothing, which then takes any graph", async () => {
    const source = new TestThread();
    await json(
      request("/threads", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ thread_id: source.id, metadata: { a: 1 } }),
      }),
    );
    const { thread_id: id } = (await json(source.post("/copy", {}))) as { readonly thread_id: string };
    const copy = new TestThread(id);
    expect(await copy.get("")).toMatchObject({ status: "idle", metadata: { a: 1 }, values: null });
    expect(await copy.history()).toEqual([]);
  });

  it("makes another thread with the same history, state and question", async () => {
    const big = "b".repeat(300_000);
    const thread = await startedThread(big, "ask");
    const told = (await json(thread.post("/copy", {}))) as { thread_id: string };
    const { thread_id: id } = told;
    const copy = new TestThread(id);
    expect(told).toEqual(await copy.get(""));
    expect(told).toMatchObject({ status: "interrupted", metadata: { graph_id: "graph" } });
    const swapped = (value: unknown) =>
      JSON.parse(JSON.stringify(value).replaceAll(thread.id, id)) as unknown;
    expect(await copy.history("?limit=100")).toEqual(swapped(await thread.history("?limit=100")));
    const [question] = (await thread.state()).interrupts;
    expect((await copy.resume({ interrupt_id: question?.id, value: "yes" })).values["log"]).toContain("yes");
    expect((await thread.state()).interrupts).toEqual([question]);
    await thread.delete();
    await copy.evict();
    expect((await copy.state()).values["log"]).toEqual([big, `answer to ${big}`, "ask", "yes"]);
  });

  it("begins now, so that it is the newest of a list", async () => {
    const thread = await startedThread("a");
    await scheduler.wait(5);
    const copied = Date.now();
    const times = await json(thread.post("/copy", {}));
    expect(times).toMatchObject({ created_at: expect.any(String), updated_at: expect.any(String) });
    const { created_at: created, updated_at: updated } = times as Record<string, string>;
    expect(Date.parse(created ?? "")).toBeGreaterThanOrEqual(copied);
    expect(updated).toBe(created);
  });

  it("takes a name for the new thread, which must not be there", async () => {
    const thread = await startedThread("a");
    const name = `copy of ${thread.id}`;
    expect(await json(thread.post("/copy", { thread_id: name }))).toMatchObject({ thread_id: name });
    expect((await new TestThread(name).state()).values["log"]).toEqual(["a", "answer to a"]);
    await expect(json(thread.post("/copy", { thread_id: name }))).rejects.toMatchObject({
      status: 409,
      code: "thread_exists",
    });
    await expect(json(thread.post("/copy", { thread_id: ".." }))).rejects.toMatchObject({
      code: "invalid_thread_id",
    });
    await expect(json(new TestThread().post("/copy", {}))).rejects.toMatchObject({
      code: "thread_not_found",
    });
  });

  it("leaves nothing when the thread is written meanwhile", async () => {
    const thread = await startedThread("b".repeat(300_000));
    const exporting = new Gate();
    let isHeld = false;
    holdBucket(({ operation }) => {
      if (operation !== "get" || isHeld) return undefined;
      isHeld = true;
      return exporting.pass();
    });
    const name = `copy of ${thread.id}`;
    const copying = json(thread.post("/copy", { thread_id: name }));
    copying.catch(() => undefined);
    await exporting.reached();
    await thread.update({ values: { log: ["meanwhile"] }, as_node: "answer" });
    exporting.open();
    await expect(copying).rejects.toMatchObject({ status: 409, code: "thread_busy" });
    await expect(new TestThread(name).state()).rejects.toMatchObject({ code: "thread_not_found" });
  });
});
