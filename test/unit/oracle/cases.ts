import { END, START, type Builder, type Library, type State } from "./engine.ts";
import { idOf, type Build, type Counters, type Script } from "./session.ts";

/** A graph and what is done with a thread of it. */
export interface Case {
  readonly build: Build;
  readonly script: Script;
}

const append = (left: unknown[], right: unknown[]): unknown[] => left.concat(right);
const add = (left: number, right: number): number => left + right;

export function stateOf({ Annotation }: Library): unknown {
  return Annotation.Root({
    log: Annotation({ reducer: append, default: () => [] }),
    sum: Annotation({ reducer: add, default: () => 0 }),
    last: Annotation(),
    first: Annotation({ reducer: (left: unknown) => left }),
  });
}

function graphOf(library: Library): Builder {
  return new library.StateGraph(stateOf(library));
}

/** Logs its name and counts its calls. */
const logs =
  (name: string, counters: Counters, more: State = {}) =>
  (): State => {
    counters.count(name);
    return { log: [name], ...more };
  };

const later = (milliseconds = 1): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Throws in its first call, after what runs beside it has finished. */
const failsOnce = (name: string, counters: Counters, error: () => Error) => async (): Promise<State> => {
  await later(5);
  if (counters.count(name) === 0) throw error();
  return { log: [name] };
};

const chain: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode("a", logs("a", counters, { sum: 1, first: "a" }))
      .addNode("b", (state) => ({ log: ["b"], last: state["sum"], first: "b" }))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .addEdge("b", END),
  script: async (thread) => {
    await thread.invoke({ log: ["in"], sum: 5 });
    await thread.invoke({ log: ["again"], first: "input" });
    await thread.stream({ sum: 1, unknown: 1 }, ["values", "updates", "custom"]);
    await thread.stream({ sum: 1 }, "values");
    await thread.invoke(null);
    await thread.invoke({});
  },
};

const fanOut: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode("z", logs("z", counters, { sum: 1 }))
      .addNode("a", async () => {
        await later();
        return { log: ["a"], sum: 10 };
      })
      .addNode("m", () => ({ log: ["m"] }))
      .addNode("after", (state) => ({ log: [`after ${String(state["sum"])}`] }))
      .addNode("both", logs("both", counters))
      .addEdge(START, "z")
      .addEdge(START, "a")
      .addEdge(START, "m")
      .addEdge("z", "after")
      .addEdge("m", "after")
      .addEdge(["a", "after"], "both")
      .addEdge("both", END),
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.stream({ log: ["again"] }, ["updates", "values"]);
  },
};

/** The node's own writes count for its conditional edges. */
const loop: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode("work", logs("work", counters, { sum: 1 }))
      .addNode("check", () => ({ last: "checked" }))
      .addEdge(START, "work")
      .addConditionalEdges("work", (state) => (Number(state["sum"]) < 4 ? "more" : ["stop", "look"]), {
        more: "work",
        stop: END,
        look: "check",
      })
      .addConditionalEdges("check", () => END),
  script: async (thread) => {
    await thread.stream({ log: ["in"] }, "updates");
    await thread.invoke({ sum: -10 }, { limit: 3 });
    await thread.invoke(null, { limit: 2 });
    await thread.invoke(null, { limit: 1 });
    await thread.invoke(null);
    await thread.invoke({ sum: -4 }, { limit: 4 });
  },
};

const entryBranch: Case = {
  build: (library) =>
    graphOf(library)
      .addNode("a", () => ({ log: ["a"] }))
      .addNode("b", (state) => ({ log: [`b${JSON.stringify(state)}`] }))
      .addConditionalEdges(
        START,
        (state) => (state["sum"] === 1 ? "a" : [new library.Send("b", { x: 1 }), "b"]),
        ["a", "b"],
      )
      .addEdge("a", "b"),
  script: async (thread) => {
    await thread.invoke({ sum: 1 });
    await thread.invoke({ sum: 1 });
  },
};

const sends: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode("plan", () => ({ log: ["plan"] }))
      .addNode("w", async (state) => {
        counters.count("w");
        await later(Number(state["i"]) % 3);
        return { log: [`w${String(state["i"])}`], sum: 1 };
      })
      .addNode("end", (state) => ({ log: [`end ${String(state["sum"])}`] }))
      .addEdge(START, "plan")
      .addConditionalEdges("plan", () =>
        [3, 1, 2, 0, 5, 4, 9, 8, 7, 6, 11, 10].map((i) => new library.Send("w", { i })),
      )
      .addEdge("w", "end"),
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.stream({}, ["updates", "values"]);
  },
};

const commands: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode(
        "route",
        (state) => {
          counters.count("route");
          const goto = Number(state["sum"]) < 2 ? "route" : ["x", new library.Send("w", "raw"), "x"];
          return new library.Command({ update: { log: ["route"], sum: 1, nothing: 1 }, goto });
        },
        { ends: ["route", "x", "w"] },
      )
      .addNode("x", () => [new library.Command({ update: [["log", ["x1"]]] }), { log: ["x2"] }])
      .addNode("w", (args) => ({ log: [args] }))
      .addNode("always", logs("always", counters))
      .addEdge(START, "route")
      .addEdge("route", "always"),
  script: async (thread) => {
    await thread.stream({ log: ["in"] }, ["updates", "values"]);
    await thread.invoke(thread.command({ update: { log: ["patched"] }, goto: "x" }));
    await thread.invoke(thread.command({ goto: [new thread.library.Send("w", 1), "always"] }));
    await thread.invoke(thread.command({ goto: END }));
    await thread.invoke(thread.command({ update: { log: ["only"] } }));
    await thread.stream(thread.command({ update: { sum: 1 }, goto: ["x"] }), ["updates", "values"]);
  },
};

const overwrites: Case = {
  build: (library) =>
    graphOf(library)
      .addNode("a", () => ({ log: ["a"] }))
      .addNode("b", () => ({ log: new library.Overwrite(["B"]) }))
      .addNode("c", () => ({ log: ["c"] }))
      .addNode("d", () => ({ log: { __overwrite__: ["D"] } }))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge(START, "c")
      .addConditionalEdges("c", (state) => (state["sum"] === 1 ? "d" : END)),
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.invoke({ sum: 1 });
    await thread.stream({ sum: 0 }, ["updates", "values"]);
  },
};

const customStream: Case = {
  build: (library) =>
    graphOf(library)
      .addNode("a", (_, config) => {
        config.writer?.({ step: 1 });
        config.writer?.("two");
        return { log: ["a"] };
      })
      .addNode("b", async (_, config) => {
        await later();
        config.writer?.(["b"]);
        return {};
      })
      .addEdge(START, "a")
      .addEdge("a", "b"),
  script: async (thread) => {
    await thread.stream({ log: ["in"] }, "custom");
    await thread.stream({ log: ["in"] }, ["values", "custom", "updates"]);
  },
};

const emptyReturns: Case = {
  build: (library) =>
    graphOf(library)
      .addNode("a", () => undefined)
      .addNode("b", () => ({}))
      .addNode("c", () => null)
      .addNode("d", () => ({ unknown: 1 }))
      .addNode("e", () => ({ last: undefined, log: [] }))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", "c")
      .addEdge("c", "d")
      .addEdge("d", "e"),
  script: async (thread) => {
    await thread.stream({ sum: 1 }, ["updates", "values"]);
  },
};

const twoQuestions: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode("a", logs("a", counters, { sum: 1 }))
      .addNode("ask", () => {
        counters.count("ask");
        return { log: [library.interrupt("x?"), library.interrupt({ ask: "y?" })] };
      })
      .addNode("c", logs("c", counters))
      .addEdge(START, "a")
      .addEdge("a", "ask")
      .addEdge("ask", "c"),
  script: async (thread) => {
    await thread.stream({ log: ["in"] }, ["updates", "values"]);
    await thread.invoke(thread.command({ resume: false }));
    await thread.stream(thread.command({ resume: { some: "object" } }), ["values", "updates"]);
    await thread.invoke({ log: ["second"] });
    await thread.invoke(thread.command({ resume: 0 }));
    await thread.invoke(thread.command({ resume: "", goto: "c", update: { sum: 5 } }));
  },
};

const parallelQuestions: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode("p", () => ({ log: [library.interrupt("p?")] }))
      .addNode("q", () => ({ log: [library.interrupt("q?")] }))
      .addNode("done", logs("done", counters))
      .addNode("join", logs("join", counters))
      .addEdge(START, "p")
      .addEdge(START, "q")
      .addEdge(START, "done")
      .addEdge(["p", "q", "done"], "join"),
  script: async (thread) => {
    await thread.stream({ log: ["in"] }, ["updates", "values"]);
    await thread.answer([undefined, "Q"]);
    await thread.answer(["P"]);
    await thread.stream({}, "values");
    await thread.answer(["P2", "Q2"]);
  },
};

const sendQuestions: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode("w", (state) => {
        counters.count(
          `even ${String(Number(state["i"]) % 2)}`.replace("even 1", "odd").replace("even 0", "even"),
        );
        const i = Number(state["i"]);
        return { log: [i % 2 === 1 ? library.interrupt(i) : i] };
      })
      .addConditionalEdges(START, () => [0, 1, 2, 3].map((i) => new library.Send("w", { i })), ["w"]),
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.answer(["one", "three"]);
  },
};

const failure: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode("ok", logs("ok", counters, { sum: 1 }))
      .addNode(
        "bad",
        failsOnce("bad", counters, () => new Error("boom")),
      )
      .addNode("after", logs("after", counters))
      .addEdge(START, "ok")
      .addEdge(START, "bad")
      .addEdge(["ok", "bad"], "after"),
  script: async (thread) => {
    await thread.stream({ log: ["in"] }, ["updates", "values"]);
    await thread.stream(null, ["updates", "values"]);
  },
};

const twoFailures: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode("bad", () => {
        if (counters.count("bad") === 0) throw new RangeError("range");
        return { log: ["bad"] };
      })
      .addNode("worse", () => {
        if (counters.count("worse") === 0) throw new Error("worse");
        return { log: ["worse"] };
      })
      .addEdge(START, "bad")
      .addEdge(START, "worse"),
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.invoke(null);
  },
};

const wrongReturns: Case = {
  build: (library) =>
    graphOf(library)
      .addNode("number", () => 5)
      .addNode("list", () => [{ log: ["x"] }])
      .addConditionalEdges(START, (state) => String(state["last"])),
  script: async (thread) => {
    await thread.invoke({ last: "number" });
    await thread.invoke({ last: "list" });
  },
};

const nothingToDo: Case = {
  build: (library) =>
    graphOf(library)
      .addNode("a", () => ({ log: ["a"] }))
      .addEdge(START, "a"),
  script: async (thread) => {
    await thread.state();
    await thread.invoke(null);
    await thread.invoke(thread.command({}));
  },
};

const travel: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode("a", logs("a", counters, { sum: 1 }))
      .addNode("b", () => ({ log: [counters.count("b")] }))
      .addNode("c", logs("c", counters, { last: "c" }))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .addEdge("b", "c"),
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    const [head, afterB, afterA, , input] = (await thread.history()).map(idOf);
    await thread.stream(null, ["values", "updates"], { at: afterA ?? "" });
    await thread.invoke(null);
    await thread.invoke({ log: ["new"] }, { at: afterB ?? "" });
    await thread.invoke(null, { at: head ?? "" });
    await thread.invoke(null, { at: input ?? "" });
    await thread.update({ log: ["as a"] }, "a");
    const [updated] = (await thread.history()).map(idOf);
    await thread.invoke(null, { at: updated ?? "" });
  },
};

const travelBeforeQuestion: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode("a", logs("a", counters))
      .addNode("ask", () => ({ log: [library.interrupt("q?")] }))
      .addNode("z", logs("z", counters))
      .addEdge(START, "a")
      .addEdge("a", "ask")
      .addEdge("ask", "z"),
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.invoke(thread.command({ resume: "one" }));
    const [, , paused, start] = (await thread.history()).map(idOf);
    await thread.invoke(null, { at: start ?? "" });
    await thread.invoke(thread.command({ resume: "two" }));
    await thread.invoke(null, { at: paused ?? "" });
    await thread.invoke(thread.command({ resume: "three" }));
  },
};

const updates: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode("a", logs("a", counters, { sum: 1 }))
      .addNode("b", logs("b", counters))
      .addNode("c", logs("c", counters))
      .addEdge(START, "a")
      .addConditionalEdges("a", (state) => (Number(state["sum"]) > 5 ? "c" : "b"), ["b", "c"])
      .addEdge("b", "c"),
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.update({ log: ["as a"], sum: 10 }, "a");
    await thread.invoke(null);
    await thread.update({ log: ["as last"] });
    await thread.invoke(null);
    const [, , , older] = (await thread.history()).map(idOf);
    await thread.update({ log: ["forked"] }, "b", { at: older ?? "" });
    await thread.invoke(null);
    await thread.update(null, END);
    await thread.update({ log: ["input"] }, "__input__");
    await thread.invoke(null);
    await thread.update(null);
    await thread.invoke(null);
  },
};

const updateOfNewThread: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode("a", logs("a", counters))
      .addNode("b", logs("b", counters))
      .addEdge(START, "a")
      .addEdge("a", "b"),
  script: async (thread) => {
    await thread.update({ log: ["first"] }, "a");
    await thread.invoke(null);
    await thread.invoke({ log: ["in"] });
  },
};

const updateWhilePaused: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode("ask", () => ({ log: [library.interrupt("q?")] }))
      .addNode("other", logs("other", counters))
      .addNode("z", logs("z", counters))
      .addEdge(START, "ask")
      .addEdge(START, "other")
      .addEdge(["ask", "other"], "z"),
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.update({ log: ["patch"] }, "other");
    await thread.invoke(null);
    await thread.invoke({ log: ["in"] });
    await thread.update({ log: ["answered by hand"] }, "ask");
    await thread.invoke(null);
  },
};

/** A node that waits for the longest of several ways, one that waits for a join, and one in a loop. */
const deferred: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode("a", logs("a", counters, { sum: 1 }))
      .addNode("b", logs("b", counters))
      .addNode("b2", logs("b2", counters))
      .addNode("b3", logs("b3", counters))
      .addNode("late", (state) => ({ log: ["late"], last: String(state["log"]) }), { defer: true })
      .addNode("joined", logs("joined", counters), { defer: true })
      .addNode("end", logs("end", counters))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .addEdge("a", "late")
      .addEdge("b", "b2")
      .addEdge("b2", "b3")
      .addEdge("b2", "late")
      .addEdge(["a", "b"], "joined")
      .addEdge("late", "end")
      .addConditionalEdges("end", (state) => (state["sum"] === 1 ? "again" : "done"), {
        again: "a",
        done: END,
      }),
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.invoke({ log: ["more"] });
    await thread.stream({ sum: -5 }, ["values", "updates"]);
  },
};

const interruptedDeferred: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode("ask", () => ({ log: [`got ${String(library.interrupt("q"))}`] }))
      .addNode("side", logs("side", counters))
      .addNode("late", logs("late", counters, { last: "late" }), { defer: true })
      .addEdge(START, "ask")
      .addEdge(START, "side")
      .addEdge("side", "late")
      .addEdge("ask", END),
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.answer(["x"]);
    await thread.update({ log: ["edited"] }, "side");
    await thread.invoke(null);
  },
};

const bulkUpdates: Case = {
  build: updates.build,
  script: async (thread) => {
    await thread.bulkUpdate([
      { updates: [{ values: { log: ["in"], sum: 1 }, asNode: "__input__" }] },
      { updates: [{ values: { log: ["in"], sum: 1 }, asNode: "__start__" }] },
      {
        updates: [
          { values: { log: ["as a"], sum: 10 }, asNode: "a" },
          { values: { log: ["as b"] }, asNode: "b" },
        ],
      },
    ]);
    await thread.invoke(null);
    await thread.bulkUpdate([{ updates: [{ values: { log: ["last"] } }] }]);
    const [, , older] = (await thread.history()).map(idOf);
    await thread.bulkUpdate(
      [
        { updates: [{ values: { log: ["branch"] }, asNode: "a" }] },
        { updates: [{ values: { log: ["more"] }, asNode: "b" }] },
      ],
      { at: older ?? "" },
    );
    await thread.invoke(null);
    await thread.bulkUpdate([
      {
        updates: [
          { values: {}, asNode: "a" },
          { values: {}, asNode: "__input__" },
        ],
      },
    ]);
    await thread.bulkUpdate([
      {
        updates: [
          { values: null, asNode: END },
          { values: {}, asNode: "a" },
        ],
      },
    ]);
  },
};

const copies: Case = {
  build: updates.build,
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    const [, afterB, afterA] = (await thread.history()).map(idOf);
    await thread.update(null, "__copy__", { at: afterB ?? "" });
    await thread.invoke(null);
    await thread.update(null, "__copy__", { at: afterA ?? "" });
    await thread.update(null, "__copy__");
    await thread.invoke(null);
  },
};

export const cases: Readonly<Record<string, Case>> = {
  "deferred nodes in a loop": deferred,
  "a deferred node beside a question": interruptedDeferred,
  "a chain": chain,
  "parallel nodes and a waiting edge": fanOut,
  "a loop and the recursion limit": loop,
  "a conditional entry": entryBranch,
  "Sends in the order of sending": sends,
  "Commands of nodes and callers": commands,
  "an Overwrite among other writes": overwrites,
  "custom chunks": customStream,
  "nodes that return nothing": emptyReturns,
  "two questions of one node": twoQuestions,
  "questions of parallel nodes, answered by id": parallelQuestions,
  "questions of Sends, answered by id": sendQuestions,
  "a node that fails beside another": failure,
  "two nodes that fail": twoFailures,
  "nodes that return no update": wrongReturns,
  "runs that have nothing to do": nothingToDo,
  "older checkpoints": travel,
  "a checkpoint before a question": travelBeforeQuestion,
  "updates from outside": updates,
  "an update of a new thread": updateOfNewThread,
  "an update of a paused thread": updateWhilePaused,
  "several updates at once": bulkUpdates,
  "copies of checkpoints": copies,
};
