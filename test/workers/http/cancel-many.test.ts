import { beforeAll, describe, expect, it } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import { identifiedEvents } from "../../support/events.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { announcing, deploy } from "../graphs.ts";

const waits = new StateGraph(Log)
  .addNode("wait", async ({ log }, { signal }) => {
    if (log.includes("wait")) await scheduler.wait(60_000, { ...(signal && { signal }) });
    return { log: ["done"] };
  })
  .addEdge(START, "wait")
  .addEdge("wait", END)
  .compile();

beforeAll(() => {
  deploy({ waits });
  announcing.isOn = true;
  return () => {
    announcing.isOn = false;
  };
});

interface Run {
  readonly run_id: string;
  readonly thread_id: string;
  readonly status: string;
}

const body = { assistant_id: "waits", input: { log: ["wait"] }, multitask_strategy: "enqueue" };

function post(path: string, sent: unknown): Promise<Response> {
  return request(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(sent),
  });
}

const cancel = (sent: object, query = "") => json(post(`/runs/cancel${query}`, sent));
const started = async (thread: TestThread) => (await json(thread.post("/runs", body))) as Run;
const stateless = async (sent: object = {}) => (await json(post("/runs", { ...body, ...sent }))) as Run;
const statuses = async (thread: TestThread) =>
  ((await thread.get("/runs")) as Run[]).map(({ status }) => status);

describe("POST /runs/cancel", () => {
  it("ends the runs of a thread that are named, or that wait or go on", async () => {
    const thread = new TestThread();
    const [first, second, third] = [await started(thread), await started(thread), await started(thread)];
    await cancel({ thread_id: thread.id, run_ids: [second.run_id, "unknown"] });
    expect(await statuses(thread)).toEqual([
      "pending",
      "interrupted",
      expect.stringMatching(/pending|running/),
    ]);
    await cancel({ thread_id: thread.id, status: "pending" });
    expect((await statuses(thread))[0]).toBe("interrupted");
    await cancel({ thread_id: thread.id, status: "all" }, "?action=rollback");
    await expect(thread.get(`/runs/${first.run_id}`)).rejects.toMatchObject({ code: "run_not_found" });
    expect(third.status).toBe("pending");
  });

  it("ends all of them, however many", async () => {
    const thread = new TestThread();
    const scheduled = await thread.post("/runs", { ...body, after_seconds: 3600 });
    expect(scheduled.status).toBe(200);
    const columns = await thread.sql<{ name: string }>("SELECT name FROM pragma_table_info('runs')");
    const copied = columns.map(
      ({ name }) => ({ id: "lower(hex(randomblob(16)))", place: "place + n" })[name] ?? name,
    );
    await thread.sql(`WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < 1000)
      INSERT INTO runs SELECT ${copied.join()} FROM runs, copies`);
    await thread.sql(
      "INSERT OR IGNORE INTO timers (kind, id, due) SELECT 'run_start', runs.id, due FROM runs, timers",
    );
    // An instance reads what another hand has written only when it begins.
    await thread.evict();
    expect(await thread.get("/runs?status=pending&limit=1000&offset=1")).toHaveLength(1000);
    await cancel({ thread_id: thread.id, status: "all" });
    expect(await thread.get("/runs?status=pending&limit=1000")).toEqual([]);
  }, 30_000);

  it("ends runs without a thread by their ids", async () => {
    const run = await stateless();
    expect(run.thread_id).toBe(run.run_id);
    await cancel({ run_ids: [run.run_id] });
    expect(await statuses(new TestThread(run.run_id))).toEqual(["interrupted"]);
  });

  it("ends what goes on in any thread", async () => {
    const threads = [new TestThread(), new TestThread()];
    for (const thread of threads) await started(thread);
    const busy = { status: "busy", ids: threads.map(({ id }) => id), select: ["thread_id"] };
    await expect.poll(() => json(post("/threads/search", busy))).toHaveLength(2);
    await cancel({ status: "all" });
    for (const thread of threads) expect(await statuses(thread)).toEqual(["interrupted"]);
  });

  it.each([{}, { run_ids: ["a"], status: "all" }, { status: "done" }])("takes no %j", async (sent) => {
    await expect(cancel(sent)).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("a run without a thread", () => {
  it("is joined, and its events are read, by its id alone", async () => {
    const run = await stateless({ input: { log: [] }, stream_mode: ["updates"] });
    expect(await json(request(`/runs/${run.run_id}/join`))).toEqual({ log: ["done"] });
    const events = await identifiedEvents(await request(`/runs/${run.run_id}/stream`));
    expect(events.map(({ event }) => event)).toEqual(["metadata", "updates", "end"]);
    await expect(json(request("/runs/unknown/join"))).rejects.toMatchObject({ code: "thread_not_found" });
  });
});

it("a reader of events may end the run by going", async () => {
  const thread = new TestThread();
  const run = await started(thread);
  const response = await thread.join(run.run_id, "?cancel_on_disconnect=1&namespace=a&namespace=b");
  await response.body?.cancel();
  await expect.poll(() => statuses(thread), { timeout: 5000 }).toEqual(["interrupted"]);
});
