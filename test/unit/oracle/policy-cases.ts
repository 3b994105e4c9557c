import { END, START, type Builder, type Library, type State } from "./engine.ts";
import { stateOf, type Case } from "./cases.ts";
import type { Counters } from "./session.ts";

/** Retries, timeouts, error handlers: what both engines do alike. */

export const quick = { initialInterval: 1, jitter: false, logWarning: false };

export function graphOf(library: Library): Builder {
  return new library.StateGraph(stateOf(library));
}

export const later = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/** Throws in the first calls. */
function fails(name: string, counters: Counters, times: number, error: () => unknown) {
  return (): State => {
    if (counters.count(name) < times) throw error();
    return { log: [name] };
  };
}

const retried: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode(
        "twice",
        fails("twice", counters, 2, () => new Error("x")),
        { retryPolicy: quick },
      )
      .addNode(
        "often",
        fails("often", counters, 9, () => new Error("often")),
        { retryPolicy: { ...quick, maxAttempts: 4 } },
      )
      .addNode(
        "never",
        fails("never", counters, 1, () => new Error("never")),
        {
          retryPolicy: { ...quick, retryOn: (error: Error) => error.message !== "never" },
        },
      )
      .addConditionalEdges(START, (state) => String(state["last"]))
      .addEdge("twice", END),
  script: async (thread) => {
    await thread.invoke({ last: "twice" });
    await thread.invoke({ last: "often" });
    await thread.invoke(null);
    await thread.invoke({ last: "never" });
    await thread.invoke(null);
  },
};

const attempts: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode(
        "a",
        (_, config) => {
          const { nodeAttempt, checkpointNs, taskId, threadId } = config.executionInfo ?? {};
          const isFirst = counters.count("a") < 1;
          config.writer?.({ nodeAttempt, checkpointNs, taskId, threadId });
          if (isFirst) throw new Error("x");
          return { last: nodeAttempt };
        },
        { retryPolicy: quick },
      )
      .addEdge(START, "a"),
  script: async (thread) => {
    await thread.stream({ log: ["in"] }, ["custom", "updates"]);
  },
};

const retriedQuestions: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode(
        "ask",
        () => {
          const answers = [library.interrupt("one")];
          if (counters.count("after one") < 1) throw new Error("again");
          answers.push(library.interrupt("two"));
          return { log: answers };
        },
        { retryPolicy: quick },
      )
      .addEdge(START, "ask"),
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.invoke(thread.command({ resume: 1 }));
    await thread.invoke(thread.command({ resume: 2 }));
  },
};

const timeouts: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode(
        "slow",
        async () => {
          if (counters.count("slow") < 1) await later(400);
          return { log: ["slow"] };
        },
        { timeout: 150 },
      )
      .addNode(
        "again",
        async (_, config) => {
          if (counters.count("again") < 1) await later(400);
          return { log: ["again"], last: config.executionInfo?.["nodeAttempt"] };
        },
        { timeout: { runTimeout: 150 }, retryPolicy: quick },
      )
      .addNode(
        "alive",
        async (_, config) => {
          for (let beat = 0; beat < 4; beat++) {
            await later(90);
            config.heartbeat?.();
          }
          return { log: ["alive"] };
        },
        { timeout: { idleTimeout: 270, refreshOn: "heartbeat" } },
      )
      .addNode(
        "busy",
        () => {
          const end = Date.now() + 12;
          while (Date.now() < end);
          return { log: ["busy"] };
        },
        { timeout: 4 },
      )
      .addConditionalEdges(START, (state) => String(state["last"])),
  script: async (thread) => {
    await thread.invoke({ last: "slow" });
    await thread.invoke(null);
    await thread.invoke({ last: "again" });
    await thread.invoke({ last: "alive" });
    await thread.invoke({ last: "busy" });
  },
};

const sentTimeout: Case = {
  build: (library) =>
    graphOf(library)
      .addNode("w", async (state) => {
        await later(Number(state["ms"]));
        return { log: [state["ms"]] };
      })
      .addConditionalEdges(
        START,
        () => [
          new library.Send("w", { ms: 1 }),
          new library.Send("w", { ms: 400 }, { timeout: { runTimeout: 150, refreshOn: "auto" } }),
        ],
        ["w"],
      ),
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
  },
};

const handled: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode(
        "a",
        fails("a", counters, 2, () => new Error("boom")),
        {
          retryPolicy: { ...quick, maxAttempts: 2 },
          errorHandler: (state: State, error: { node: string; error: Error }) => {
            counters.count("handler");
            return { log: [`${error.node}: ${error.error.message}`], last: state["log"] };
          },
        },
      )
      .addNode("b", () => ({ log: ["b"] }))
      .addNode("c", () => ({ log: ["c"] }))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", "c"),
  script: async (thread) => {
    await thread.stream({ log: ["in"] }, ["updates", "values"]);
    await thread.stream({ log: ["again"] }, ["updates", "values"]);
  },
};

const handlerGoes: Case = {
  build: (library) =>
    graphOf(library)
      .addNode(
        "w",
        (state) => {
          throw new Error(`bad ${String(state["i"])}`);
        },
        {
          errorHandler: (state: State, { error }: { error: Error }) =>
            new library.Command({ update: { log: [error.message, state["i"]] }, goto: "c" }),
        },
      )
      .addNode("c", () => ({ log: ["c"] }))
      .addConditionalEdges(START, () => [new library.Send("w", { i: 1 }), new library.Send("w", { i: 2 })], [
        "w",
      ]),
  script: async (thread) => {
    await thread.stream({ log: ["in"] }, ["updates", "values"]);
  },
};

const handlerAsks: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode(
        "a",
        fails("a", counters, 9, () => new Error("boom")),
        {
          errorHandler: (_: State, { error }: { error: Error }) => ({
            log: [library.interrupt("help?"), error.message],
          }),
        },
      )
      .addNode("b", () => ({ log: ["b"] }))
      .addEdge(START, "a")
      .addEdge(START, "b"),
  script: async (thread) => {
    // The state in between differs: LangGraph shows neither the handler nor its question.
    await thread.quietly(() => thread.invoke({ log: ["in"] }));
    await thread.invoke(thread.command({ resume: "so" }));
  },
};

const handlerFails: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode(
        "a",
        fails("a", counters, 9, () => new Error("boom")),
        {
          errorHandler: () => {
            if (counters.count("handler") === 0) throw new Error("handler broke");
            return { log: ["handled"] };
          },
        },
      )
      .addNode("b", () => ({ log: ["b"] }))
      .addEdge(START, "a")
      .addEdge(START, "b"),
  script: async (thread) => {
    await thread.quietly(() => thread.invoke({ log: ["in"] }));
    await thread.invoke(null);
  },
};

export const policyCases: Readonly<Record<string, Case>> = {
  "nodes that fail and are tried again": retried,
  "what an attempt knows of itself": attempts,
  "a retry after an answer": retriedQuestions,
  "nodes that take too long": timeouts,
  "a Send with a timeout of its own": sentTimeout,
  "an error handler in the place of a node": handled,
  "error handlers of Sends that go on": handlerGoes,
  "an error handler that asks": handlerAsks,
  "an error handler that fails": handlerFails,
};
