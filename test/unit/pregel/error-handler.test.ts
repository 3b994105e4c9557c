import { expect, it } from "vitest";
import { Command, INTERRUPT, interrupt, MemorySaver, START, StateGraph, type NodeError } from "tidemark";
import { chain, evictable, historyOf, later, openQuestions, parallel, State, thread } from "./support.ts";

const boom = (): never => {
  throw Object.assign(new RangeError("boom"), { code: "E_BOOM" });
};

it("a handler's question is shown, and answered after an eviction; the failed node does not run again", async () => {
  const runs: string[] = [];
  const builder = new StateGraph(State)
    .addNode(
      "a",
      () => {
        runs.push("a");
        return boom();
      },
      {
        errorHandler: (_: unknown, { error }: NodeError) => {
          runs.push("handler");
          const { name, code, message } = error as RangeError & { code: string };
          return { log: [interrupt("help?"), name, code, message] };
        },
      },
    )
    .addEdge(START, "a");
  const { graph } = evictable(builder);
  const asked = await graph().invoke({}, thread);
  const state = await graph().getState(thread);
  expect(state.next).toEqual(["__error_handler__a"]);
  expect(state.tasks.map(({ name, interrupts }) => [name, interrupts.length])).toEqual([
    ["a", 0],
    ["__error_handler__a", 1],
  ]);
  expect(await openQuestions(graph())).toEqual(asked[INTERRUPT]);
  const result = await graph().invoke(new Command({ resume: "so" }), thread);
  expect(result.log).toEqual(["so", "RangeError", "E_BOOM", "boom"]);
  expect(runs).toEqual(["a", "handler", "handler"]);
  expect((await graph().getState(thread)).next).toEqual([]);
});

it("a handler that has failed runs again, its node does not; the failure names the handler", async () => {
  let calls = 0;
  const builder = new StateGraph(State)
    .addNode("a", boom, {
      errorHandler: () => {
        if (calls++ === 0) throw new Error("handler broke");
        return { log: ["handled"] };
      },
    })
    .addEdge(START, "a");
  const { graph } = evictable(builder);
  const outcome = await graph().run({ kind: "input", value: {} }, thread);
  expect(outcome).toMatchObject({ status: "failed", failures: [{ node: "__error_handler__a" }] });
  expect((await graph().getState(thread)).next).toEqual(["__error_handler__a"]);
  expect((await graph().invoke(null, thread)).log).toEqual(["handled"]);
});

it("a handler's result is not lost when a sibling fails, nor when the state is edited then", async () => {
  let isBroken = true;
  const builder = parallel({
    sibling: async () => {
      await later(2);
      if (isBroken) throw new Error("sibling");
      return { log: ["sibling"] };
    },
  })
    .addNode("a", boom, { errorHandler: () => ({ log: ["handled"] }) })
    .addEdge(START, "a");
  const { graph } = evictable(builder);
  await expect(graph().invoke({}, thread)).rejects.toThrow("sibling");
  const state = await graph().getState(thread);
  expect(state.next).toEqual(["sibling"]);
  expect(state.values.log).toEqual(["handled"]);
  isBroken = false;
  await graph().updateState(thread, { log: ["patch"] }, "sibling");
  expect((await graph().invoke(null, thread)).log).toEqual(["handled", "patch"]);
});

it("a node whose handler has not finished is not done: after an edit of the state it runs again", async () => {
  const runs: string[] = [];
  const builder = parallel({ x: () => ({ log: ["x"] }), y: () => ({ log: ["y"] }) })
    .addNode("sibling", () => ({ log: ["sibling"] }))
    .addNode(
      "a",
      () => {
        runs.push("a");
        return boom();
      },
      {
        errorHandler: () => {
          runs.push("handler");
          if (runs.length < 3) throw new Error("handler broke");
          return { log: ["handled"] };
        },
      },
    )
    .addEdge("x", "sibling")
    .addEdge(["x", "y"], "a");
  const { graph } = evictable(builder);
  await expect(graph().invoke({}, thread)).rejects.toThrow("handler broke");
  await graph().updateState(thread, { log: ["patch"] }, "sibling");
  expect((await graph().getState(thread)).next).toEqual(["a"]);
  expect((await graph().invoke(null, thread)).log).toEqual(["x", "y", "sibling", "patch", "handled"]);
  expect(runs).toEqual(["a", "handler", "a", "handler"]);
});

it("history shows the failed node as it was saved", async () => {
  const builder = new StateGraph(State)
    .addNode("a", boom, { errorHandler: () => ({ log: ["handled"] }) })
    .addEdge(START, "a");
  const { graph } = evictable(builder);
  await graph().invoke({}, thread);
  const [, before] = await historyOf(graph());
  expect(before?.next).toEqual(["a"]);
  expect(before?.tasks).toMatchObject([{ name: "a", error: { name: "RangeError", message: "boom" } }]);
});

it("a node whose handler is gone from the graph runs again", async () => {
  const saver = new MemorySaver();
  const build = (errorHandler?: () => never) =>
    new StateGraph(State)
      .addNode("a", () => (errorHandler ? boom() : { log: ["a"] }), errorHandler ? { errorHandler } : {})
      .addEdge(START, "a")
      .compile({ checkpointer: saver });
  await expect(build(boom).invoke({}, thread)).rejects.toThrow("boom");
  expect((await build().invoke(null, thread)).log).toEqual(["a"]);
});

it("a run that is cancelled calls no handler", async () => {
  const controller = new AbortController();
  let isCalled = false;
  const graph = chain({})
    .addNode(
      "a",
      () => {
        controller.abort(new Error("stop"));
        return boom();
      },
      {
        errorHandler: () => {
          isCalled = true;
          return {};
        },
      },
    )
    .addEdge(START, "a")
    .compile({ checkpointer: new MemorySaver() });
  await expect(graph.invoke({}, { ...thread, signal: controller.signal })).rejects.toThrow("stop");
  await later();
  expect(isCalled).toBe(false);
});
