import { describe, expect, it } from "vitest";
import { Annotation, END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { allEvents } from "../../support/events.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const uuid = expect.stringMatching(UUID);

const ask = new StateGraph(Log)
  .addNode("ask", (_, config) => {
    config.writer({ note: "asking" });
    return { log: [String(interrupt({ question: "Name?" }))] };
  })
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();

describe("the answers of the routes", () => {
  it("have exactly these shapes", async () => {
    deploy({ ask });
    const thread = new TestThread();
    const response = await thread.post("/invoke", { input: { log: ["in"] } });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    const paused = (await json(response)) as Awaited<ReturnType<TestThread["invoke"]>>;
    const id = expect.stringMatching(/^[0-9a-f]{32}$/);
    const question = { id, value: { question: "Name?" } };
    expect(paused).toEqual({
      thread_id: thread.id,
      run_id: uuid,
      status: "interrupted",
      values: { log: ["in"] },
      next: ["ask"],
      interrupts: [question],
      checkpoint_id: uuid,
    });

    const checkpoint = {
      thread_id: thread.id,
      checkpoint_ns: "",
      checkpoint_id: paused.checkpoint_id,
    };
    const state = {
      values: { log: ["in"] },
      next: ["ask"],
      tasks: [
        {
          id: uuid,
          name: "ask",
          path: ["__pregel_pull", "ask"],
          error: null,
          interrupts: [question],
          result: null,
          checkpoint: null,
          state: null,
        },
      ],
      metadata: { thread_id: thread.id, source: "loop", step: 0, parents: {}, run_id: paused.run_id },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      checkpoint,
      parent_checkpoint: { ...checkpoint, checkpoint_id: uuid },
      interrupts: [question],
    };
    expect(await thread.state()).toEqual(state);
    expect(await thread.state(paused.checkpoint_id)).toEqual(state);
    expect((await thread.history())[0]).toEqual(state);

    const [asked] = paused.interrupts;
    expect(await json(thread.post("/resume", { interrupt_id: asked?.id, value: "Ada" }))).toEqual({
      thread_id: thread.id,
      run_id: uuid,
      status: "success",
      values: { log: ["in", "Ada"] },
      next: [],
      interrupts: [],
      checkpoint_id: uuid,
    });
    expect(await json(thread.post("/state", { values: { log: ["x"] } }))).toEqual({
      checkpoint: { ...checkpoint, checkpoint_id: uuid },
    });

    const deleted = await request(thread.path, { method: "DELETE" });
    expect([deleted.status, await deleted.text()]).toEqual([204, ""]);
  });

  it("say that the server is there", async () => {
    expect(await json(request("/ok"))).toEqual({ ok: true });
  });
});

describe("a stream", () => {
  it("has the metadata, an event a chunk, and the end", async () => {
    deploy({ ask });
    const thread = new TestThread();
    const response = await thread.post("/stream", {
      input: { log: ["in"] },
      stream_mode: ["values", "updates", "custom"],
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const interrupts = [{ id: expect.any(String), value: { question: "Name?" } }];
    const runId = { run_id: uuid };
    expect(await allEvents(response)).toEqual([
      { event: "metadata", data: { ...runId, thread_id: thread.id, attempt: 1 } },
      { event: "values", data: { log: ["in"] } },
      { event: "custom", data: { note: "asking" } },
      { event: "updates", data: { __interrupt__: interrupts } },
      { event: "values", data: { __interrupt__: interrupts } },
      {
        event: "end",
        data: { ...runId, status: "interrupted", next: ["ask"], interrupts, checkpoint_id: uuid },
      },
    ]);
  });

  it("has the values unless it is asked for something else, and nothing that was not asked for", async () => {
    deploy({ ask });
    const names = async (body: object) =>
      (await new TestThread().stream({ input: { log: [] }, ...body })).map(({ event }) => event);
    expect(await names({})).toEqual(["metadata", "values", "values", "end"]);
    expect(await names({ stream_mode: "custom" })).toEqual(["metadata", "custom", "end"]);
    expect(await names({ stream_mode: ["updates"] })).toEqual(["metadata", "updates", "end"]);
  });

  it("answers a refusal as any other route does when the run cannot be started", async () => {
    deploy({ ask });
    const thread = new TestThread();
    await expect(thread.stream({})).rejects.toMatchObject({ status: 404, code: "thread_not_found" });
    expect(await thread.tables()).toEqual([]);
  });

  it("ends with an error when the run is refused in its turn", async () => {
    deploy({ ask });
    const thread = new TestThread();
    await thread.invoke({ input: { log: [] } });
    const before = await thread.rowCounts();
    expect(await thread.stream({ input: { log: [] } })).toMatchObject([
      { event: "metadata" },
      { event: "error", data: { error: { code: "thread_interrupted" }, message: expect.any(String) } },
    ]);
    expect(await thread.rowCounts()).toEqual(before);
  });
});

describe("what the caller configures", () => {
  it("reaches the nodes", async () => {
    const seen: unknown[] = [];
    const graph = new StateGraph(Log)
      .addNode("look", (_, { configurable, tags, metadata, context, recursionLimit }) => {
        seen.push({ configurable, tags, own: metadata["own"], context, recursionLimit });
        return { log: ["seen"] };
      })
      .addEdge(START, "look")
      .addEdge("look", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const answer = await thread.invoke({
      input: { log: [] },
      config: {
        recursion_limit: 7,
        configurable: { user: "u1", thread_id: thread.id, checkpoint_ns: "" },
        tags: ["a"],
        metadata: { own: 1 },
      },
      context: { lang: "de" },
    });
    expect(answer).toMatchObject({ thread_id: thread.id, status: "success" });
    expect(seen).toMatchObject([
      {
        configurable: { user: "u1", thread_id: thread.id, checkpoint_ns: expect.stringMatching(/^look:/) },
        tags: ["a"],
        own: 1,
        context: { lang: "de" },
        recursionLimit: 7,
      },
    ]);
  });
});

describe("the graph of a thread", () => {
  const one = (name: string) =>
    new StateGraph(Log)
      .addNode(name, () => ({ log: [name] }))
      .addEdge(START, name)
      .addEdge(name, END)
      .compile();

  it("is the one of its first run", async () => {
    deploy({ first: one("one"), second: one("two") });
    const thread = new TestThread();
    const input = { log: [] };
    await expect(thread.invoke({ input })).rejects.toMatchObject({ status: 400, code: "graph_required" });
    expect(await thread.tables()).toEqual([]);
    await thread.invoke({ input, graph: "second" });
    const before = await thread.rowCounts();
    await expect(thread.invoke({ input, graph: "first" })).rejects.toMatchObject({
      status: 409,
      code: "graph_mismatch",
      details: { graph: "second", requested: "first" },
    });
    expect(await thread.rowCounts()).toEqual(before);
    await thread.evict();
    expect((await thread.invoke({ input })).values).toEqual({ log: ["two", "two"] });
    expect((await thread.invoke({ input, graph: "second" })).status).toBe("success");
  });

  it("need not be named when there is only one", async () => {
    deploy({ only: one("one") });
    expect((await new TestThread().invoke({ input: { log: [] } })).values).toEqual({ log: ["one"] });
  });
});

describe("values that JSON does not have", () => {
  it("come as their nearest form, also when they refer to themselves", async () => {
    const State = Annotation.Root({ made: Annotation<unknown>() });
    const map = new Map<string, unknown>([["a", new Set([1n])]]);
    map.set("self", map);
    const list: unknown[] = [
      Number.NaN,
      undefined,
      new Date(0),
      new Date(Number.NaN),
      /x/g,
      new URL("http://a/b"),
    ];
    const graph = new StateGraph(State)
      .addNode("make", () => ({
        made: {
          map,
          list,
          bytes: new Uint8Array([1, 2, 255]),
          error: new TypeError("oh"),
          numbers: new Int16Array([7]),
        },
      }))
      .addEdge(START, "make")
      .addEdge("make", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const made = {
      map: { a: ["1"], self: null },
      list: [null, null, "1970-01-01T00:00:00.000Z", null, "/x/g", "http://a/b"],
      bytes: "AQL/",
      error: { name: "TypeError", message: "oh" },
      numbers: [7],
    };
    expect((await thread.invoke({ input: {} })).values).toEqual({ made });
    await thread.evict();
    expect((await thread.state()).values).toEqual({ made });
  });
});

describe("a graph with an output of its own", () => {
  it("answers a run with that, and shows its whole state", async () => {
    const Output = Annotation.Root({ result: Annotation<string>() });
    const Whole = Annotation.Root({ ...Output.spec, draft: Annotation<string>() });
    const graph = new StateGraph({ state: Whole, output: Output })
      .addNode("write", () => ({ draft: "a draft", result: "the result" }))
      .addEdge(START, "write")
      .addEdge("write", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const answer = await thread.invoke({ input: { draft: "" } });
    expect(answer.values).toEqual({ result: "the result" });
    expect((await thread.state()).values).toEqual({ draft: "a draft", result: "the result" });
  });
});
