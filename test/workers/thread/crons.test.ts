import { runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { assistantIdOf } from "../../../src/assistant-id.ts";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { lazyTables } from "../../../src/thread/migrations.ts";
import { Gate, until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { HttpError, json, request, TestThread } from "../../support/threads.ts";
import { reports } from "../../support/reports.ts";
import { crashAt } from "../../support/crash-points.ts";
import { deploy } from "../graphs.ts";

const HOUR = 3_600_000;

interface Cron {
  readonly cron_id: string;
  readonly next_run_date: string | null;
  readonly last_run_id: string | null;
  readonly last_error: string | null;
}

const ticks = new StateGraph(Log)
  .addNode("tick", () => ({ log: ["tick"] }))
  .addEdge(START, "tick")
  .addEdge("tick", END)
  .compile();

async function started(graph: Parameters<typeof deploy>[0][string] = ticks): Promise<TestThread> {
  deploy({ graph });
  const thread = new TestThread();
  await thread.invoke({ input: { log: [] } });
  return thread;
}

async function create(thread: TestThread, body: Record<string, unknown>): Promise<Cron> {
  return (await json(thread.post("/runs/crons", { input: { log: ["cron"] }, ...body }))) as Cron;
}

async function list(thread: TestThread): Promise<readonly Cron[]> {
  return (await thread.get("/runs/crons")) as readonly Cron[];
}

async function log(thread: TestThread): Promise<unknown> {
  return (await thread.state()).values["log"];
}

describe("a cron", () => {
  it("starts runs of its thread by itself, one after the other, until it is deleted", async () => {
    const thread = await started();
    const cron = await create(thread, {
      schedule: "every 60",
      timezone: "Europe/Berlin",
      metadata: { a: 1 },
    });
    expect(cron).toMatchObject({
      thread_id: thread.id,
      assistant_id: assistantIdOf("graph"),
      schedule: "every 60",
      timezone: "Europe/Berlin",
      enabled: true,
      metadata: { a: 1 },
      payload: { input: { log: ["cron"] } },
    });
    await until(async () => ((await thread.rowCounts())["runs"] ?? 0) >= 3);
    const path = `${thread.path}/runs/crons/${cron.cron_id}`;
    expect((await request(path, { method: "DELETE" })).status).toBe(204);
    expect(await list(thread)).toEqual([]);
    await until(async () => (await thread.rowCounts())["queue"] === 0);
    expect(await thread.alarm()).toBeNull();
    expect((await request(path, { method: "DELETE" })).status).toBe(404);
    expect(((await log(thread)) as string[]).slice(0, 5)).toEqual(["tick", "cron", "tick", "cron", "tick"]);
  });

  it("makes up for what was missed by one run, and does nothing twice when the alarm comes twice", async () => {
    const thread = await started();
    const { cron_id: id } = await create(thread, { schedule: `every ${HOUR}` });
    const crash = crashAt("cron.started", thread.id);
    await thread.fireAlarm().catch(() => undefined);
    expect(crash()).toBe(true);
    await runDurableObjectAlarm(thread.stub);
    await Promise.all([runDurableObjectAlarm(thread.stub), runDurableObjectAlarm(thread.stub)]);
    await until(async () => (await thread.rowCounts())["queue"] === 0);
    expect(await log(thread)).toEqual(["tick", "cron", "tick"]);
    const [cron] = await list(thread);
    expect(cron).toMatchObject({ cron_id: id, last_run_id: expect.any(String), last_error: null });
    expect(Date.parse(cron?.next_run_date ?? "") - Date.now()).toBeGreaterThan(HOUR / 2);
    await thread.evict();
    expect(await list(thread)).toEqual([cron]);
  });

  it("whose schedule cannot be read any more says so, is reported, and comes when it can be read again", async () => {
    const thread = await started();
    await create(thread, { schedule: `every ${HOUR}` });
    await thread.sql("UPDATE crons SET schedule = 'unreadable'");
    const before = reports().length;
    await thread.fireAlarm();
    expect(await list(thread)).toMatchObject([{ last_error: "invalid_schedule", last_run_id: null }]);
    expect(reports().slice(before)).toMatchObject([{ code: "invalid_schedule" }]);
    expect(await log(thread)).toEqual(["tick"]);
    await thread.sql("UPDATE crons SET schedule = 'every 3600000'");
    await thread.fireAlarm();
    await until(async () => (await thread.rowCounts())["queue"] === 0);
    expect(await list(thread)).toMatchObject([{ last_error: null, last_run_id: expect.any(String) }]);
    expect(await log(thread)).toEqual(["tick", "cron", "tick"]);
  });

  it("goes on as it was made when it is older than crons of graphs", async () => {
    const thread = await started();
    await create(thread, { schedule: `every ${HOUR}` });
    await thread.makeTables(...Object.keys(lazyTables));
    for (const column of ["assistant", "threads", "firing_at", "updated_at"]) {
      await thread.sql(`ALTER TABLE crons DROP COLUMN ${column}`);
    }
    // What came later is made again, too.
    await thread.sql("ALTER TABLE timers DROP COLUMN put_off");
    for (const index of ["kept", "given", "age"]) await thread.sql(`DROP INDEX received_events_${index}`);
    for (const index of ["runs_ended", "timers_due", "idempotency_keys_age"])
      await thread.sql(`DROP INDEX ${index}`);
    await thread.sql("DROP INDEX runs_by_place");
    await thread.sql("ALTER TABLE runs DROP COLUMN place");
    await thread.sql("ALTER TABLE thread DROP COLUMN last_place");
    await thread.sql("ALTER TABLE thread DROP COLUMN ttl");
    await thread.sql("ALTER TABLE events DROP COLUMN checkpoint");
    await thread.sql("UPDATE schema_migrations SET version = 15");
    const [row] = await thread.sql<{ created_at: number }>("SELECT created_at FROM crons");
    await thread.evict();
    const updated_at = new Date(row?.created_at ?? 0).toISOString();
    expect(await list(thread)).toMatchObject([
      { updated_at, thread_id: thread.id, assistant_id: assistantIdOf("graph") },
    ]);
    await thread.fireAlarm();
    await until(async () => (await thread.rowCounts())["queue"] === 0);
    expect(await log(thread)).toEqual(["tick", "cron", "tick"]);
  });

  it("comes no more after its end, when it is switched off, and when its schedule has no next time", async () => {
    const thread = await started();
    const end_time = new Date(Date.now() + 60_000).toISOString();
    const crons = [
      await create(thread, { schedule: `every ${HOUR}`, end_time }),
      await create(thread, { schedule: "every 1", enabled: false }),
      await create(thread, { schedule: "never" }),
    ];
    expect(crons.map(({ next_run_date: next }) => next)).toEqual([null, null, null]);
    expect(await thread.alarm()).toBeNull();
    expect((await list(thread)).map(({ cron_id: id }) => id).toSorted()).toEqual(
      crons.map(({ cron_id: id }) => id).toSorted(),
    );
  });

  it("leaves a question open, and says what became of its runs", async () => {
    const gate = new Gate();
    const asks = new StateGraph(Log)
      .addNode("ask", async ({ log: entries }) => {
        if (entries.includes("wait")) await gate.pass();
        return { log: [interrupt<string, string>("ok?")] };
      })
      .addEdge(START, "ask")
      .compile();
    const thread = await started(asks);
    const { interrupts } = await thread.state();
    await create(thread, { schedule: `every ${HOUR}` });
    await thread.fireAlarm();
    await until(async () => (await thread.rowCounts())["queue"] === 0);
    expect(await thread.get("/runs")).toMatchObject([
      { status: "error", error: { code: "thread_interrupted" } },
      { status: "success" },
    ]);
    expect((await thread.state()).interrupts).toEqual(interrupts);
    const busy = thread.invoke({ input: { log: ["wait"] }, on_interrupted: "discard" });
    await gate.reached();
    await thread.sql("DELETE FROM crons");
    await thread.sql("DELETE FROM timers WHERE kind = 'cron'");
    await create(thread, { schedule: `every ${HOUR}`, multitask_strategy: "reject" });
    await thread.sql("UPDATE timers SET due = 1 WHERE kind = 'cron'");
    await runDurableObjectAlarm(thread.stub);
    expect(await list(thread)).toMatchObject([{ last_error: "thread_busy", last_run_id: null }]);
    gate.open();
    await busy;
  });

  it.for([
    [{ schedule: "soon" }, 400, "invalid_schedule"],
    [{ schedule: "every 1", timezone: "Nowhere" }, 400, "invalid_schedule"],
    [{ schedule: "every 1", end_time: "tomorrow" }, 400, "invalid_request"],
    [{ schedule: "never", input: { log: ["x".repeat(300_000)] } }, 413, "cron_too_large"],
    [{ schedule: "never", webhook: "ftp://hooks.example.com" }, 400, "invalid_webhook"],
  ] as const)("is refused for %j", async ([body, status, code]) => {
    const thread = await started();
    const before = await thread.rowCounts();
    const error: unknown = await create(thread, body).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ status, code });
    expect(await thread.rowCounts()).toEqual(before);
    await expect(create(new TestThread(), { schedule: "never" })).rejects.toMatchObject({
      code: "thread_not_found",
    });
  });
});
