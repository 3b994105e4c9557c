import { END, START, StateGraph } from "../../src/index.ts";
import { Gate } from "./gate.ts";
import { Log } from "./log.ts";

/** A graph whose only node waits at the gate. */
export function gated() {
  const gate = new Gate();
  const graph = new StateGraph(Log)
    .addNode("wait", async () => {
      await gate.pass();
      return { log: ["n"] };
    })
    .addEdge(START, "wait")
    .addEdge("wait", END)
    .compile();
  return { gate, graph };
}
