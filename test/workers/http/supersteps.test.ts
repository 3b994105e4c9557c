import { beforeAll, describe, expect, it } from "vitest";
import { Annotation, END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { crashAt } from "../../support/crash-points.ts";
import { Gate, until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const talk = new StateGraph(Log)
  .addNode("say", () => ({ log: ["said"] }))
  .addNode("ask", () => ({ log: [interrupt<string, string>("ok?")] }))
  .addEdge(START, "say")
  .addEdge("say", "ask")
  .addEdge("ask", END)
  .compile();

const other = new StateGraph(Annotation.Root({ x: Annotation<number>() }))
  .addNode("rest", () => ({}))
  .addEdge(START, "rest")
  .compile();

const gate = new Gate();
const slow = new StateGraph(Log)
  .addNode("choose", () => ({}))
  .addEdge(START, "choose")
  .addConditionalEdges("choose", () => gate.pass().then(() => END))
  .compile();

beforeAll(() => deploy({ talk, other, slow }));

const input = { updates: [{ as_node: "__input__", values: { log: ["in"] } }] };
const start = { updates: [{ as_node: "__start__", values: { log: ["in"] } }] };
const said = { updates: [{ as_node: "say", values: { log: ["said"] } }] };

async function made(supersteps: readonly object[], body: object = {}): Promise<TestThread> {
  const thread = new TestThread();
  const sent = { thread_id: thread.id, metadata: { graph_id: "talk" }, supersteps, ...body };
  await json(
    request("/threads", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(sent),
    }),
  );
  return thread;
}

const outline = async (thread: TestThread) =>
  (await thread.history()).map(({ values, next }) => ({ values, next }));

describe("a thread that is made of supersteps", () => {
  it("has the history of one that has run them, and goes on from there", async () => {
    const ran = new TestThread();
    await ran.invoke({ graph: "talk", input: { log: ["in"] } });
    const thread = await made([input, start, said]);
    expect(await outline(thread)).toEqual(await outline(ran));
    const { interrupts } = await thread.invoke({ input: null });
    const answer = { interrupt_id: interrupts[0]?.id, value: "yes" };
    expect(await thread.resume(answer)).toMatchObject({ values: { log: ["in", "said", "yes"] } });
    await expect(thread.invoke({ graph: "other", input: { x: 1 } })).rejects.toMatchObject({
      code: "graph_mismatch",
    });
  });

  it("takes Commands, which say what runs next", async () => {
    const thread = await made([
      input,
      start,
      { updates: [{ as_node: "say", command: { update: { log: ["jumped"] }, goto: "say" } }] },
    ]);
    expect(await thread.state()).toMatchObject({ values: { log: ["in", "jumped"] } });
    expect((await thread.state()).next).toContain("say");
  });

  it.each<readonly [string, readonly object[], object]>([
    ["update_refused", [input, { updates: [{ as_node: "say", values: 5 }] }], {}],
    ["unknown_node", [input, { updates: [{ as_node: "nobody", values: {} }] }], {}],
    ["unknown_graph", [input], { metadata: { graph_id: "nobody" } }],
    ["graph_required", [input], { metadata: {} }],
    ["invalid_request", [], {}],
    ["invalid_request", [{ updates: [] }], {}],
  ])("is not made where they are refused: %s", async (code, supersteps, body) => {
    const id = crypto.randomUUID();
    await expect(made(supersteps, { ...body, thread_id: id })).rejects.toMatchObject({ code });
    expect(await new TestThread(id).tables()).toEqual([]);
  });

  it("is there whole, or not at all, wherever its object ends", async () => {
    const thread = new TestThread();
    const isOver = crashAt("import.finished", thread.id);
    await made([input, start, said], { thread_id: thread.id, if_exists: "do_nothing" });
    expect(isOver()).toBe(true);
    expect(await thread.history()).toHaveLength(3);
  });
});

describe("a thread that is edited before it has run", () => {
  /** Made for the graph, without a step. */
  async function emptyOf(graph: string): Promise<TestThread> {
    const thread = new TestThread();
    const body = JSON.stringify({ thread_id: thread.id, metadata: { graph_id: graph } });
    const headers = { "content-type": "application/json" };
    await json(request("/threads", { method: "POST", headers, body }));
    return thread;
  }

  it("begins with the edit, as one of the graph that its metadata names", async () => {
    const thread = await emptyOf("talk");
    await thread.update({ values: { log: ["said before"] }, as_node: "say" });
    expect(await thread.state()).toMatchObject({ values: { log: ["said before"] }, next: ["ask"] });
    const bound = { graph_id: "talk", assistant_id: expect.stringMatching(/^[0-9a-f-]{36}$/) };
    expect(await thread.get("")).toMatchObject({ metadata: bound, status: "interrupted" });
    const { interrupts } = await thread.invoke({ input: null });
    expect(interrupts).toHaveLength(1);
    const another = thread.invoke({ graph: "other", input: { x: 1 } });
    await expect(another).rejects.toMatchObject({ code: "graph_mismatch" });
  });

  it("is as it was when the edit is refused, or its graph is not there", async () => {
    const thread = await emptyOf("talk");
    const refused = thread.update({ values: {}, as_node: "nobody" });
    await expect(refused).rejects.toMatchObject({ code: "unknown_node" });
    expect(await thread.get("")).toMatchObject({ metadata: { graph_id: "talk" }, values: null });
    await thread.invoke({ graph: "other", input: { x: 1 } });
    expect(await thread.get("")).toMatchObject({ metadata: { graph_id: "other" } });

    const lost = await emptyOf("nowhere");
    await expect(lost.update({ values: {} })).rejects.toMatchObject({ status: 404, code: "unknown_graph" });
  });

  it("belongs to a run of another graph that is taken in before the edit is stored", async () => {
    const thread = await emptyOf("slow");
    const edit = expect(thread.update({ values: { log: ["late"] }, as_node: "choose" })).rejects;
    await gate.reached();
    const run = thread.invoke({ graph: "other", input: { x: 1 } });
    await until(async () => ((await thread.get("")) as { status: string }).status === "busy");
    gate.open();
    await edit.toMatchObject({ code: "graph_mismatch" });
    expect(await run).toMatchObject({ values: { x: 1 } });
    expect(await thread.history()).toHaveLength(3);
  });
});
