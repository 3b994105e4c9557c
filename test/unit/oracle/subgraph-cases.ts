import { END, START, type Builder, type Compiled, type Library, type State } from "./engine.ts";
import { stateOf, type Case } from "./cases.ts";
import { idOf, type Counters, type Session } from "./session.ts";

/** Graphs inside the nodes of others. */

function graphOf(library: Library): Builder {
  return new library.StateGraph(stateOf(library));
}

const logs =
  (name: string, counters: Counters, more: State = {}) =>
  (): State => {
    counters.count(name);
    return { log: [name], ...more };
  };

/** s1 → ask → s3. */
function asking(library: Library, counters: Counters, checkpointer?: boolean): Compiled {
  return graphOf(library)
    .addNode("s1", logs("s1", counters, { sum: 1 }))
    .addNode("ask", () => ({ log: [library.interrupt("q?")] }))
    .addNode("s3", logs("s3", counters))
    .addEdge(START, "s1")
    .addEdge("s1", "ask")
    .addEdge("ask", "s3")
    .compile(checkpointer === undefined ? {} : { checkpointer });
}

/** Counts its visits, in a state of its own. */
function visited(library: Library): Compiled {
  return graphOf(library)
    .addNode("count", (state) => ({ sum: 1, log: [`visit ${String(state["sum"])}`] }))
    .addEdge(START, "count")
    .compile({ checkpointer: true });
}

const allModes = ["values", "updates", "custom"];

const asNode: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode("before", logs("before", counters))
      .addNode("p", asking(library, counters))
      .addNode("z", logs("z", counters))
      .addEdge(START, "before")
      .addEdge("before", "p")
      .addEdge("p", "z"),
  script: async (thread) => {
    await thread.stream({ log: ["in"] }, allModes, { subgraphs: true });
    await thread.nestedStates();
    await thread.stream(thread.command({ resume: "R" }), allModes, { subgraphs: true });
    await thread.nestedStates();
    await thread.stream({ log: ["again"] }, allModes);
    await thread.invoke(thread.command({ resume: "R2" }));
  },
};

const invoked: Case = {
  build: (library, counters) => {
    const sub = asking(library, counters);
    return graphOf(library)
      .addNode("p", async (state) => {
        const first = await sub.invoke({ log: ["one"] });
        const second = await sub.invoke({ log: [state["last"]] });
        return { log: [first["log"], second["log"]] };
      })
      .addNode("z", logs("z", counters))
      .addEdge(START, "p")
      .addEdge("p", "z");
  },
  script: async (thread) => {
    await thread.stream({ last: "two" }, allModes, { subgraphs: true });
    await thread.stream(thread.command({ resume: "A" }), allModes, { subgraphs: true });
    await thread.stream(thread.command({ resume: "B" }), allModes, { subgraphs: true });
  },
};

const nested: Case = {
  build: (library, counters) => {
    const middle = graphOf(library)
      .addNode("m1", (_, config) => {
        config.writer?.("middle");
        return { log: ["m1"] };
      })
      .addNode("inner", asking(library, counters))
      .addEdge(START, "m1")
      .addEdge("m1", "inner")
      .compile();
    return graphOf(library)
      .addNode("outer", middle)
      .addNode("z", logs("z", counters))
      .addEdge(START, "outer")
      .addEdge("outer", "z");
  },
  script: async (thread) => {
    await thread.stream({ log: ["in"] }, allModes, { subgraphs: true });
    await thread.nestedStates();
    await thread.answer(["R"]);
    await thread.stream({ log: ["in"] }, "custom");
  },
};

/** By id: SUB-01 of the list of public bugs. */
const twoQuestions: Case = {
  build: (library) => {
    const sub = graphOf(library)
      .addNode("a", () => ({ log: [`a:${String(library.interrupt("a?"))}`] }))
      .addNode("b", () => ({ log: [`b:${String(library.interrupt("b?"))}`] }))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .compile();
    return graphOf(library)
      .addNode("p", async () => ({ log: (await sub.invoke({}))["log"] }))
      .addEdge(START, "p");
  },
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.invoke(thread.command({ resume: "1" }));
    await thread.invoke(thread.command({ resume: "2" }));
  },
};

const parallel: Case = {
  build: (library, counters) => {
    const sub = graphOf(library)
      .addNode("x", () => ({ log: [library.interrupt("x?")] }))
      .addNode("y", () => ({ log: [library.interrupt("y?")] }))
      .addNode("free", logs("free", counters))
      .addEdge(START, "x")
      .addEdge(START, "y")
      .addEdge(START, "free")
      .compile();
    return graphOf(library)
      .addNode("p", sub)
      .addNode("z", logs("z", counters))
      .addEdge(START, "p")
      .addEdge("p", "z");
  },
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.answer([undefined, "Y"]);
    await thread.answer(["X"]);
  },
};

const ownHistory: Case = {
  build: (library) => {
    const sub = visited(library);
    return graphOf(library)
      .addNode("p", async () => {
        const first = await sub.invoke({ log: ["in"] });
        const second = await sub.invoke({});
        return { log: [first["sum"], second["sum"]] };
      })
      .addNode("q", visited(library))
      .addEdge(START, "p")
      .addEdge("p", "q");
  },
  script: async (thread) => {
    await thread.invoke({ log: ["1"] });
    await thread.invoke({ log: ["2"] });
    await thread.nestedStates();
    await thread.invoke({ log: ["3"] });
    const second = (await thread.history()).find(
      (state) => state.next[0] === "p" && state.metadata?.step === 4,
    );
    await thread.invoke(null, { at: second === undefined ? "" : idOf(second) });
    await thread.invoke({ log: ["after"] });
    await thread.historyOf("q");
  },
};

const withoutSaver: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode(
        "p",
        graphOf(library)
          .addNode("a", logs("a", counters))
          .addNode("b", () => {
            if (counters.count("b") === 0) throw new Error("b");
            return {};
          })
          .addEdge(START, "a")
          .addEdge("a", "b")
          .compile({ checkpointer: false }),
      )
      .addEdge(START, "p"),
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.invoke(null);
  },
};

const toParent: Case = {
  build: (library, counters) => {
    const sub = graphOf(library)
      .addNode("a", logs("a", counters))
      .addNode(
        "b",
        () => new library.Command({ graph: "__parent__", goto: "q", update: { log: ["up"], sum: 5 } }),
      )
      .addEdge(START, "a")
      .addEdge("a", "b")
      .compile();
    return graphOf(library)
      .addNode("p", sub, { ends: ["q"] })
      .addNode("q", logs("q", counters))
      .addNode("also", logs("also", counters))
      .addEdge(START, "p")
      .addEdge("p", "also");
  },
  script: async (thread) => {
    await thread.stream({ log: ["in"] }, ["values", "updates"]);
  },
};

const failing: Case = {
  build: (library, counters) => {
    const sub = graphOf(library)
      .addNode("a", logs("a", counters))
      .addNode("b", () => {
        if (counters.count("b") === 0) throw new Error("b");
        return { log: ["b"] };
      })
      .addEdge(START, "a")
      .addEdge("a", "b")
      .compile();
    return graphOf(library)
      .addNode("p", sub)
      .addNode("z", logs("z", counters))
      .addEdge(START, "p")
      .addEdge("p", "z");
  },
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.invoke(null);
  },
};

const namespaceOf = async (thread: Session): Promise<string> => {
  const [state] = await thread.nested();
  return String(state?.config.configurable?.["checkpoint_ns"]);
};

const updated: Case = {
  build: asNode.build,
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.historyOf(await namespaceOf(thread));
    await thread.update({ log: ["by hand"] }, "ask", { namespace: await namespaceOf(thread) });
    await thread.nestedStates();
    await thread.invoke(null);
  },
};

const travelled: Case = {
  build: asNode.build,
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.invoke(thread.command({ resume: "one" }));
    const paused = (await thread.history()).find((state) => state.next[0] === "p");
    const at = paused === undefined ? "" : idOf(paused);
    await thread.nestedStates({ at });
    await thread.invoke(null, { at });
    await thread.nestedStates();
    await thread.invoke(thread.command({ resume: "two" }));
  },
};

/** Names that begin alike: SUB-03. */
const alike: Case = {
  build: (library, counters) => {
    const deep = graphOf(library)
      .addNode("child", asking(library, counters))
      .addEdge(START, "child")
      .compile();
    return graphOf(library)
      .addNode("child", logs("child", counters))
      .addNode("child_subgraph", deep)
      .addEdge(START, "child")
      .addEdge("child", "child_subgraph")
      .addEdge("child_subgraph", END);
  },
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.nestedStates();
    await thread.answer(["R"]);
  },
};

const sends: Case = {
  build: (library, counters) => {
    const sub = graphOf(library)
      .addNode("a", (state) => ({ log: [`a${String(state["sum"])}`] }))
      .addNode("b", logs("b", counters))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .compile();
    return graphOf(library)
      .addNode("p", async (state) => ({ log: (await sub.invoke({ sum: state["i"] }))["log"] }))
      .addConditionalEdges(START, () => [1, 2].map((i) => new library.Send("p", { i })), ["p"]);
  },
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
  },
};

/** Histories of graphs below the first and the second graph of one task. */
const belowSecond: Case = {
  build: (library) => {
    const around = (): Compiled =>
      graphOf(library).addNode("q", visited(library)).addEdge(START, "q").compile();
    const [first, second] = [around(), around()];
    return graphOf(library)
      .addNode(
        "p",
        async () => ({ log: [await first.invoke({ log: ["1"] }), await second.invoke({ log: ["2"] })] }),
        { subgraphs: [first, second] },
      )
      .addEdge(START, "p");
  },
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.invoke({ log: ["again"] });
    await thread.historyOf("p|q");
    await thread.historyOf("p|1|q");
  },
};

export const subgraphCases: Readonly<Record<string, Case>> = {
  "a graph as a node": asNode,
  "graphs that a node invokes": invoked,
  "graphs in graphs": nested,
  "two questions of a graph that a node invokes": twoQuestions,
  "parallel questions of a graph": parallel,
  "graphs with a history of their own": ownHistory,
  "a Command for the parent graph": toParent,
  "a graph that fails": failing,
  "an update of a graph in a node": updated,
  "an older checkpoint before a graph": travelled,
  "graphs with names that begin alike": alike,
  "histories below two graphs of a task": belowSecond,
};

/** Checkpoints are made in no fixed order, or some that are not saved: without ids. */
export const unordered: Readonly<Record<string, Case>> = {
  "graphs in parallel tasks": sends,
  "a graph without a saver": withoutSaver,
};
