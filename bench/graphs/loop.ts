import type { Library, Saver } from "./library.ts";

/** The log is small, as that of a counter should be. */
const LOG_LINES = 8;

/** One node, without I/O, that runs until it has counted to `n`: what is left is the cost of a superstep. */
export function loopGraph(library: Library, saver?: Saver) {
  const { Annotation, END, START, StateGraph } = library;
  const State = Annotation.Root({
    goal: Annotation<number>(),
    n: Annotation<number>(),
    log: Annotation<string[]>({
      reducer: (left, right) => [...left, ...right].slice(-LOG_LINES),
      default: () => [],
    }),
  });
  return new StateGraph(State)
    .addNode("count", ({ n }) => ({ n: n + 1, log: [`counted to ${n + 1}`] }))
    .addEdge(START, "count")
    .addConditionalEdges("count", ({ n, goal }) => (n < goal ? "count" : END), ["count", END])
    .compile(saver === undefined ? {} : { checkpointer: saver });
}

/** One superstep each for `__start__` and the count to each number. */
export function loopInput(supersteps: number) {
  return { goal: supersteps, n: 0 };
}

/** Enough for the loop in both libraries, which count the first superstep differently. */
export function recursionLimit(supersteps: number): number {
  return supersteps + 10;
}
