import type { Case } from "./cases.ts";
import { stateOf } from "./cases.ts";
import { END, START, type Builder, type Library } from "./engine.ts";
import { idOf } from "./session.ts";

/** Reading and editing a thread, and going on from any of its checkpoints. */

const graphOf = (library: Library): Builder => new library.StateGraph(stateOf(library));

const chain: Case["build"] = (library, counters) => {
  const step = (name: string) => () => {
    counters.count(name);
    return { log: [name] };
  };
  return graphOf(library)
    .addNode("a", step("a"))
    .addNode("b", step("b"))
    .addNode("c", step("c"))
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("b", "c");
};

/** Filtered, cut at a checkpoint, limited. */
const histories: Case = {
  build: chain,
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.invoke({ log: ["again"] });
    await thread.update({ log: ["edit"] }, "b");
    const middle = (await thread.history()).find(({ metadata }) => metadata?.step === 5);
    for (const options of [
      { limit: 3 },
      { limit: 0 },
      { filter: { source: "input" } },
      { filter: { source: "loop", step: 2 } },
      { filter: { source: "nothing" } },
      { before: middle?.config },
      { before: middle?.config, limit: 2, filter: { source: "loop" } },
    ])
      await thread.historyWith(options);
  },
};

const copiesWithEdits: Case = {
  build: chain,
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    const [, afterB] = (await thread.history()).map(idOf);
    await thread.update([[{ log: ["copied"] }, "b"]], "__copy__", { at: afterB ?? "" });
    await thread.invoke(null);
    await thread.update([[{ log: ["a again"] }, "a"]], "__copy__");
  },
};

/** What counts as going on, and what as an input. */
const inputs: Case = {
  build: (library) =>
    graphOf(library)
      .addNode("ask", () => ({ log: [library.interrupt("q")] }))
      .addNode("z", () => ({ log: ["z"] }))
      .addEdge(START, "ask")
      .addEdge("ask", "z")
      .addEdge("z", END),
  script: async (thread) => {
    await thread.invoke(undefined);
    for (const resume of [{}, [], { a: 1 }, "text", [[1]]]) {
      await thread.invoke({ log: ["in"] });
      await thread.invoke(thread.command({ resume }));
      await thread.invoke(undefined);
    }
    await thread.invoke({ log: ["in"] });
    await thread.invoke(thread.command({ resume: null }));
    await thread.invoke(thread.command({ resume: undefined, update: { sum: 1 } }));
  },
};

const editsBetween: Case = {
  build: chain,
  script: async (thread) => {
    await thread.invoke({ log: ["in"] }, { more: { interruptBefore: ["b"] } });
    await thread.update({ log: ["edit"], sum: 1 });
    await thread.update({ log: ["as a"] }, "a");
    await thread.update({ log: ["as b"] }, "b");
    await thread.invoke(null);
    await thread.update(null, "a");
    await thread.invoke(null);
    await thread.update({ log: ["as start"] }, START);
    await thread.invoke(null);
  },
};

/** An edit as a node whose conditional edge sends. */
const editsThatSend: Case = {
  build: (library) =>
    graphOf(library)
      .addNode("plan", () => ({ log: ["plan"] }))
      .addNode("w", (state) => ({ log: [`w${String(state["i"])}`] }))
      .addNode("end", () => ({ log: ["end"] }))
      .addEdge(START, "plan")
      .addConditionalEdges("plan", (state) =>
        Array.from({ length: Number(state["sum"]) }, (_, i) => new library.Send("w", { i })),
      )
      .addEdge("w", "end"),
  script: async (thread) => {
    await thread.invoke({ sum: 1 });
    await thread.update({ log: ["edit"], sum: 1 }, "plan");
    await thread.invoke(null);
    await thread.update({ log: ["as end"] });
    const [, , sent] = (await thread.history()).map(idOf);
    await thread.update({ log: ["as w"] }, "w", { at: sent ?? "" });
    await thread.invoke(null);
  },
};

const single: Case["build"] = (library, counters) =>
  graphOf(library)
    .addNode("c", (state) => {
      counters.count("c");
      return { log: [`c${String(state["last"])}`] };
    })
    .addEdge(START, "c");

/** Without a node an edit is the one that ran last: not the only one there is, as long as that has not run. */
const editsOfASingleNode: Case = {
  build: single,
  script: async (thread) => {
    await thread.update({ last: 0 });
    await thread.invoke(null);
    await thread.invoke({ last: 1 }, { more: { interruptBefore: ["c"] } });
    await thread.update({ last: 2 });
    await thread.invoke(null);
    await thread.update({ last: 3 });
    await thread.invoke(null);
    const [, , , before] = (await thread.history()).map(idOf);
    await thread.update({ last: 4 }, undefined, { at: before ?? "" });
    await thread.invoke(null);
  },
};

const editsOfASingleFreshNode: Case = {
  build: single,
  script: async (thread) => {
    await thread.invoke({ last: 1 }, { more: { interruptBefore: ["c"] } });
    await thread.update({ last: 42 });
    await thread.invoke(null);
  },
};

const editsOfASingleFailedNode: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode("c", () => {
        if (!counters.hasReached("c", 1)) throw new Error("once");
        return { log: ["c"] };
      })
      .addEdge(START, "c"),
  script: async (thread) => {
    await thread.invoke({ last: 1 });
    await thread.update({ last: 42 });
    await thread.invoke(null);
  },
};

export const stateCases: Readonly<Record<string, Case>> = {
  "a history by filter, place and length": histories,
  "copies with edits": copiesWithEdits,
  "inputs and answers of all kinds": inputs,
  "edits between breakpoints": editsBetween,
  "edits that send": editsThatSend,
  "edits of a single node": editsOfASingleNode,
  "edits of a single node that has not run": editsOfASingleFreshNode,
  "edits of a single node that has failed": editsOfASingleFailedNode,
};
