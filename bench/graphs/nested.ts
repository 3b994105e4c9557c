import type { Library, Saver } from "./library.ts";

/** The loop, whose node is a graph of two nodes. */
export function nestedGraph(library: Library, saver: Saver) {
  const { Annotation, END, START, StateGraph } = library;
  const State = Annotation.Root({ goal: Annotation<number>(), n: Annotation<number>() });
  const inner = new StateGraph(State)
    .addNode("add", ({ n }) => ({ n: n + 1 }))
    .addNode("check", ({ n }) => ({ n }))
    .addEdge(START, "add")
    .addEdge("add", "check")
    .addEdge("check", END)
    .compile();
  return new StateGraph(State)
    .addNode("count", inner)
    .addEdge(START, "count")
    .addConditionalEdges("count", ({ n, goal }) => (n < goal ? "count" : END), ["count", END])
    .compile({ checkpointer: saver });
}
