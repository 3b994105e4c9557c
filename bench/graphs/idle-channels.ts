import type { Library, Saver } from "./library.ts";

/** The loop in a state with `idle` more channels, which have a value that no superstep touches. */
export function idleGraph(library: Library, idle: number, saver: Saver) {
  const { Annotation, END, START, StateGraph } = library;
  const channels = Object.fromEntries(idleKeys(idle).map((key) => [key, Annotation<string>()]));
  const State = Annotation.Root({ goal: Annotation<number>(), n: Annotation<number>(), ...channels });
  return new StateGraph(State)
    .addNode("count", ({ n }) => ({ n: n + 1 }))
    .addEdge(START, "count")
    .addConditionalEdges("count", ({ n, goal }) => (n < goal ? "count" : END), ["count", END])
    .compile({ checkpointer: saver });
}

export function idleInput(idle: number, supersteps: number): Record<string, unknown> {
  return {
    goal: supersteps,
    n: 0,
    ...Object.fromEntries(idleKeys(idle).map((key) => [key, `value of ${key}`])),
  };
}

function idleKeys(idle: number): string[] {
  return Array.from({ length: idle }, (_, index) => `idle_${index}`);
}
