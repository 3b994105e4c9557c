import { describe, expect, it } from "vitest";
import { LazyTables } from "../../../src/storage/lazy-tables.ts";
import { Sql } from "../../../src/storage/sql.ts";
import { lazyTables } from "../../../src/thread/migrations.ts";
import { IdempotencyRows } from "../../../src/thread/idempotency/idempotency-rows.ts";
import { DeliveryRows } from "../../../src/thread/outbox/delivery-rows.ts";
import { QueueRows } from "../../../src/thread/queue/queue-rows.ts";
import { RunRows } from "../../../src/thread/runs/run-rows.ts";
import { Timers } from "../../../src/thread/timers/timers.ts";
import { gated } from "../../support/gated.ts";
import { json, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";
import { countedSql, newCounts } from "../storage/counted-sql.ts";

const MANY = 5000;
/** Rows that a call may read, whatever there is beside what it asks for. */
const FEW = 60;

/** Numbers from 1 on, in statements. */
const numbers = (count: number) =>
  `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${count})`;

/** A thread with one run, which has ended. */
async function used(): Promise<TestThread> {
  const { gate, graph } = gated();
  gate.open();
  deploy({ graph });
  const thread = new TestThread();
  await thread.invoke({ input: { log: [] } });
  return thread;
}

/** How many rows the work reads, in the object. */
function rowsRead<T>(
  thread: TestThread,
  work: (sql: Sql, tables: LazyTables<keyof typeof lazyTables>) => T,
): Promise<{ result: T; rows: number }> {
  return thread.inside(({ storage }) => {
    const counts = newCounts();
    const sql = countedSql(storage.sql, counts);
    const result = storage.transactionSync(() => work(new Sql(sql), new LazyTables(sql, lazyTables)));
    return { result, rows: counts.rowsRead };
  });
}

describe("what grows with the runs of a thread is not read through", () => {
  it("for a list of runs, of all or of one status", async () => {
    const thread = await used();
    await thread.sql(
      `${numbers(MANY)} INSERT INTO runs (id, status, created_at, ended_at, request_type)
       SELECT printf('%08d', n), iif(n = 7, 'timeout', 'success'), n, n, 'json' FROM n`,
    );
    const listed = (status?: "success" | "timeout" | "running") =>
      rowsRead(thread, (sql, tables) =>
        new RunRows(sql, new QueueRows(sql), tables).list({ limit: 5, offset: 5, ...(status && { status }) }),
      );
    for (const status of [undefined, "success"] as const) {
      const { result, rows } = await listed(status);
      expect(result).toHaveLength(5);
      expect(result).toEqual(result.toSorted().toReversed());
      expect(rows).toBeLessThan(FEW);
    }
    expect(await listed("running")).toMatchObject({ result: [] });
    const timeouts = await rowsRead(thread, (sql, tables) =>
      new RunRows(sql, new QueueRows(sql), tables).list({ status: "timeout", limit: 5, offset: 0 }),
    );
    expect(timeouts.result).toEqual(["00000007"]);
    for (const { rows } of [await listed("running"), timeouts]) expect(rows).toBeLessThan(FEW);
  });

  it("for the next timer, and those that are due", async () => {
    const thread = await used();
    await thread.sql("INSERT INTO timers (kind, id, due) VALUES ('cron', 'c', 2000), ('queue', '', 3000)");
    await thread.sql(
      `${numbers(MANY)} INSERT INTO timers (kind, id, due) SELECT 'event_log', n, 1000 + n FROM n`,
    );
    const timers = (sql: Sql) => new Timers(sql, { setAlarm: () => undefined, deleteAlarm: () => undefined });
    const next = await rowsRead(thread, (sql) => timers(sql).next());
    expect(next.result).toBe(1001);
    const due = await rowsRead(thread, (sql) => timers(sql).due(1003));
    expect(due.result.map(({ id }) => id)).toEqual(["1", "2", "3"]);
    expect((await rowsRead(thread, (sql) => timers(sql).due(2000))).result.at(-1)).toMatchObject({
      id: "1000",
    });
    for (const { rows } of [next, due]) expect(rows).toBeLessThan(FEW);
  });

  it("for a list of deliveries", async () => {
    const thread = await used();
    await thread.makeTables("deliveries");
    await thread.sql(
      `${numbers(MANY)} INSERT INTO deliveries (id, run, status, created_at)
       SELECT printf('msg_%08d', n), printf('%08d', n), 'delivered', n FROM n`,
    );
    const { result, rows } = await rowsRead(thread, (_, tables) =>
      new DeliveryRows(tables.of("deliveries")).list(3),
    );
    expect(result.map(({ run }) => run)).toEqual(["00005000", "00004999", "00004998"]);
    expect(rows).toBeLessThan(FEW);
  });

  it("for keys of calls", async () => {
    const thread = await used();
    await thread.makeTables("idempotency_keys");
    await thread.sql(
      `${numbers(MANY)} INSERT INTO idempotency_keys (caller, key, hash, result, created_at)
       SELECT '', n, '', n, n + 100000000 FROM n`,
    );
    const key = { caller: "", key: "new", hash: "" };
    const { rows } = await rowsRead(thread, (_, tables) => {
      const keys = new IdempotencyRows(tables.of("idempotency_keys"));
      keys.insert(key, "run", 100_000_001);
      keys.knownUntil();
      keys.removeOf("run", 100_000_001);
    });
    expect(rows).toBeLessThan(FEW);
    expect((await thread.rowCounts())["idempotency_keys"]).toBe(MANY);
  });
});

describe("a thread takes so many runs and no more", () => {
  const refused = { status: 429, code: "too_many_runs", details: { limit: 1000 } };

  it("into its queue: one more leaves no trace, one of a cron is left out", async () => {
    const thread = await used();
    const { gate, graph } = gated();
    deploy({ graph });
    await thread.evict();
    await json(thread.post("/runs", { input: { log: [] } }));
    await gate.reached();
    const cron = { input: { log: [] }, schedule: "every 3600000" };
    await json(thread.post("/runs/crons", cron));
    await thread.sql(`${numbers(999)} INSERT INTO queue (run) SELECT 'other ' || n FROM n`);
    // The alarm goes by the rows.
    await thread.fireAlarm();
    const before = await thread.rowCounts();
    await expect(json(thread.post("/runs", { input: { log: [] } }))).rejects.toMatchObject(refused);
    await expect(thread.invoke({ input: { log: [] } })).rejects.toMatchObject(refused);
    expect(await thread.rowCounts()).toEqual(before);
    await thread.sql("UPDATE timers SET due = 1 WHERE kind = 'cron'");
    await thread.fireAlarm();
    expect(await thread.get("/runs/crons")).toMatchObject([
      { last_error: "too_many_runs", last_run_id: null },
    ]);
    await thread.sql("DELETE FROM queue WHERE run LIKE 'other %'");
    gate.open();
    expect((await thread.invoke({ input: { log: [] } })).status).toBe("success");
  });

  it("that wait for their time", async () => {
    const thread = await used();
    const due = Date.now() + 3_600_000;
    await thread.sql(
      `${numbers(1000)} INSERT INTO timers (kind, id, due) SELECT 'run_start', 'other ' || n, ${due} FROM n`,
    );
    const delayed = json(thread.post("/runs", { input: { log: [] }, after_seconds: 60 }));
    await expect(delayed).rejects.toMatchObject(refused);
    expect((await thread.rowCounts())["runs"]).toBe(1);
    expect((await thread.invoke({ input: { log: [] } })).status).toBe("success");
  });
});
