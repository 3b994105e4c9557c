import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { objectName } from "../../../src/http/object-name.ts";
import { LazyTables } from "../../../src/storage/lazy-tables.ts";
import { usageOf } from "../../../src/storage/usage.ts";
import { lazyTables } from "../../../src/thread/migrations.ts";
import { Log } from "../../support/log.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const SIZE = 200_000;

const asking = new StateGraph(Log)
  .addNode("ask", () => ({ log: ["x".repeat(SIZE), String(interrupt("Name?"))] }))
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();

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
