import { afterEach, describe, expect, it } from "vitest";
import { Annotation, END, Send, START, StateGraph } from "../../../src/index.ts";
import { bucketCalls, holdBucket } from "../../support/bucket.ts";
import { until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { reports } from "../../support/reports.ts";
import { json, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const State = Annotation.Root({ ...Log.spec, document: Annotation<string>(), step: Annotation<number>() });

/** Makes a document, or keeps the one that it is given, and then does ten supersteps that have no use for it. */
function documentGraph(made?: string) {
  return new StateGraph(State)
    .addNode("make", () => (made === undefined ? { step: 0 } : { document: made, step: 0 }))
    .addNode("idle", (state) => ({ step: state.step + 1 }))
    .addEdge(START, "make")
    .addEdge("make", "idle")
    .addConditionalEdges("idle", (state) => (state.step < 10 ? "idle" : END))
    .compile();
}

function text(length: number): string {
  return "é0123456789".repeat(Math.ceil(length / 12)).slice(0, length - 1);
}

function callsOf(operation: "put" | "get", thread: TestThread): number {
  return bucketCalls(operation).filter(({ key }) => key.startsWith(thread.stub.id.toString())).length;
}

function putsOf(thread: TestThread): number {
  return callsOf("put", thread);
}

afterEach(() => holdBucket());

describe("a document of five megabytes (LAR-01)", () => {
  it("from a node is in the bucket once, whatever else happens in the state", async () => {
    const document = text(5_000_000);
    deploy({ graph: documentGraph(document) });
    const thread = new TestThread();
    const answer = await thread.invoke({ input: { log: [] } });
    expect(answer.values).toEqual({ log: [], step: 10, document });
    expect(putsOf(thread)).toBe(1);
    expect(await thread.objects()).toHaveLength(1);
    const [rows] = await thread.sql<{ bytes: number }>(
      "SELECT (SELECT sum(length(body)) FROM checkpoints) + (SELECT sum(length(body)) FROM writes) AS bytes",
    );
    expect(rows?.bytes).toBeLessThan(100_000);

    await thread.evict();
    expect((await thread.state()).values["document"]).toBe(document);
    expect((await thread.history("?limit=1"))[0]?.values["document"]).toBe(document);
  });

  it("from a caller is in the bucket once: for the run, and for the state", async () => {
    const document = text(5_000_000);
    deploy({ graph: documentGraph() });
    const thread = new TestThread();
    expect((await thread.invoke({ input: { document } })).values["document"]).toBe(document);
    expect(putsOf(thread)).toBe(1);
    await thread.evict();
    expect((await thread.invoke({ input: { log: ["next"] } })).values["document"]).toBe(document);
    expect(putsOf(thread)).toBe(1);
  });

  it("is read by the nodes of a run only, when the answer does not have it", async () => {
    const graph = new StateGraph({ state: State, output: Log })
      .addNode("make", ({ document }) => ({ document: document ?? text(5_000_000) }))
      .addEdge(START, "make")
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["first"] } });
    expect(callsOf("get", thread)).toBe(0);
    for (const entered of [1, 2]) {
      await thread.evict();
      expect((await thread.invoke({ input: { log: [] } })).values).toEqual({ log: ["first"] });
      expect(callsOf("get", thread)).toBe(entered);
    }
  });

  it("goes through an edit and a stream", async () => {
    const document = text(5_000_000);
    const graph = new StateGraph(State)
      .addNode("pass", () => ({ step: 1 }))
      .addEdge(START, "pass")
      .addEdge("pass", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    await thread.invoke({ input: { log: [] } });
    await thread.update({ values: { document }, as_node: START });
    const events = await thread.stream({ stream_mode: "values" });
    expect(events.at(-2)).toMatchObject({ event: "values", data: { document, step: 1 } });
    expect(events.at(-1)).toMatchObject({ event: "end", data: { status: "success" } });
    expect(putsOf(thread)).toBe(1);
  });
});

describe("many values that are large together", () => {
  it("are kept (LAR-01)", async () => {
    const log = Array.from({ length: 200 }, (_, n) => `${n} ${text(10_000)}`);
    const graph = new StateGraph(State)
      .addNode("pass", () => ({ step: 1 }))
      .addEdge(START, "pass")
      .addEdge("pass", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    await thread.invoke({ input: { log } });
    await thread.evict();
    expect((await thread.state()).values["log"]).toEqual(log);
  });
});

describe("one payload for many tasks (STO-03)", () => {
  const Sums = Annotation.Root({
    sum: Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
  });

  interface Payload {
    readonly text: string;
  }

  async function sent(count: number, argumentsOf: (index: number) => unknown): Promise<TestThread> {
    const graph = new StateGraph(Sums)
      .addNode("count", (state) => {
        // What a Send carries is not of the state's type.
        const carried = state as unknown as { readonly payload?: Payload } & Payload;
        return { sum: (carried.payload ?? carried).text.length };
      })
      .addConditionalEdges(
        START,
        () => Array.from({ length: count }, (_, index) => new Send("count", argumentsOf(index))),
        ["count"],
      )
      .addEdge("count", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    await thread.invoke({ input: {} });
    await thread.makeTables("blobs");
    return thread;
  }

  async function sizeOf(thread: TestThread): Promise<number> {
    const [row] = await thread.sql<{ bytes: number }>(`SELECT
      (SELECT coalesce(sum(length(body)), 0) FROM checkpoints) +
      (SELECT coalesce(sum(length(body)), 0) FROM writes) + (SELECT coalesce(sum(size), 0) FROM blobs) AS bytes`);
    return row?.bytes ?? Infinity;
  }

  it("is stored once, however many Sends carry it, and goes when the thread is pruned", async () => {
    const payload = { text: text(200_000) };
    const thread = await sent(200, () => payload);
    expect((await thread.state()).values).toEqual({ sum: 200 * payload.text.length });
    expect(await sizeOf(thread)).toBeLessThan(300_000);
    await json(thread.post("/prune", {}));
    expect(await sizeOf(thread)).toBeLessThan(10_000);
    expect(await thread.objects()).toEqual([]);
  });

  it("is stored once with the task that sends it and once with the checkpoint, when it is not large", async () => {
    const payload = { text: text(50_000) };
    const thread = await sent(1000, (index) => ({ index, payload }));
    expect((await thread.state()).values).toEqual({ sum: 1000 * payload.text.length });
    expect(await sizeOf(thread)).toBeLessThan(300_000);
  });
});

describe("a value over the limit", () => {
  it("of a request is refused and leaves nothing", async () => {
    deploy({ graph: documentGraph() });
    const thread = new TestThread();
    await expect(thread.invoke({ input: { document: text(9_000_000) } })).rejects.toMatchObject({
      status: 413,
      code: "value_too_large",
      details: { limit: 8 * 1024 * 1024 },
    });
    expect(await thread.tables()).toEqual([]);
    expect((await thread.invoke({ input: { log: ["small"] } })).status).toBe("success");
  });

  it("of a node fails the node, and the thread stays where it was", async () => {
    deploy({ graph: documentGraph(text(9_000_000)) });
    const thread = new TestThread();
    await expect(thread.invoke({ input: { log: ["in"] } })).rejects.toMatchObject({
      status: 500,
      code: "node_failed",
      details: { node: "make", errors: [{ code: "value_too_large" }] },
    });
    expect(await thread.state()).toMatchObject({ values: { log: ["in"] }, next: ["make"] });
    expect(await thread.objects()).toEqual([]);
  });
});

describe("a bucket that fails", () => {
  const outage = () => Promise.reject(new Error("outage"));

  it("refuses the first input of a thread without a trace", async () => {
    deploy({ graph: documentGraph() });
    const thread = new TestThread();
    holdBucket(({ operation }) => (operation === "put" ? outage() : undefined));
    const body = { input: { document: text(200_000) } };
    await expect(thread.invoke(body)).rejects.toMatchObject({ status: 503, code: "blob_unavailable" });
    expect(await thread.tables()).toEqual([]);
    holdBucket();
    expect((await thread.invoke(body)).status).toBe("success");
  });

  it("lets a run wait, and the alarm finishes it", async () => {
    const document = text(200_000);
    deploy({ graph: documentGraph(document) });
    const thread = new TestThread();
    holdBucket(({ operation }) => (operation === "put" ? outage() : undefined));
    const before = reports().length;
    const answer = thread.invoke({ input: { log: ["in"] } });
    await until(() => reports().length > before);
    expect(await thread.alarm()).toBeGreaterThan(Date.now());
    holdBucket();
    expect(await thread.fireAlarm()).toBe(true);
    expect((await answer).status).toBe("success");
    expect((await thread.state()).values).toEqual({ log: ["in"], document, step: 10 });
  });
});
