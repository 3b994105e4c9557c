import { END, START, StateGraph } from "../../src/index.ts";
import type { Pregel } from "../../src/pregel/pregel.ts";
import { Log } from "../support/log.ts";

/** The graphs of the test worker. Its runtime reads them whenever a thread object is made. */
export const deployed: Record<string, Pregel> = {
  none: new StateGraph(Log)
    .addNode("nothing", () => ({}))
    .addEdge(START, "nothing")
    .addEdge("nothing", END)
    .compile(),
};

/** Deploys other graphs. Objects that are there already keep the old ones until they are evicted. */
export function deploy(graphs: Readonly<Record<string, Pregel>>): void {
  for (const name of Object.keys(deployed)) delete deployed[name];
  Object.assign(deployed, graphs);
}
