import { env } from "cloudflare:workers";
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, it } from "vitest";
import { assistantIdOf } from "../../../src/assistant-id.ts";
import { END, START, StateGraph } from "../../../src/index.ts";
import { objectName } from "../../../src/http/object-name.ts";
import { crashAt } from "../../support/crash-points.ts";
import { until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const HOUR = 3_600_000;

interface Cron {
  readonly cron_id: string;
  readonly assistant_id: string;
  readonly thread_id: string | null;
  readonly updated_at: string;
  readonly next_run_date: string | null;
  readonly payload: unknown;
  readonly last_run_id: string | null;
  readonly last_error: string | null;
}

/** The threads in which runs have been. */
const ran: string[] = [];

const ticks = new StateGraph(Log)
  .addNode("tick", (_, config) => {
    ran.push(String(config.configurable?.["thread_id"]));
    return { log: ["tick"] };
  })
  .addEdge(START, "tick")
  .addEdge("tick", END)
  .compile();

/** The object that keeps the crons of graphs: no caller can name it. */
const keeper = new TestThread(".");

function send(method: string, path: string, body?: unknown, headers = {}): Promise<Response> {
  return request(path, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function create(body: Record<string, unknown> = {}, headers = {}): Promise<Cron> {
  const cron = { assistant_id: "graph", schedule: `every ${HOUR}`, input: { log: ["cron"] }, ...body };
  return (await json(send("POST", "/runs/crons", cron, headers))) as Cron;
}

async function search(filter: Record<string, unknown> = {}): Promise<readonly Cron[]> {
  return (await json(send("POST", "/runs/crons/search", filter))) as readonly Cron[];
}

async function patch(id: string, body: Record<string, unknown>): Promise<Cron> {
  return (await json(send("PATCH", `/runs/crons/${id}`, body))) as Cron;
}

async function isDone(id: string): Promise<boolean> {
  const cron = (await search({ limit: 100 })).find(({ cron_id: each }) => each === id);
  return cron?.last_run_id !== null || cron.last_error !== null;
}

beforeEach(async () => {
  deploy({ graph: ticks });
  ran.length = 0;
  for (const { cron_id: id } of await search({ limit: 100 })) await send("DELETE", `/runs/crons/${id}`);
});

describe("a cron of a graph", () => {
  it("has LangGraph's shape, and gives each run a thread of its own, which goes after it", async () => {
    const cron = await create({ metadata: { a: 1 }, timezone: "Europe/Berlin", config: { tags: ["t"] } });
    expect(cron).toEqual({
      cron_id: expect.any(String),
      assistant_id: assistantIdOf("graph"),
      thread_id: null,
      on_run_completed: "delete",
      schedule: `every ${HOUR}`,
      timezone: "Europe/Berlin",
      enabled: true,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      end_time: null,
      next_run_date: expect.any(String),
      user_id: null,
      payload: { input: { log: ["cron"] }, config: { tags: ["t"] } },
      metadata: { a: 1 },
      last_run_id: null,
      last_error: null,
    });
    await keeper.fireAlarm();
    await until(() => ran.length === 1);
    const [after] = await search();
    expect(after).toMatchObject({ last_run_id: expect.any(String), last_error: null });
    expect(Date.parse(after?.next_run_date ?? "") - Date.now()).toBeGreaterThan(HOUR / 2);
    const made = new TestThread(ran[0]);
    await until(async () => (await made.rowCounts())["queue"] === 0);
    expect(await made.get(`/runs/${after?.last_run_id}`)).toMatchObject({ status: "success" });
    expect(await made.get("")).toMatchObject({
      metadata: { cron_id: cron.cron_id, graph_id: "graph" },
      values: { log: ["cron", "tick"] },
    });
    await made.fireAlarm();
    await expect(made.state()).rejects.toMatchObject({ status: 404 });
    await keeper.fireAlarm();
    await until(() => ran.length === 2);
    expect(ran[1]).not.toBe(ran[0]);
  });

  it("keeps or deletes the threads of its runs as it was said last, whose own say nothing of it", async () => {
    const { cron_id: id } = await create({ on_run_completed: "delete" });
    expect(await patch(id, { on_run_completed: "keep" })).toMatchObject({ on_run_completed: "keep" });
    expect(await patch(id, { enabled: true })).toMatchObject({ on_run_completed: "keep" });
    await keeper.fireAlarm();
    await until(() => isDone(id));
    await until(() => ran.length === 1);
    const made = new TestThread(ran[0]);
    await until(async () => (await made.rowCounts())["queue"] === 0);
    expect(await made.timerKinds()).toEqual([]);
    const ofThread = (await json(made.post("/runs/crons", { schedule: "never" }))) as Cron;
    expect(await patch(ofThread.cron_id, { on_run_completed: "delete" })).toMatchObject({
      thread_id: made.id,
      on_run_completed: null,
    });
  });

  it("does not tell what may be a key: its context, and the webhook but for the origin", async () => {
    const told = { input: { log: ["cron"] }, config: {}, webhook: "https://hooks.example.com" };
    const webhook = `${told.webhook}/services/T0/key?token=key`;
    const { cron_id: id, payload } = await create({ context: { key: 1 }, webhook });
    expect(payload).toEqual(told);
    expect((await patch(id, { enabled: false })).payload).toEqual(told);
    expect(await search()).toMatchObject([{ payload: told }]);
  });

  it.for(["cron.thread_made", "cron.thread_noted", "cron.run_sent"] as const)(
    "starts one run in one thread when its object ends at %s",
    async (point) => {
      const { cron_id: id } = await create({ on_run_completed: "keep" });
      const crash = crashAt(point, ".");
      await keeper.fireAlarm().catch(() => undefined);
      expect(crash()).toBe(true);
      await keeper.fireAlarm();
      await Promise.all([runDurableObjectAlarm(keeper.stub), runDurableObjectAlarm(keeper.stub)]);
      await until(() => isDone(id));
      await until(() => ran.length > 0);
      const made = new TestThread(ran[0]);
      await until(async () => (await made.rowCounts())["queue"] === 0);
      expect(ran).toHaveLength(1);
      expect(await made.get("/runs")).toHaveLength(1);
      expect(await made.timerKinds()).toEqual([]);
    },
  );

  it("starts nothing once more when the thread has come and gone before the cron knows", async () => {
    const { cron_id: id } = await create();
    const crash = crashAt("cron.run_sent", ".");
    await keeper.fireAlarm().catch(() => undefined);
    expect(crash()).toBe(true);
    await until(() => ran.length === 1);
    const made = new TestThread(ran[0]);
    await until(async () => (await made.timerKinds()).join() === "removal");
    expect(await made.delete()).toBe(204);
    await keeper.fireAlarm();
    expect(await isDone(id)).toBe(true);
    expect(ran).toHaveLength(1);
    expect(await made.tables()).toEqual([]);
  });

  it("makes up for what was missed once, and keeps what was said of it while its run was on its way", async () => {
    const { cron_id: id } = await create();
    await keeper.sql("UPDATE crons SET next_at = next_at - 72 * 3600000");
    const crash = crashAt("cron.thread_made", ".");
    await keeper.fireAlarm().catch(() => undefined);
    expect(crash()).toBe(true);
    // What an object that ends after the next transaction leaves.
    await keeper.sql("UPDATE crons SET firing_at = next_at");
    await patch(id, { enabled: false });
    expect(ran).toEqual([]);
    await keeper.fireAlarm();
    await until(() => isDone(id));
    await until(() => ran.length === 1);
    expect(await search()).toMatchObject([{ enabled: false, next_run_date: null, last_error: null }]);
    expect(await keeper.alarm()).toBeNull();
  });

  it("says why a run was refused, and leaves no thread of it", async () => {
    const { cron_id: id } = await create();
    deploy({ other: ticks });
    await keeper.evict();
    await keeper.sql("UPDATE crons SET next_at = 1700000000000");
    await keeper.fireAlarm();
    await until(() => isDone(id));
    expect(await search()).toMatchObject([
      { last_error: "unknown_graph", last_run_id: null, next_run_date: expect.any(String) },
    ]);
    expect(ran).toEqual([]);
  });
});

describe("crons by their ids", () => {
  it("are changed, those of threads too", async () => {
    const thread = new TestThread("a thread/of 1");
    await thread.invoke({ input: { log: [] } });
    const body = { schedule: `every ${HOUR}`, input: { log: ["cron"] }, metadata: { a: 1 } };
    const ofThread = (await json(thread.post("/runs/crons", body))) as Cron;
    for (const cron of [await create({ metadata: { a: 1 } }), ofThread]) {
      const { cron_id: id } = cron;
      const off = await patch(id, { enabled: false, config: { tags: ["x"] } });
      expect(off).toMatchObject({
        cron_id: id,
        thread_id: cron.thread_id,
        enabled: false,
        next_run_date: null,
        metadata: { a: 1 },
        payload: { input: { log: ["cron"] }, config: { tags: ["x"] } },
      });
      expect(off.updated_at > cron.updated_at).toBe(true);
      const end_time = new Date(Date.now() + 60_000).toISOString();
      expect(await patch(id, { enabled: true, end_time })).toMatchObject({ end_time, next_run_date: null });
      const on = await patch(id, { end_time: null, schedule: `every ${2 * HOUR}`, metadata: { b: 2 } });
      expect(on).toMatchObject({ schedule: `every ${2 * HOUR}`, metadata: { b: 2 }, end_time: null });
      expect(Date.parse(on.next_run_date ?? "") - Date.now()).toBeGreaterThan(1.5 * HOUR);
      expect(await patch(id, { input: { log: ["new"] } })).toMatchObject({
        next_run_date: on.next_run_date,
        payload: { input: { log: ["new"] } },
      });
      await expect(patch(id, { schedule: "soon" })).rejects.toMatchObject({ code: "invalid_schedule" });
      await expect(patch(id, { webhook: "no URL" })).rejects.toMatchObject({ code: "invalid_webhook" });
      expect((await send("DELETE", `/runs/crons/${id}`)).status).toBe(204);
      for (const method of ["DELETE", "PATCH"]) {
        const gone = json(send(method, `/runs/crons/${id}`, method === "PATCH" ? {} : undefined));
        await expect(gone).rejects.toMatchObject({ status: 404, code: "cron_not_found" });
      }
    }
    expect(await thread.alarm()).toBeNull();
    expect(await keeper.alarm()).toBeNull();
  });

  it("are found, counted, and made once for each key", async () => {
    const key = { "idempotency-key": crypto.randomUUID() };
    const metadata = { team: "a", of: { city: "Bonn", floors: [1, 2] } };
    const first = await create({ metadata }, key);
    expect(await create({ metadata }, key)).toEqual(first);
    const second = await create({ schedule: "never", enabled: false });
    const ids = (crons: readonly Cron[]): readonly string[] => crons.map(({ cron_id: id }) => id);
    const sorted = { sort_by: "cron_id", sort_order: "asc" };
    expect(ids(await search(sorted))).toEqual([first.cron_id, second.cron_id].toSorted());
    expect(ids(await search({ enabled: true }))).toEqual([first.cron_id]);
    for (const part of [{ team: "a" }, { of: { floors: [2] } }, { of: { floors: [1, 2], city: "Bonn" } }])
      expect(ids(await search({ metadata: part }))).toEqual([first.cron_id]);
    expect(await search({ metadata: { of: { city: "Berlin" } } })).toEqual([]);
    expect(await search({ assistant_id: "other" })).toEqual([]);
    for (const graph of ["graph", first.assistant_id])
      expect(ids(await search({ ...sorted, assistant_id: graph }))).toHaveLength(2);
    expect(await search({ ...sorted, limit: 1, offset: 1, select: ["schedule"] })).toHaveLength(1);
    expect(await json(send("POST", "/runs/crons/count", { enabled: false }))).toBe(1);
    const thread = new TestThread();
    expect(await search({ thread_id: thread.id })).toEqual([]);
    await thread.invoke({ input: { log: [] } });
    const ofThread = (await json(thread.post("/runs/crons", { schedule: "never" }))) as Cron;
    expect(ids(await search({ thread_id: thread.id }))).toEqual([ofThread.cron_id]);
    expect(await json(request("/info"))).toMatchObject({ flags: { crons: true } });
  });

  it("are another tenant's own, and their object is no thread of anybody's", async () => {
    const { cron_id: id } = await create();
    const others = env.THREAD.getByName(objectName("another", "."));
    const named = { tenant: "another", threadId: ".", cronId: id };
    expect(await others.deleteCron(named)).toMatchObject({ error: { code: "cron_not_found" } });
    expect(await others.listCrons(named)).toMatchObject({ error: { code: "thread_not_found" } });
    const tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'";
    expect(await runInDurableObject(others, (_, { storage }) => storage.sql.exec(tables).toArray())).toEqual(
      [],
    );
    for (const [path, body] of [
      ["/threads", { thread_id: "." }],
      ["/threads/prune", { thread_ids: ["."], strategy: "delete" }],
      [`/threads/${crypto.randomUUID()}/copy`, { thread_id: "." }],
    ] as const) {
      await expect(json(send("POST", path, body))).rejects.toMatchObject({ code: "invalid_thread_id" });
    }
    await expect(search({ thread_id: "." })).rejects.toMatchObject({ code: "invalid_thread_id" });
    expect(await keeper.timerKinds()).toEqual(["cron"]);
    expect((await search()).map(({ cron_id: each }) => each)).toEqual([id]);
  });
});
