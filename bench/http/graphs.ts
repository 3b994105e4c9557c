import type { Library } from "../graphs/library.ts";
import { loopGraph } from "../graphs/loop.ts";

/** What both servers serve: a loop of supersteps, and a question. */
export function servedGraphs(library: Library) {
  return { loop: loopGraph(library), question: questionGraph(library) };
}

function questionGraph({ Annotation, END, interrupt, START, StateGraph }: Library) {
  const State = Annotation.Root({ answer: Annotation<string>() });
  return new StateGraph(State)
    .addNode("ask", () => ({ answer: interrupt<string, string>("Go on?") }))
    .addEdge(START, "ask")
    .addEdge("ask", END)
    .compile();
}
