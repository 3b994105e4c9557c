import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { objectName } from "../../../src/http/object-name.ts";
import { LazyTables } from "../../../src/storage/lazy-tables.ts";
import { usageOf } from "../../../src/storage/usage.ts";
import { lazyTables } from "../../../src/thread/migrations.ts";
import { type IdentifiedEvent, identifiedEvents } from "../../support/events.ts";
import { Log } from "../../support/log.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const SIZE = 200_000;

const asking = new StateGraph(Log)
  .addNode("ask", () => ({ log: ["x".repeat(SIZE), String(interrupt("Name?"))] }))
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();

/** What a run tells while it goes on, in pieces of so many characters: some rows of the log have several, and some only a part of one. */
async function spoken(thread: TestThread, size: number): Promise<readonly IdentifiedEvent[]> {
  deploy({
    asking: new StateGraph(Log)
      .addNode("speak", (_, config) => {
        for (let n = 0; n < 5; n++) config.writer("x".repeat(n * size));
        return { log: ["spoken"] };
      })
      .addEdge(START, "speak")
      .addEdge("speak", END)
      .compile(),
  });
  await thread.evict();
  const response = await thread.post("/stream", { input: { log: [] }, stream_mode: ["custom", "updates"] });
  const events = await identifiedEvents(response);
  // What says which run it is, and how it ends, is in no log.
  return events.filter(({ id = "" }) => !id.endsWith("-0"));
}

async function asked(): Promise<TestThread> {
  deploy({ asking });
  const thread = new TestThread();
  const { interrupts } = await thread.invoke({ input: { log: [] } });
  await thread.resume({ interrupt_id: interrupts[0]?.id, value: "Ann" });
  await thread.post("/runs", { input: { log: [] }, after_seconds: 3600 });
  return thread;
}

describe("the usage of a thread", () => {
  it("is in rows and bytes, by table, status and kind", async () => {
    const thread = await asked();
    const history = await thread.history();
    expect(await thread.get("/usage")).toMatchObject({
      thread_id: thread.id,
      bytes: { database: expect.toSatisfy((bytes: number) => bytes > 0), bucket: SIZE },
      rows: { thread: 1, runs: 3, checkpoints: history.length, blobs: 1 },
      runs: { success: 2, pending: 1 },
      timers: { run_start: 1 },
      is_complete: true,
    });
  });

  it("counts the events that are kept of streamed runs, and those that came", async () => {
    const thread = await asked();
    expect(await thread.get("/usage")).toMatchObject({ events: { streamed: 0, received: 0 } });
    const received = [await spoken(thread, 400_000), await spoken(thread, 10)].flat();
    await thread.post("/events/news", { n: 1 });
    expect(await thread.get("/usage")).toMatchObject({
      rows: { events: expect.toSatisfy((rows: number) => rows > 4 && rows < received.length) },
      events: { streamed: received.length, received: 1 },
      is_complete: true,
    });
    // As the log does when it has grown too large.
    await thread.sql(`DELETE FROM events WHERE run = (SELECT min(run) FROM events)
      AND n < (SELECT n FROM events WHERE seq > 1 ORDER BY run, n LIMIT 1)`);
    const { events } = (await thread.get("/usage")) as { events: { streamed: number } };
    const [first] = await thread.sql<{ seq: number }>("SELECT seq FROM events ORDER BY run, n LIMIT 1");
    expect(first?.seq).toBeGreaterThan(1);
    expect(events.streamed).toBe(received.length - (first?.seq ?? 0) + 1);
  });

  it("counts the events of each attempt of a run", async () => {
    const thread = await asked();
    const { length } = await spoken(thread, 10);
    const [row] = await thread.sql<{ body: ArrayBuffer }>("SELECT body FROM events");
    const body = new TextDecoder("latin1").decode(row?.body).replaceAll("id: 1-", "id: 2-");
    const bytes = Uint8Array.from(body, (character) => character.charCodeAt(0));
    await thread.sql(
      "INSERT INTO events (run, n, attempt, seq, type, body) SELECT run, 2, 2, seq, type, ? FROM events",
      bytes.buffer,
    );
    await thread.evict();
    expect(await thread.get("/usage")).toMatchObject({ events: { streamed: 2 * length }, is_complete: true });
    await thread.sql(`WITH RECURSIVE more (a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM more WHERE a < 110)
      INSERT INTO events (run, n, attempt, seq, type, body)
      SELECT a, n, attempt, seq, type, body FROM events, more WHERE n = 1`);
    await thread.evict();
    expect(await thread.get("/usage")).toMatchObject({
      events: { streamed: 100 * length },
      is_complete: false,
    });
  });

  it("is counted up to a limit, and says so", async () => {
    const thread = await asked();
    const stub = env.THREAD.getByName(objectName("", thread.id));
    const usage = await runInDurableObject(stub, (_, { storage }) =>
      usageOf(storage, new LazyTables(storage.sql, lazyTables), 2),
    );
    expect(usage).toMatchObject({ rows: { checkpoints: 2, runs: 2, thread: 1 }, is_complete: false });
    expect(Object.values(usage.runs)).toEqual([1, 1]);
  });

  it("is none of a thread that is not there", async () => {
    await expect(new TestThread().get("/usage")).rejects.toThrow("thread_not_found");
  });
});
