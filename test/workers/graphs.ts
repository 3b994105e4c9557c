import { END, START, StateGraph } from "../../src/index.ts";
import { MsgpackSerializer } from "../../src/checkpoint/serde/msgpack-serializer.ts";
import type { SerializerProtocol } from "../../src/checkpoint/serde/protocol.ts";
import type { RunnableGraph } from "../../src/pregel/runnable-graph.ts";
import { Log } from "../support/log.ts";

/** The graphs of the test worker. Its runtime reads them whenever a thread object is made. */
export const deployed: Record<string, RunnableGraph> = {
  none: new StateGraph(Log)
    .addNode("nothing", () => ({}))
    .addEdge(START, "nothing")
    .addEdge("nothing", END)
    .compile(),
};

/** Deploys other graphs. Objects that are there already keep the old ones until they are evicted. */
export function deploy(graphs: Readonly<Record<string, RunnableGraph>>): void {
  for (const name of Object.keys(deployed)) delete deployed[name];
  Object.assign(deployed, graphs);
}

let serde: SerializerProtocol = new MsgpackSerializer();

/** The serializer of the objects that are made from now on. */
export function deployedSerde(): SerializerProtocol {
  return serde;
}

/** Deploys another serializer. */
export function deploySerde(other: SerializerProtocol): void {
  serde = other;
}
