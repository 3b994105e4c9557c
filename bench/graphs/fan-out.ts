import type { Library, Saver } from "./library.ts";

/** One superstep of `width` tasks, each started by a Send, whose results a reducer collects. */
export function fanOutGraph(library: Library, saver: Saver) {
  const { Annotation, END, Send, START, StateGraph } = library;
  const State = Annotation.Root({
    width: Annotation<number>(),
    squares: Annotation<number[]>({
      reducer: (left, right) => left.concat(right),
      default: () => [],
    }),
  });
  return new StateGraph(State)
    .addNode("plan", () => ({}))
    .addNode("square", (task) => {
      // A Send's arguments are the node's input, whatever the state looks like.
      const { n } = task as unknown as { readonly n: number };
      return { squares: [n * n] };
    })
    .addEdge(START, "plan")
    .addConditionalEdges(
      "plan",
      ({ width }) => Array.from({ length: width }, (_, n) => new Send("square", { n })),
      ["square"],
    )
    .addEdge("square", END)
    .compile({ checkpointer: saver });
}
