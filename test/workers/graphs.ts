import { END, START, StateGraph } from "../../src/index.ts";
import { MsgpackSerializer } from "../../src/checkpoint/serde/msgpack-serializer.ts";
import type { SerializerProtocol } from "../../src/checkpoint/serde/protocol.ts";
import type { RunnableGraph } from "../../src/pregel/runnable-graph.ts";
import type { Retention } from "../../src/thread/life-cycle/retention.ts";
import type { OpenTraces } from "../../src/thread/attempt/traces.ts";
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

let makeSerde: () => SerializerProtocol = () => new MsgpackSerializer();

/** The serializer of the objects that are made from now on. */
export function deployedSerde(): SerializerProtocol {
  return makeSerde();
}

/** Deploys another serializer, or another way to make one. */
export function deploySerde(other: SerializerProtocol | (() => SerializerProtocol)): void {
  makeSerde = typeof other === "function" ? other : () => other;
}

let version: string | undefined;

/** The version of the code, as objects that are made from now on see it. */
export function deployedVersion(): { readonly id: string } | undefined {
  return version === undefined ? undefined : { id: version };
}

export function deployVersion(id?: string): void {
  version = id;
}

/** The retention of the test worker: thread objects read it whenever it matters. */
export const retained: { keepLast?: number; maxAge?: number; deleteAfter?: number } = {};

export function retain(retention: Retention): void {
  for (const key of ["keepLast", "maxAge", "deleteAfter"] as const) delete retained[key];
  Object.assign(retained, retention);
}

/** Whether thread objects that are made from now on tell the directory. */
export const announcing = { isOn: false };

/** What links are signed with, read whenever it matters. */
export const hookKeys = [{ id: "first", secret: "the secret of the first key, and longer" }];

/** What messages are signed with. */
export const webhookSecrets = [`whsec_${btoa("x".repeat(32))}`];

/** The hosts that webhooks may be sent to, besides those on the internet; read whenever it matters. */
export const receivers = ["receiver"];

/** Where all runs of a graph are told of, by its name; read whenever it matters. */
export const graphWebhooks: Record<string, string> = {};

/** Who gets to see the runs of objects that are made from now on. */
export const tracing: { open?: OpenTraces } = {};
