import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { lazyTables } from "../../../src/thread/migrations.ts";
import { ThreadStorage } from "../../../src/thread/thread-storage.ts";
import { checkpointOf, putAll, threadConfig } from "../../contract/fixtures.ts";
import { Log } from "../../support/log.ts";
import { noteReport } from "../../support/reports.ts";
import { json, request } from "../../support/threads.ts";
import { ToldThread } from "../../support/told-thread.ts";
import { deploy, receivers } from "../graphs.ts";

/** What a thread has that runs a graph, and nothing else. */
const FIRST = [
  "checkpoints",
  "namespaces",
  "queue",
  "runs",
  "schema_migrations",
  "thread",
  "timers",
  "writes",
];

const graph = new StateGraph(Log)
  .addNode("first", () => ({ log: ["first"] }))
  .addNode("second", ({ log }) => ({ log: [log.at(-2) === "ask" ? String(interrupt("Name?")) : "second"] }))
  .addEdge(START, "first")
  .addEdge("first", "second")
  .addEdge("second", END)
  .compile();

const input = { log: [] };

/** By table: what makes a thread have rows in it. */
const uses: Readonly<Record<string, (thread: ToldThread) => Promise<unknown>>> = {
  answers: async (thread) => {
    const { interrupts } = await thread.invoke({ input: { log: ["ask"] } });
    await thread.resume({ interrupt_id: interrupts[0]?.id, value: "Ann" });
  },
  blobs: (thread) => thread.invoke({ input: { log: [crypto.randomUUID() + "x".repeat(200_000)] } }),
  idempotency_keys: (thread) => {
    const headers = { "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
    return json(
      request(`${thread.path}/invoke`, { method: "POST", headers, body: JSON.stringify({ input }) }),
    );
  },
  events: (thread) => thread.stream({ input }),
  received_events: (thread) => json(thread.post("/events/go", {})),
  crons: (thread) => json(thread.post("/runs/crons", { input, schedule: "every 3600000" })),
  deliveries: async (thread) => {
    await thread.tell();
    await thread.settles("delivered");
  },
  limit_question: (thread) => thread.invoke({ input, limits: { supersteps: 1 }, on_interrupted: "discard" }),
};

async function begun(): Promise<ToldThread> {
  deploy({ graph });
  const thread = new ToldThread();
  await thread.invoke({ input });
  return thread;
}

afterEach(() => {
  receivers.splice(0, receivers.length, "receiver");
});

describe("a thread", () => {
  it("begins with the tables that every thread uses, and takes little room", async () => {
    const thread = await begun();
    expect(await thread.tables()).toEqual(FIRST);
    expect(await thread.get("/usage")).toMatchObject({
      rows: { answers: 0, blobs: 0 },
      bytes: { bucket: 0 },
    });
    const bytes = await thread.inside(({ storage }) => storage.sql.databaseSize);
    expect(bytes).toBeLessThanOrEqual(14 * 4096);
  });

  it.for(Object.entries(uses))("gets %s when it has rows for them", async ([name, use]) => {
    const thread = await begun();
    await use(thread);
    const tables = await thread.tables();
    expect(tables.filter((table) => !FIRST.includes(table))).toEqual([name]);
    const before = (await thread.rowCounts())[name] ?? 0;
    await thread.evict();
    await use(thread);
    expect(await thread.tables()).toEqual(tables);
    const after = (await thread.rowCounts())[name] ?? 0;
    if (name === "limit_question") expect([before, after]).toEqual([1, 1]);
    else expect(after).toBeGreaterThan(before);
  });

  it("gets all of them one after the other, each again when it has been deleted", async () => {
    const thread = await begun();
    const expected = [...FIRST];
    for (let life = 0; life < 2; life++) {
      if (life > 0) await thread.invoke({ input });
      for (const [name, use] of Object.entries(uses)) {
        await use(thread);
        if (life === 0) expected.push(name);
        else expect(await thread.tables()).toContain(name);
        if (life === 0) expect(await thread.tables()).toEqual(expected.toSorted());
      }
      expect((await request(thread.path, { method: "DELETE" })).status).toBe(204);
      expect(await thread.tables()).toEqual([]);
    }
  });
});

describe("the table of a first row", () => {
  function open(storage: DurableObjectStorage): ThreadStorage {
    return new ThreadStorage({
      storage,
      platform: { setAlarm: () => undefined, deleteAlarm: () => undefined, reached: () => undefined },
      prefix: "p",
      inlineLimit: 100,
      randomId: () => crypto.randomUUID(),
      report: noteReport,
      yieldTurn: () => Promise.resolve(),
    });
  }

  function inNewThread(
    work: (storage: ThreadStorage, rows: DurableObjectStorage) => void | Promise<void>,
  ): Promise<void> {
    return runInDurableObject(env.THREAD.get(env.THREAD.newUniqueId()), async (_, { storage: rows }) => {
      const storage = open(rows);
      const row = { tenant: "", thread_id: "t", graph: "", created_at: 0, metadata: {} };
      storage.transaction(() => storage.create(row));
      await work(storage, rows);
    });
  }

  const lazyIn = (storage: ThreadStorage): readonly string[] =>
    storage.tables.names().filter((name) => name in lazyTables);

  it("is gone with it when the transaction is undone, and made with the next one", async () => {
    await inNewThread((storage) => {
      const fail = () => {
        throw new Error("undone");
      };
      const insert = (run: string) => storage.deliveries.insert(run);
      expect(() => storage.transaction(() => [insert("a"), fail()])).toThrow("undone");
      expect(lazyIn(storage)).toEqual([]);
      expect(storage.deliveries.get("msg_a")).toBeUndefined();
      storage.transaction(() => {
        expect(() => storage.transaction(() => [insert("b"), fail()])).toThrow("undone");
        insert("c");
      });
      expect(lazyIn(storage)).toEqual(["deliveries"]);
      expect(storage.deliveries.get("msg_b")).toBeUndefined();
      expect(storage.deliveries.get("msg_c")).toMatchObject({ run: "c" });
    });
  });

  it("is that of parts where there is no bucket, and is copied, read and emptied", async () => {
    await inNewThread(async (storage, rows) => {
      const { saver } = storage;
      const text = "x".repeat(200);
      await putAll(saver, threadConfig("small"), checkpointOf({ text: "x" }));
      await saver.copyThread("small", "copy of small");
      expect(lazyIn(storage)).toEqual([]);
      await putAll(saver, threadConfig("large"), checkpointOf({ text }));
      expect(lazyIn(storage)).toEqual(["blobs", "parts"]);
      await saver.copyThread("large", "copy of large");
      const copy = await open(rows).saver.getTuple(threadConfig("copy of large"));
      expect(copy?.checkpoint.channel_values).toEqual({ text });
      for (const id of ["large", "copy of large"]) await saver.deleteThread(id);
      expect(rows.sql.exec("SELECT * FROM parts").toArray()).toEqual([]);
    });
  });
});
