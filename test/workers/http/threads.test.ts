import { beforeAll, describe, expect, it } from "vitest";
import { Annotation, END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { Gate } from "../../support/gate.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { announcing, deploy } from "../graphs.ts";

const State = Annotation.Root({
  topic: Annotation<string>(),
  order: Annotation<object>(),
  mood: Annotation<string>(),
});
const gate = new Gate();

const desk = new StateGraph(State)
  .addNode("work", async ({ topic }) => {
    if (topic === "wait") await gate.pass();
    if (topic === "fail") throw new Error("failed");
    if (topic === "ask") return { mood: String(interrupt({ question: "x".repeat(2000) })) };
    return {};
  })
  .addEdge(START, "work")
  .addEdge("work", END)
  .compile();

beforeAll(() => {
  announcing.isOn = true;
  deploy({ desk });
  return () => {
    announcing.isOn = false;
  };
});

interface WireThread {
  readonly thread_id: string;
  readonly status: string;
  readonly metadata: Record<string, unknown>;
  readonly values: unknown;
  readonly created_at: string;
  readonly updated_at: string;
  readonly interrupts: Record<string, { id: string }[]>;
}

function post(path: string, body: unknown): Promise<Response> {
  return request(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function create(body: Record<string, unknown> = {}): Promise<WireThread> {
  return (await json(post("/threads", body))) as WireThread;
}

async function search(body: Record<string, unknown>): Promise<readonly WireThread[]> {
  return (await json(post("/threads/search", body))) as readonly WireThread[];
}

async function ids(body: Record<string, unknown>): Promise<readonly string[]> {
  return (await search({ sort_by: "thread_id", sort_order: "asc", ...body })).map(
    (thread) => thread.thread_id,
  );
}

/** What the directory says of the thread by itself. */
async function known(id: string): Promise<Partial<WireThread>> {
  const [thread] = await search({ ids: [id], select: ["status", "metadata"] });
  return thread ?? {};
}

describe("a thread that is made before its first run", () => {
  it("is there, has run nothing, and is found by whoever has made it", async () => {
    const tag = crypto.randomUUID();
    const made = await create({ metadata: { tag } });
    expect(made).toMatchObject({ status: "idle", metadata: { tag }, values: null, interrupts: {} });
    expect(await ids({ metadata: { tag } })).toEqual([made.thread_id]);
    const thread = new TestThread(made.thread_id);
    expect(await thread.get("")).toEqual(made);
    expect(await thread.state()).toMatchObject({ values: {}, next: [], tasks: [] });
    expect(await thread.history()).toEqual([]);
    const empty = { status: 409, code: "thread_empty" };
    await expect(thread.invoke({ input: null })).rejects.toMatchObject(empty);
    await expect(thread.resume({ interrupt_id: "x", value: 1 })).rejects.toMatchObject(empty);
    await expect(thread.update({ values: {} })).rejects.toMatchObject(empty);
    await thread.invoke({ input: { topic: "tea" } });
    expect(await thread.get("")).toMatchObject({
      metadata: { tag, graph_id: "desk" },
      values: { topic: "tea" },
    });
  });

  it("is not made again, unless that is no matter", async () => {
    const { thread_id: id } = await create({ metadata: { n: 1 } });
    await expect(create({ thread_id: id })).rejects.toMatchObject({ status: 409, code: "thread_exists" });
    expect(await create({ thread_id: id, if_exists: "do_nothing", metadata: { n: 2 } })).toMatchObject({
      thread_id: id,
      metadata: { n: 1 },
    });
  });

  it("is made once, and a run without a thread started once, for one key", async () => {
    const call = (path: string, key: string, body: object): Promise<unknown> => {
      const headers = { "content-type": "application/json", "idempotency-key": key };
      return json(request(path, { method: "POST", headers, body: JSON.stringify(body) }));
    };
    const key = crypto.randomUUID();
    const made = (await call("/threads", key, {})) as WireThread;
    expect(await call("/threads", key, {})).toEqual(made);
    expect(await call("/threads", `${key}2`, {})).not.toMatchObject({ thread_id: made.thread_id });
    const body = { input: { topic: "tea" } };
    const run = (await call("/runs", key, body)) as { run_id: string; thread_id: string };
    expect(await call("/runs", key, body)).toMatchObject({ run_id: run.run_id, thread_id: run.thread_id });
    await expect(call("/runs", key, { input: {} })).rejects.toMatchObject({ code: "idempotency_key_reused" });
    const batch = (await call("/runs/batch", key, [body, body])) as { run_id: string }[];
    expect(batch[0]?.run_id).not.toBe(batch[1]?.run_id);
    expect(await call("/runs/batch", key, [body, body])).toMatchObject(
      batch.map(({ run_id }) => ({ run_id })),
    );
  });

  it("keeps its metadata, key by key, when some of it is replaced", async () => {
    const { thread_id: id, updated_at: before } = await create({ metadata: { a: 1, b: { c: 2 } } });
    const patch = {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: '{"metadata":{"b":3}}',
    };
    const patched = (await json(request(`/threads/${id}`, patch))) as WireThread;
    expect(patched.metadata).toEqual({ a: 1, b: 3 });
    expect(patched.updated_at >= before).toBe(true);
    expect(await known(id)).toEqual({ status: "idle", metadata: { a: 1, b: 3 } });
    await expect(json(request("/threads/nobody", patch))).rejects.toMatchObject({ code: "thread_not_found" });
  });
});

describe("a thread that was made for one run", () => {
  it("goes some time after it, unless it is to be kept", async () => {
    for (const [on_completion, isKept] of [
      ["delete", false],
      ["keep", true],
    ] as const) {
      const body = { input: { topic: "tea" }, on_completion };
      const response = await post("/runs/wait", body);
      expect(await json(response.clone())).toMatchObject({ topic: "tea" });
      const [, , id = ""] = response.headers.get("content-location")?.split("/") ?? [];
      const thread = new TestThread(id);
      expect(await thread.timerKinds()).toEqual(isKept ? [] : ["removal"]);
      await thread.inside(({ storage }) => {
        storage.sql.exec("UPDATE timers SET due = 1");
        return storage.setAlarm(1);
      });
      await thread.fireAlarm();
      const read = thread.state();
      await (isKept
        ? expect(read).resolves.toBeDefined()
        : expect(read).rejects.toMatchObject({ status: 404 }));
    }
  });
});

describe("the directory", () => {
  it("hears of what becomes of a thread", async () => {
    const thread = new TestThread();
    const paused = await thread.invoke({ input: { topic: "ask" } });
    await expect.poll(() => known(thread.id)).toMatchObject({ status: "interrupted" });
    const listed = (await json(request("/interrupts?limit=1000"))) as { interrupts: { thread_id: string }[] };
    const question = expect.stringMatching(/^\{"question":"x{900,990}…$/);
    expect(listed.interrupts.filter((each) => each.thread_id === thread.id)).toMatchObject([
      { interrupt_id: paused.interrupts[0]?.id, value: question },
    ]);
    expect((await search({ ids: [thread.id] }))[0]?.interrupts).not.toEqual({});

    await thread.resume({ interrupt_id: paused.interrupts[0]?.id, value: "fine" });
    await expect.poll(() => known(thread.id)).toMatchObject({ status: "idle" });
    await expect(thread.invoke({ input: { topic: "fail" } })).rejects.toThrow("failed");
    await expect.poll(() => known(thread.id)).toMatchObject({ status: "error" });
    await thread.update({ values: { topic: "mended" }, as_node: "work" });
    await expect.poll(() => known(thread.id)).toMatchObject({ status: "idle" });
    const waiting = thread.invoke({ input: { topic: "wait" } });
    await gate.reached();
    await expect.poll(() => known(thread.id)).toMatchObject({ status: "busy" });
    gate.open();
    await waiting;
    await thread.delete();
    expect(await known(thread.id)).toEqual({});
  });

  it("hears of it although the object ends before it could tell", async () => {
    const thread = new TestThread();
    announcing.isOn = false;
    await thread.invoke({ input: { topic: "tea" } });
    await thread.evict();
    announcing.isOn = true;
    expect(await known(thread.id)).toEqual({});
    // As the object leaves it that is stopped between its commit and the call.
    await thread.inside(({ storage }) => {
      storage.sql.exec("INSERT INTO timers (kind, id, due) VALUES ('announcement', '', 1)");
      return storage.setAlarm(1);
    });
    await thread.fireAlarm();
    expect(await known(thread.id)).toMatchObject({ status: "idle" });
    expect(await thread.alarm()).toBeNull();
  });

  it("finds threads by the values that it knows, and refuses to look for others", async () => {
    const id = crypto.randomUUID();
    const thread = new TestThread();
    await thread.invoke({ input: { topic: "tea", order: { id, secret: 1 }, mood: "fine" } });
    await expect.poll(() => ids({ values: { order: { id } } })).toEqual([thread.id]);
    expect(await ids({ values: { order: { id }, topic: "coffee" } })).toEqual([]);
    expect(await json(post("/threads/count", { values: { order: { id } } }))).toBe(1);
    for (const values of [{ mood: "fine" }, { order: { secret: 1 } }, { order: {} }]) {
      await expect(search({ values })).rejects.toMatchObject({ status: 400, code: "invalid_request" });
    }
  });

  it("gives pages, with what follows and how many there are", async () => {
    const tag = crypto.randomUUID();
    for (const id of ["a", "b", "c"]) await create({ thread_id: `${id}-${tag}`, metadata: { tag } });
    const page = (offset: number, limit: number) =>
      post("/threads/search", { metadata: { tag }, sort_by: "thread_id", sort_order: "desc", offset, limit });
    const first = await page(0, 2);
    expect(((await json(first.clone())) as WireThread[]).map((thread) => thread.thread_id[0])).toEqual([
      "c",
      "b",
    ]);
    expect([first.headers.get("x-pagination-next"), first.headers.get("x-pagination-total")]).toEqual([
      "2",
      "3",
    ]);
    const last = await page(2, 2);
    expect(((await json(last.clone())) as WireThread[]).map((thread) => thread.thread_id[0])).toEqual(["a"]);
    expect(last.headers.get("x-pagination-next")).toBeNull();
  });

  it.for([
    { limit: 0 },
    { limit: 1001 },
    { offset: -1 },
    { offset: 10_001 },
    { status: "asleep" },
    { sort_by: "mood" },
    { metadata: [] },
    { select: ["secret"] },
    { nonsense: 1 },
  ])("refuses a search with %o", async (body) => {
    await expect(search(body)).rejects.toMatchObject({ status: 400, code: "invalid_request" });
  });

  it("refuses cursors that it has not given, and metadata that is too large", async () => {
    for (const after of ["", "x", "bnVsbA==", "WzEsMiwzXQ=="]) {
      const page = request(`/interrupts?after=${encodeURIComponent(after)}`);
      await expect(json(page)).rejects.toMatchObject({ status: 400, code: "invalid_request" });
    }
    const large = create({ metadata: { a: "x".repeat(17_000) } });
    await expect(large).rejects.toMatchObject({ status: 400, code: "invalid_request" });
  });
});
