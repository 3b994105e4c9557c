import { expect, it } from "vitest";
import type { Case } from "./cases.ts";
import { END, START, type Builder, type Library, type State } from "./engine.ts";
import { graphOf, quick } from "./policy-cases.ts";
import { compare, type Counters } from "./session.ts";

/** What policies, breakpoints and error handlers mean for graphs inside nodes and for called tasks. */

function failsOnce(name: string, counters: Counters): () => State {
  return () => {
    if (counters.count(name) === 0) throw new Error(`${name} failed`);
    return { log: [name] };
  };
}

const logs = (name: string, counters: Counters) => (): State => {
  counters.count(name);
  return { log: [name] };
};

interface WithDefaults extends Builder {
  setNodeDefaults(defaults: object): Builder;
}

const withDefaults = (library: Library, defaults: object): Builder =>
  (graphOf(library) as WithDefaults).setNodeDefaults(defaults);

const handledBy = (name: string) => (_: State, error: { node: string; error: Error }) => ({
  log: [`${name}: ${error.node}: ${error.error.message}`],
});

const cases: Record<string, Case> = {
  "one error handler for all nodes, and one of a node's own": {
    build: (library, counters) =>
      withDefaults(library, { errorHandler: handledBy("default") })
        .addNode("plain", failsOnce("plain", counters))
        .addNode("own", failsOnce("own", counters), { errorHandler: handledBy("its own") })
        .addNode("next", logs("next", counters))
        .addEdge(START, "plain")
        .addEdge(START, "own")
        .addEdge("plain", "next"),
    script: async (thread) => {
      await thread.invoke({ log: ["in"] });
      await thread.stream({ log: ["again"] }, ["updates", "values"]);
    },
  },
  "a retry policy for all nodes, and for their error handlers": {
    build: (library, counters) =>
      withDefaults(library, { retryPolicy: { ...quick, maxAttempts: 2 } })
        .addNode("once", failsOnce("once", counters))
        .addNode(
          "ever",
          () => {
            counters.count("ever");
            throw new Error("ever failed");
          },
          { errorHandler: failsOnce("handler", counters) },
        )
        .addEdge(START, "once")
        .addEdge("once", "ever"),
    script: (thread) => thread.invoke({ log: ["in"] }),
  },
  "a graph in a node whose errors are handled": {
    build: (library, counters) => {
      const inner = graphOf(library)
        .addNode("one", failsOnce("one", counters))
        .addEdge(START, "one")
        .compile();
      return graphOf(library)
        .addNode("inner", inner, { errorHandler: handledBy("outer") })
        .addNode("after", logs("after", counters))
        .addEdge(START, "inner")
        .addEdge("inner", "after");
    },
    script: (thread) => thread.invoke({ log: ["in"] }),
  },
  "a handled error inside a graph in a node": {
    build: (library, counters) => {
      const inner = graphOf(library)
        .addNode("one", failsOnce("one", counters), { errorHandler: handledBy("inner") })
        .addEdge(START, "one")
        .addEdge("one", END)
        .compile();
      return graphOf(library).addNode("inner", inner).addEdge(START, "inner");
    },
    script: (thread) => thread.invoke({ log: ["in"] }),
  },
  "breakpoints of a graph in a node": {
    build: (library, counters) => {
      const inner = graphOf(library)
        .addNode("one", logs("one", counters))
        .addNode("two", logs("two", counters))
        .addEdge(START, "one")
        .addEdge("one", "two")
        .compile({ interruptBefore: ["two"] });
      return graphOf(library)
        .addNode("inner", inner)
        .addNode("after", logs("after", counters))
        .addEdge(START, "inner")
        .addEdge("inner", "after");
    },
    script: async (thread) => {
      await thread.invoke({ log: ["in"] });
      await thread.invoke(null);
    },
  },
  "a called task that is tried again": {
    build: (library, counters) => {
      const task = library.task({ name: "task", retry: quick }, failsOnce("task", counters));
      return graphOf(library)
        .addNode("caller", () => task())
        .addEdge(START, "caller");
    },
    script: (thread) => thread.invoke({ log: ["in"] }),
  },
  "a called task that takes too long": {
    build: (library, counters) => {
      const slow = async (): Promise<string> => {
        const before = counters.count("slow");
        await new Promise((resolve) => {
          setTimeout(resolve, before === 0 ? 200 : 0);
        });
        return "done";
      };
      const task = library.task({ name: "slow", timeout: 50, retry: quick }, slow);
      return graphOf(library)
        .addNode("caller", async () => ({ log: [await task()] }))
        .addEdge(START, "caller");
    },
    script: (thread) => thread.invoke({ log: ["in"] }),
  },
};

it.each(Object.entries(cases))("%s: as in LangGraph", async (_, { build, script }) => {
  const result = await compare(build, script);
  expect(result.ours).toEqual(result.theirs);
});
