import { describe, expect, it } from "vitest";
import { Annotation, END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { Log } from "../../support/log.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

describe("a node that throws", () => {
  it("fails the run, names the node, and only it runs again (PEN-03)", async () => {
    const runs = { ok: 0, bad: 0 };
    const graph = new StateGraph(Log)
      .addNode("ok", () => {
        runs.ok += 1;
        return { log: ["ok"] };
      })
      .addNode("bad", () => {
        runs.bad += 1;
        if (runs.bad === 1) throw new TypeError("no luck", { cause: new Error("rain") });
        return { log: ["bad"] };
      })
      .addEdge(START, "ok")
      .addEdge(START, "bad")
      .addEdge("ok", END)
      .addEdge("bad", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const failure = thread.invoke({ input: { log: ["in"] } });
    await expect(failure).rejects.toMatchObject({
      status: 500,
      code: "node_failed",
      message: expect.stringContaining("no luck"),
      details: {
        node: "bad",
        nodes: ["bad"],
        errors: [{ node: "bad", name: "TypeError", message: "no luck", cause: { message: "rain" } }],
      },
    });
    const state = await thread.state();
    await expect(failure).rejects.toMatchObject({
      details: { checkpoint_id: state.checkpoint.checkpoint_id },
    });
    expect(state).toMatchObject({
      next: ["bad"],
      tasks: [
        { name: "bad", error: expect.stringContaining('"message":"no luck"') },
        { name: "ok", result: { log: ["ok"] } },
      ],
    });
    expect(await thread.alarm()).toBeNull();

    await thread.evict();
    expect((await thread.invoke()).values).toEqual({ log: ["in", "bad", "ok"] });
    expect(runs).toEqual({ ok: 1, bad: 2 });
  });

  it("fails a stream with an event that says the same", async () => {
    const graph = new StateGraph(Log)
      .addNode("bad", () => {
        throw new Error("no luck");
      })
      .addEdge(START, "bad")
      .addEdge("bad", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const events = await thread.stream({ input: { log: ["in"] } });
    expect(events.at(-1)).toMatchObject({
      event: "error",
      data: { error: { code: "node_failed", details: { node: "bad" } }, message: expect.any(String) },
    });
    expect(events.map(({ event }) => event)).not.toContain("end");
  });
});

describe("writes that do not go together", () => {
  it("fail the run: the superstep is not applied, the thread can be read and mended (CHA-04)", async () => {
    const State = Annotation.Root({ ...Log.spec, v: Annotation<string>() });
    let clash = true;
    const graph = new StateGraph(State)
      .addNode("a", () => ({ v: "a", log: ["a"] }))
      .addNode("b", () => ({ ...(clash ? { v: "b" } : {}), log: ["b"] }))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", END)
      .addEdge("b", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    await expect(thread.invoke({ input: { log: ["in"] } })).rejects.toMatchObject({
      status: 500,
      code: "invalid_update",
      details: { channel: "v" },
    });
    await thread.evict();
    expect(await thread.state()).toMatchObject({ values: { log: ["in"] }, next: ["a", "b"] });

    await thread.update({ values: { v: "mended" }, as_node: "a" });
    clash = false;
    expect((await thread.state()).values["v"]).toBe("mended");
  });

  it("are the caller's to mend when they are an edit", async () => {
    const graph = new StateGraph(Log)
      .addNode("a", () => ({}))
      .addNode("b", () => ({}))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", END)
      .addEdge("b", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["in"] } });
    const before = await thread.rowCounts();
    await expect(thread.update({ values: { log: ["x"] } })).rejects.toMatchObject({
      status: 400,
      code: "update_refused",
    });
    expect(await thread.rowCounts()).toEqual(before);
  });
});

describe("state that a node changes in place", () => {
  it("is refused, warm and cold alike (CHA-10)", async () => {
    const graph = new StateGraph(Log)
      .addNode("a", (state) => {
        (state.log as string[]).push("M");
        return {};
      })
      .addEdge(START, "a")
      .addEdge("a", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const refused = {
      status: 500,
      code: "node_failed",
      details: { node: "a", errors: [{ code: "state_mutated" }] },
    };
    await expect(thread.invoke({ input: { log: ["in"] } })).rejects.toMatchObject(refused);
    await expect(thread.invoke()).rejects.toMatchObject(refused);
    await thread.evict();
    await expect(thread.invoke()).rejects.toMatchObject(refused);
    expect((await thread.state()).values).toEqual({ log: ["in"] });
  });
});

describe("a run without an end", () => {
  it("fails at its recursion limit, and goes on when it is continued", async () => {
    const graph = new StateGraph(Log)
      .addNode("loop", (state) => ({ log: [String(state.log.length)] }))
      .addEdge(START, "loop")
      .addConditionalEdges("loop", (state) => (state.log.length < 8 ? "loop" : END))
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const config = { recursion_limit: 3 };
    await expect(thread.invoke({ input: { log: [] }, config })).rejects.toMatchObject({
      status: 500,
      code: "graph_recursion_limit",
      details: { limit: 3 },
    });
    expect((await thread.invoke()).values["log"]).toHaveLength(8);
  });
});

describe("a graph or a node that a new deployment does not have", () => {
  const ask = (node: string) =>
    new StateGraph(Log)
      .addNode("first", () => ({ log: ["first"] }))
      .addNode(node, () => ({ log: [String(interrupt("?"))] }))
      .addEdge(START, "first")
      .addEdge("first", node)
      .addEdge(node, END)
      .compile();

  it("is named by the error, and the thread can be read", async () => {
    deploy({ gone: ask("ask") });
    const thread = new TestThread();
    const paused = await thread.invoke({ input: { log: ["in"] } });
    deploy({ other: ask("ask") });
    await thread.evict();
    const before = await thread.rowCounts();
    const refusal = { status: 404, code: "unknown_graph", details: { graph: "gone" } };
    await expect(thread.invoke({ input: { log: ["more"] } })).rejects.toMatchObject(refusal);
    await expect(thread.invoke()).rejects.toMatchObject(refusal);
    await expect(thread.resume({ interrupt_id: paused.interrupts[0]?.id, value: "x" })).rejects.toMatchObject(
      refusal,
    );
    await expect(thread.update({ values: { log: [] } })).rejects.toMatchObject(refusal);
    expect(await thread.rowCounts()).toEqual(before);
    expect((await thread.state()).values).toEqual({ log: ["in", "first"] });
    expect((await thread.history()).at(0)?.values).toEqual({ log: ["in", "first"] });
    expect((await thread.history()).at(-1)?.values).toEqual({});

    deploy({ gone: ask("ask") });
    await thread.evict();
    const done = await thread.resume({ interrupt_id: paused.interrupts[0]?.id, value: "yes" });
    expect(done.values).toEqual({ log: ["in", "first", "yes"] });
  });

  it("is named by the error when the thread waits at the node", async () => {
    deploy({ graph: ask("old") });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["in"] } });
    deploy({ graph: ask("new") });
    await thread.evict();
    await expect(thread.invoke()).rejects.toMatchObject({
      status: 500,
      code: "unknown_node",
      details: { node: "old" },
    });
    expect(await thread.state()).toMatchObject({ values: { log: ["in", "first"] }, next: ["old"] });
    const history = await thread.history();
    expect(history[0]?.next).toEqual(["old"]);
  });

  it("fails a run that was queued for it", async () => {
    deploy({ graph: ask("ask") });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["in"] } });
    // As an object leaves it that stops right after it has taken the run in.
    await thread.sql(
      "UPDATE runs SET status = 'pending', outcome_type = NULL, outcome = NULL, input_applied = 0",
    );
    await thread.sql("INSERT INTO queue (run) SELECT id FROM runs");
    deploy({ other: ask("ask") });
    await thread.evict();
    expect((await thread.state()).values).toEqual({ log: ["in", "first"] });
    const [run] = await thread.sql<{ id: string; status: string }>("SELECT id, status FROM runs");
    expect(run?.status).toBe("error");
    await expect(thread.startAgain(run?.id ?? "")).rejects.toThrow("unknown_graph");
  });
});
