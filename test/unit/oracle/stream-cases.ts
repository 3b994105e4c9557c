import { cases, type Case } from "./cases.ts";
import { functionalCases } from "./functional-cases.ts";
import { subgraphCases } from "./subgraph-cases.ts";
import type { Script } from "./session.ts";

/** Graphs of other cases, streamed in the modes that tell of tasks and checkpoints. */

const buildOf = (name: string): Case["build"] => {
  const found = { ...cases, ...subgraphCases, ...functionalCases }[name];
  if (found === undefined) throw new Error(name);
  return found.build;
};

const streamed =
  (input: unknown, modes: string | string[], answers: readonly unknown[] = []): Script =>
  async (thread) => {
    await thread.stream(input, modes, { subgraphs: true });
    for (const resume of answers) {
      await thread.stream(thread.command({ resume }), modes, { subgraphs: true });
    }
    await thread.stream(null, modes);
  };

const input = { log: ["in"], sum: 1 };

export const streamCases: Readonly<Record<string, Case>> = {
  "tasks of a chain": { build: buildOf("a chain"), script: streamed(input, ["tasks", "values", "updates"]) },
  "checkpoints of a chain": { build: buildOf("a chain"), script: streamed(input, "checkpoints") },
  "debug of a chain": { build: buildOf("a chain"), script: streamed(input, "debug") },
  "checkpoints and values of a chain": {
    build: buildOf("a chain"),
    script: streamed(input, ["values", "checkpoints", "updates"]),
  },
  "tasks that write a channel twice": {
    build: buildOf("Commands of nodes and callers"),
    script: streamed(input, "tasks"),
  },
  "tasks of Sends": { build: buildOf("Sends in the order of sending"), script: streamed(input, ["tasks"]) },
  "tasks that ask": {
    build: buildOf("two questions of one node"),
    script: streamed(input, ["tasks", "checkpoints"], ["one", "two"]),
  },
  "debug of a question beside finished tasks": {
    build: buildOf("an update of a paused thread"),
    script: streamed(input, "debug", ["one"]),
  },
  "tasks of a graph as a node": {
    build: buildOf("a graph as a node"),
    script: streamed(input, ["tasks", "updates"], ["R"]),
  },
  "checkpoints of a graph as a node": {
    build: buildOf("a graph as a node"),
    script: streamed(input, "checkpoints", ["R"]),
  },
  "debug of graphs in graphs": {
    build: buildOf("graphs in graphs"),
    script: streamed(input, "debug", ["R"]),
  },
  "tasks of an entrypoint": {
    build: buildOf("an entrypoint with tasks"),
    script: streamed(1, ["tasks", "checkpoints"]),
  },
  "an older checkpoint, streamed": {
    build: buildOf("a chain"),
    script: async (thread) => {
      await thread.invoke(input);
      const middle = (await thread.history()).find((state) => state.next[0] === "b");
      const at = String(middle?.config.configurable?.["checkpoint_id"]);
      await thread.stream(null, ["values", "checkpoints", "tasks"], { at });
      await thread.stream(thread.command({ update: { sum: 1 }, goto: "b" }), ["checkpoints", "values"]);
    },
  },
};
