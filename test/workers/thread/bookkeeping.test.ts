import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Annotation, END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { SUPERSTEPS_BEHIND } from "../../../src/thread/events/event-limits.ts";
import { Gate } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { json, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const SECRET = "secret-3f6b0c";

/** The tables and, for each row, whether the secret is in it. */
async function tablesWithSecret(thread: TestThread): Promise<string[]> {
  const found: string[] = [];
  for (const table of await thread.tables()) {
    const rows = await thread.sql<Record<string, SqlStorageValue>>(`SELECT * FROM ${table}`);
    const text = (value: SqlStorageValue): string =>
      value instanceof ArrayBuffer ? new TextDecoder("latin1").decode(value) : String(value);
    if (rows.some((row) => Object.values(row).some((value) => text(value).includes(SECRET))))
      found.push(table);
  }
  return found;
}

async function bucketHasSecret(thread: TestThread): Promise<boolean> {
  for (const key of await thread.objects()) {
    const object = await env.BLOBS.get(key);
    if ((await object?.text())?.includes(SECRET)) return true;
  }
  return false;
}

describe("the context of a run", () => {
  it("is in the row of the run while that goes on, nowhere else, and is erased when it pauses or ends", async () => {
    const gate = new Gate();
    const seen: unknown[] = [];
    const graph = new StateGraph(Log)
      .addNode("wait", async (_, config) => {
        seen.push(config.context);
        expect(config.configurable?.["key"]).toBe(SECRET);
        await gate.pass();
        return { log: ["x".repeat(200_000)] };
      })
      .addNode("ask", (_, config) => {
        seen.push(config.context);
        return { log: [String(interrupt("?"))] };
      })
      .addEdge(START, "wait")
      .addEdge("wait", "ask")
      .addEdge("ask", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const context = { token: SECRET };
    const config = { configurable: { key: SECRET } };
    const answer = thread.invoke({ input: { log: [] }, context, config });
    await gate.reached();
    expect(await tablesWithSecret(thread)).toEqual(["runs"]);
    await thread.crash();
    gate.open();
    const paused = await answer;
    expect(paused.status).toBe("interrupted");
    expect(await tablesWithSecret(thread)).toEqual([]);
    expect(await bucketHasSecret(thread)).toBe(false);
    expect(seen).toEqual([context, context, context]);

    const other = { token: SECRET, more: true };
    await thread.resume({ interrupt_id: paused.interrupts[0]?.id, value: "yes", context: other });
    expect(seen.at(-1)).toEqual(other);
    expect(await tablesWithSecret(thread)).toEqual([]);
    expect(JSON.stringify(await thread.history())).not.toContain(SECRET);
  });

  it("is erased when the run fails or is refused", async () => {
    const graph = new StateGraph(Log)
      .addNode("bad", (state) => {
        if (state.log.includes("fail")) throw new Error("no luck");
        return { log: [String(interrupt("?"))] };
      })
      .addEdge(START, "bad")
      .addEdge("bad", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const context = { token: SECRET };
    await thread.invoke({ input: { log: [] }, context });
    await expect(thread.invoke({ input: { log: [] }, context })).rejects.toMatchObject({ status: 409 });
    const failing = { input: { log: ["fail"] }, on_interrupted: "discard", context };
    await expect(thread.invoke(failing)).rejects.toMatchObject({ status: 500 });
    expect(await tablesWithSecret(thread)).toEqual([]);
  });

  it("has a limit", async () => {
    deploy({ countdown });
    const thread = new TestThread();
    const context = { long: "x".repeat(300_000) };
    await expect(thread.invoke({ input: { left: 1 }, context })).rejects.toMatchObject({
      status: 413,
      code: "context_too_large",
    });
    expect(await thread.tables()).toEqual([]);
  });
});

/** As many supersteps as the input says. */
const countdown = new StateGraph(Annotation.Root({ left: Annotation<number>() }))
  .addNode("count", (state) => ({ left: state.left - 1 }))
  .addEdge(START, "count")
  .addConditionalEdges("count", (state) => (state.left > 0 ? "count" : END))
  .compile();

describe("what a run writes", () => {
  /** Rows that a run inserts, changes or deletes, by table. */
  function rowsWritten(supersteps: number): Promise<Record<string, number>> {
    deploy({ countdown });
    return rowsOf({ left: 1 }, { left: supersteps });
  }

  /** Of the second of two runs. */
  async function rowsOf(
    first: object,
    second: object,
    run = (thread: TestThread, body: Record<string, unknown>): Promise<unknown> => thread.invoke(body),
  ): Promise<Record<string, number>> {
    const thread = new TestThread();
    await thread.invoke({ input: first });
    await thread.makeTables("blobs", "parts", "events");
    await thread.inside(({ storage }) => {
      storage.sql.exec("CREATE TABLE written (name TEXT)");
      for (const table of [
        "thread",
        "runs",
        "queue",
        "timers",
        "checkpoints",
        "writes",
        "namespaces",
        "blobs",
        "parts",
        "events",
      ]) {
        for (const event of ["INSERT", "UPDATE", "DELETE"]) {
          storage.sql.exec(
            `CREATE TRIGGER ${table}_${event} AFTER ${event} ON ${table} BEGIN INSERT INTO written VALUES ('${table}'); END`,
          );
        }
      }
    });
    await run(thread, { input: second, config: { recursion_limit: 100 } });
    const rows = await thread.sql<{ name: string; n: number }>(
      "SELECT name, count(*) AS n FROM written GROUP BY name",
    );
    return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
  }

  it.for([1, 10])("of %i tasks side by side is one row each, and one for the input", async (tasks) => {
    const names = Array.from({ length: tasks }, (_, n) => `n${n}`);
    const graph = new StateGraph(Log).addNode(
      Object.fromEntries(names.map((name) => [name, () => ({ log: [name] })])),
    );
    for (const name of names) graph.addEdge(START, name).addEdge(name, END);
    deploy({ graph: graph.compile() });
    expect(await rowsOf({ log: ["a"] }, { log: ["b"] })).toEqual({
      queue: 2,
      timers: 2,
      runs: 3,
      checkpoints: 3,
      writes: tasks + 1,
    });
  });

  it.for([
    { modes: ["values"] },
    { modes: ["updates"] },
    { modes: ["values", "updates", "custom"] },
    { modes: ["tasks", "checkpoints", "debug"] },
  ])("of its events is little for each of its supersteps: $modes", async ({ modes }) => {
    deploy({ countdown });
    const streamed = async (supersteps: number): Promise<number> => {
      let bytes = 0;
      const begun = Date.now();
      const written = await rowsOf({ left: 1 }, { left: supersteps }, async (thread, body) => {
        await thread.stream({ ...body, stream_mode: modes });
        const [row] = await thread.sql<{ bytes: number }>("SELECT sum(length(body)) AS bytes FROM events");
        bytes = row?.bytes ?? 0;
      });
      expect(written).toMatchObject({ checkpoints: supersteps + 2, writes: supersteps + 1 });
      // What goes by time, by size and by number: a row each quarter of a second, one for each 16 KiB, which may begin
      // another, and one for many supersteps.
      const [quarters, full] = [(Date.now() - begun) / 250, bytes / (16 * 1024)];
      const many = Math.floor(supersteps / SUPERSTEPS_BEHIND);
      return (written["events"] ?? 0) - Math.ceil(quarters) - 2 * Math.floor(full) - many;
    };
    expect(await streamed(5)).toBeLessThanOrEqual(5);
    expect(await streamed(90)).toBeLessThanOrEqual(5);
  });

  it("of its events is nothing where it is only waited for, unless the body names a mode", async () => {
    deploy({ graph: countdown });
    const written = (more: object): Promise<Record<string, number>> =>
      rowsOf({ left: 1 }, { left: 3 }, async (thread, body) =>
        json(thread.post("/runs/wait", { ...body, assistant_id: "graph", ...more })),
      );
    expect(await written({})).not.toHaveProperty("events");
    expect(await written({ stream_mode: "values" })).toHaveProperty("events");
  });

  it("about itself does not grow with its supersteps, and of the state it writes two rows each", async () => {
    const few = await rowsWritten(3);
    const many = await rowsWritten(30);
    // In and out of the queue, with its timer; stored as it is entered, its input noted, ended.
    const about = { queue: 2, timers: 2, runs: 3 };
    expect(few).toEqual({ ...about, checkpoints: 3 + 2, writes: 3 + 1 });
    expect(many).toEqual({ ...about, checkpoints: 30 + 2, writes: 30 + 1 });
  });
});
