import * as theirs from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import * as ours from "tidemark";
import { theirs as theirLibrary, ours as ourLibrary, type Builder, type Library } from "../oracle/engine.ts";
import { stateOf } from "../oracle/cases.ts";

const node = (): object => ({});

/** Each is refused, by both engines, when it is built or compiled. */
const wrong: Record<string, (builder: Builder) => unknown> = {
  "an edge from an unknown node": (builder) =>
    builder.addNode("a", node).addEdge("__start__", "a").addEdge("x", "a").compile({}),
  "an edge to an unknown node": (builder) =>
    builder.addNode("a", node).addEdge("__start__", "a").addEdge("a", "x").compile({}),
  "a join of an unknown node": (builder) => builder.addNode("a", node).addEdge(["a", "x"], "a"),
  "a join that leads to END": (builder) =>
    builder.addNode("a", node).addNode("b", node).addEdge(["a", "b"], "__end__"),
  "a join of one node that leads to END": (builder) => builder.addNode("a", node).addEdge(["a"], "__end__"),
  "a join from START": (builder) => builder.addNode("a", node).addEdge(["__start__", "a"], "a"),
  "an edge from END": (builder) => builder.addNode("a", node).addEdge("__end__", "a"),
  "an edge to START": (builder) => builder.addNode("a", node).addEdge("a", "__start__"),
  "a conditional edge of an unknown node": (builder) =>
    builder
      .addNode("a", node)
      .addEdge("__start__", "a")
      .addConditionalEdges("x", () => "a")
      .compile({}),
  "a path map to an unknown node": (builder) =>
    builder
      .addNode("a", node)
      .addEdge("__start__", "a")
      .addConditionalEdges("a", () => "y", { y: "x" })
      .compile({}),
  "ends that are unknown": (builder) =>
    builder
      .addNode("a", node, { ends: ["x"] })
      .addEdge("__start__", "a")
      .compile({}),
  "a node that cannot be reached": (builder) =>
    builder.addNode("a", node).addNode("b", node).addEdge("__start__", "a").compile({}),
  "a graph without an entry": (builder) => builder.addNode("a", node).compile({}),
  "a node twice": (builder) => builder.addNode("a", node).addNode("a", node),
  "a node with the name of a state key": (builder) => builder.addNode("log", node),
  "a node called END": (builder) => builder.addNode("__end__", node),
  "a node called START": (builder) => builder.addNode("__start__", node),
  "a name with a bar": (builder) => builder.addNode("a|b", node),
  "a name with a colon": (builder) => builder.addNode("a:b", node),
};

describe.each(Object.entries(wrong))("%s", (_, build) => {
  const attempt = (library: Library) => () => build(new library.StateGraph(stateOf(library)));

  it("is refused with a typed error, as LangGraph refuses it", () => {
    expect(attempt(ourLibrary)).toThrow(ours.GraphValidationError);
    expect(attempt(theirLibrary)).toThrow();
  });
});

it("a node that cannot be reached has LangGraph's name and code of the error", () => {
  const errors = [ourLibrary, theirLibrary].map((library) => {
    try {
      new library.StateGraph(stateOf(library))
        .addNode("a", node)
        .addNode("b", node)
        .addEdge("__start__", "a")
        .compile({});
      return undefined;
    } catch (error) {
      return error;
    }
  });
  for (const error of errors)
    expect(error).toMatchObject({ name: "UnreachableNodeError", lc_error_code: "UNREACHABLE_NODE" });
  expect(errors[1]).toBeInstanceOf(theirs.UnreachableNodeError);
});

const faults: readonly [name: string, error: object][] = [
  ["an edge from END", { details: { edge: { source: "__end__", target: "a" } } }],
  ["an edge to START", { details: { edge: { source: "a", target: "__start__" } } }],
  ["a join that leads to END", { details: { edge: { source: ["a", "b"], target: "__end__" } } }],
  ["a join of an unknown node", { details: { edge: { source: ["a", "x"], target: "a" } } }],
  ["a graph without an entry", { details: { node: "__start__" }, lc_error_code: "UNREACHABLE_NODE" }],
];

it.each(faults)("%s: the error names it", (name, error) => {
  const build = wrong[name];
  expect(() => build?.(new ourLibrary.StateGraph(stateOf(ourLibrary)))).toThrow(
    expect.objectContaining({ code: "invalid_graph", ...error }),
  );
});

it("a state that is one value has no other keys", () => {
  const builder = new ours.StateGraph({ __root__: ours.Annotation(), other: ours.Annotation() })
    .addNode("a", node)
    .addEdge(ours.START, "a");
  expect(() => builder.compile()).toThrow(
    expect.objectContaining({ code: "invalid_graph", details: { channel: "__root__" } }),
  );
});

it.each([
  ["text", "a string"],
  [5, "a number"],
  [["list"], "a list"],
  [true, "a boolean"],
])("an input of %j is refused before anything is stored", async (input, kind) => {
  const checkpointer = new ours.MemorySaver();
  const graph = new ours.StateGraph({ v: ours.Annotation<number>() })
    .addNode("a", () => ({}))
    .addEdge(ours.START, "a")
    .compile({ checkpointer });
  const config = { configurable: { thread_id: "t" } };
  await expect(graph.invoke(input as never, config)).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining(kind),
  });
  expect(await checkpointer.getTuple(config)).toBeUndefined();
});

it("a builder that goes on after compile does not change what was compiled", async () => {
  const builder = new ours.StateGraph({ v: ours.Annotation<number>() })
    .addNode("a", () => ({ v: 1 }))
    .addEdge(ours.START, "a");
  const compiled = builder.compile();
  builder.addNode("b", () => ({ v: 2 })).addEdge("a", "b");
  expect(await compiled.invoke({})).toEqual({ v: 1 });
  expect(await builder.compile().invoke({})).toEqual({ v: 2 });
});

it("a node may be anything with invoke(input, config)", async () => {
  const runnable = {
    calls: 0,
    invoke(state: { v: number }) {
      this.calls++;
      return { v: state.v + 1 };
    },
  };
  const graph = new ours.StateGraph({ v: ours.Annotation<number>() })
    .addNode("a", runnable)
    .addEdge(ours.START, "a")
    .compile();
  expect(await graph.invoke({ v: 1 })).toEqual({ v: 2 });
  expect(runnable.calls).toBe(1);
});

it("without a checkpointer a graph runs, and what needs one is a typed error", async () => {
  const graph = new ours.StateGraph({ v: ours.Annotation<number>() })
    .addNode("a", (state) => ({ v: state.v === 1 ? 2 : ours.interrupt<string, number>("q") }))
    .addEdge(ours.START, "a")
    .compile();
  expect(await graph.invoke({ v: 1 })).toEqual({ v: 2 });
  await expect(graph.invoke({ v: 0 })).rejects.toMatchObject({ lc_error_code: "MISSING_CHECKPOINTER" });
  await expect(graph.getState({})).rejects.toMatchObject({ lc_error_code: "MISSING_CHECKPOINTER" });
  await expect(graph.updateState({}, {})).rejects.toMatchObject({ lc_error_code: "MISSING_CHECKPOINTER" });
  expect(() => ours.interrupt("q")).toThrow(expect.objectContaining({ code: "outside_of_task" }));
});
