import { expect, it } from "vitest";
import { START, type Snapshot } from "../oracle/engine.ts";
import { graphOf } from "../oracle/policy-cases.ts";
import { both, config, later } from "./both.ts";

/** docs/differences.md: graphs inside tasks, entrypoints and tasks. */

it("a shared history is gone back in by the branch, and says which task made its checkpoints", async () => {
  const seen = await both(async (library) => {
    const visits = graphOf(library)
      .addNode("count", () => ({ sum: 1 }))
      .addEdge(START, "count")
      .compile({ checkpointer: true });
    const saver = new library.MemorySaver();
    const graph = graphOf(library)
      .addNode("p", async () => ({ log: [(await visits.invoke({ log: [] }))["sum"]] }))
      .addEdge(START, "p")
      .compile({ checkpointer: saver });
    for (let turn = 0; turn < 3; turn++) await graph.invoke({ log: ["turn"] }, config);
    const history: Snapshot[] = [];
    for await (const snapshot of graph.getStateHistory(config)) history.push(snapshot);
    const firstTurn = history.find(({ metadata }) => metadata?.step === 1);
    const { log } = await graph.invoke({ log: ["branch"] }, firstTurn?.config);
    const marks = new Set<boolean>();
    for await (const { metadata } of saver.list({ configurable: { thread_id: "t", checkpoint_ns: "p" } }))
      marks.add(Object.hasOwn(metadata ?? {}, "parent_task"));
    return [log, [...marks]];
  });
  expect(seen).toEqual({
    here: [["turn", 1, "branch", 2], [true]],
    there: [["turn", 1, "branch", 4], [false]],
  });
});

it("an answer to a question that an edit inside the task has settled is refused", async () => {
  const seen = await both(async (library) => {
    const inner = graphOf(library)
      .addNode("ask", () => ({ log: [library.interrupt("?")] }))
      .addNode("after", () => ({ log: ["after"] }))
      .addEdge(START, "ask")
      .addEdge("ask", "after")
      .compile();
    const graph = graphOf(library)
      .addNode("p", inner)
      .addEdge(START, "p")
      .compile({ checkpointer: new library.MemorySaver() });
    const asked = (await graph.invoke({}, config))["__interrupt__"] as [{ readonly id: string }];
    const inside = (await graph.getState(config, { subgraphs: true })).tasks[0]?.state as Snapshot;
    await graph.updateState(inside.config, { log: ["by hand"] }, "ask");
    const codes: unknown[] = [];
    for (const resume of [{ [asked[0].id]: "lost" }, "lost"])
      await graph
        .invoke(new library.Command({ resume }), config)
        .catch((error: unknown) => codes.push((error as { readonly code: string }).code));
    const { next, tasks } = await graph.getState(config);
    return [codes, next, tasks.length, (await graph.invoke(null, config))["log"]];
  });
  expect(seen).toEqual({
    here: [["interrupt_not_pending", "interrupt_not_pending"], ["p"], 1, ["by hand", "after"]],
    there: [[], [], 0, ["by hand", "after"]],
  });
});

it("a task that has failed says where its graph's state is", async () => {
  const seen = await both(async (library) => {
    const inner = graphOf(library)
      .addNode("fail", () => {
        throw new Error("fail");
      })
      .addEdge(START, "fail")
      .compile();
    const graph = graphOf(library)
      .addNode("p", inner)
      .addEdge(START, "p")
      .compile({ checkpointer: new library.MemorySaver() });
    await graph.invoke({ log: [] }, config).catch(() => undefined);
    return (await graph.getState(config)).tasks.map(({ state }) => state !== undefined);
  });
  expect(seen).toEqual({ here: [true], there: [false] });
});

it("after a failing task the entrypoint shows the task's error", async () => {
  const seen = await both(async (library) => {
    const bad = library.task("bad", async () => {
      await later(1);
      throw new RangeError("bad");
    });
    const flow = library.entrypoint({ name: "flow", checkpointer: new library.MemorySaver() }, () => bad());
    await flow.invoke(1, config).catch(() => undefined);
    return (await flow.getState(config)).tasks.map(({ error }) => (error as Error).message);
  });
  expect(seen).toEqual({ here: ["bad"], there: ["This operation was aborted"] });
});

it("a graph called with another thread id is a run of that thread", async () => {
  const other = { configurable: { thread_id: "other" } };
  const seen = await both(async (library) => {
    const saver = new library.MemorySaver();
    const inner = graphOf(library)
      .addNode("ask", (state) => ({ log: [state["sum"] === 0 ? "asked nothing" : library.interrupt("q")] }))
      .addEdge(START, "ask")
      .compile({ checkpointer: saver });
    const graph = graphOf(library)
      .addNode("call", async ({ sum }) => {
        const { log, __interrupt__: asked } = await inner.invoke({ log: ["in"], sum }, other);
        return { log: [log, asked === undefined ? "ended" : "asked"] };
      })
      .addEdge(START, "call")
      .compile({ checkpointer: saver });
    await graph.invoke({}, config);
    const asked = await graph.invoke({ sum: 1 }, config);
    return [asked["log"], (await inner.getState(other)).next];
  });
  const once = ["in", "asked nothing"];
  expect(seen).toEqual({
    here: [[once, "ended", [...once, "in"], "asked"], ["ask"]],
    there: [[once, "ended"], []],
  });
});

it("a graph without a history of its own cannot ask", async () => {
  const seen = await both(async (library) => {
    const inner = graphOf(library)
      .addNode("ask", () => ({ log: [library.interrupt("q")] }))
      .addEdge(START, "ask")
      .compile({ checkpointer: false });
    const graph = graphOf(library)
      .addNode("inner", inner)
      .addEdge(START, "inner")
      .compile({ checkpointer: new library.MemorySaver() });
    const first = await graph.invoke({}, config).catch((error: Error) => error.name);
    const answered = await graph
      .invoke(new library.Command({ resume: "a" }), config)
      .catch((error: Error) => error.name);
    return [first, answered].map((result) => (typeof result === "string" ? result : Object.keys(result)));
  });
  const asks = expect.arrayContaining(["__interrupt__"]);
  expect(seen).toEqual({ here: ["MissingCheckpointerError", "UnknownInterruptError"], there: [asks, asks] });
});
