import { z } from "zod";
import type { Case } from "./cases.ts";
import { stateOf } from "./cases.ts";
import { END, START, type Builder, type Library, type NodeConfig, type RunControl } from "./engine.ts";

/** What nodes are told of the run and its caller, and what callers may ask of a run. */

const graphOf = (library: Library): Builder => new library.StateGraph(stateOf(library));

/** LangGraph adds what its tracing wants. */
const OF_TRACING = /^(ls_|lc_|checkpoint_id$|run_id$|versions$)/;

function told({ metadata, tags, configurable, context, executionInfo }: NodeConfig): unknown {
  const own = (given: unknown, wanted: (key: string) => boolean): unknown =>
    Object.fromEntries(
      Object.entries(Object(given) as object)
        .filter(([key]) => wanted(key))
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  return {
    metadata: own(metadata, (key) => !OF_TRACING.test(key)),
    // LangGraph counts supersteps in a tag.
    tags: (Array.isArray(tags) ? tags : []).filter((tag) => !String(tag).startsWith("graph:step")),
    configurable: own(configurable, (key) => ["thread_id", "checkpoint_ns"].includes(key)),
    context,
    attempt: executionInfo?.["nodeAttempt"],
    hasTime: typeof executionInfo?.["nodeFirstAttemptTime"],
    where: [executionInfo?.["threadId"], executionInfo?.["checkpointNs"], executionInfo?.["taskId"]],
  };
}

const whatNodesAreTold: Case = {
  build: (library) => {
    const inner = graphOf(library)
      .addNode("inside", (_, config) => {
        config.writer?.(told(config));
        return {};
      })
      .addEdge(START, "inside")
      .compile();
    return graphOf(library)
      .addNode(
        "a",
        (_, config) => {
          config.writer?.(told(config));
          return new library.Command({ goto: new library.Send("w", { i: 1 }) });
        },
        { metadata: { mine: true }, ends: ["w"] },
      )
      .addNode("w", (_, config) => {
        config.writer?.(told(config));
        return {};
      })
      .addNode("p", inner, { metadata: { around: true } })
      .addEdge(START, "a")
      .addEdge("w", "p")
      .addEdge("p", END);
  },
  script: async (thread) => {
    await thread.stream({ log: ["in"] }, "custom", {
      more: {
        metadata: { user: "u" },
        tags: ["tag"],
        context: { key: 1 },
      },
    });
    await thread.stream({ log: ["in"] }, ["custom", "tasks"]);
    await thread.stream({ log: ["in"] }, "tasks", { more: { metadata: { user: "u" } } });
  },
};

const resultsByMode: Case = {
  build: (library) =>
    graphOf(library)
      .addNode("a", () => ({ log: ["a"] }))
      .addNode("ask", () => ({ log: [library.interrupt("q")] }))
      .addEdge(START, "a")
      .addEdge("a", "ask"),
  script: async (thread) => {
    for (const streamMode of ["updates", ["updates", "values"], "custom"])
      await thread.invoke({ log: ["in"] }, { more: { streamMode } });
    await thread.invoke(thread.command({ resume: "yes" }), { more: { streamMode: "updates" } });
  },
};

/** A run that is asked to stop between supersteps, and goes on. */
const drained: Case = {
  build: (library, counters) => {
    const control = new library.RunControl();
    return graphOf(library)
      .addNode("a", (_, config) => {
        if (counters.count("a") === 0) (config["control"] as RunControl | undefined)?.requestDrain("deploy");
        return { log: ["a", control.drainRequested] };
      })
      .addNode("b", () => ({ log: ["b"] }))
      .addEdge(START, "a")
      .addEdge("a", "b");
  },
  script: async (thread) => {
    const control = new thread.library.RunControl();
    await thread.invoke({ log: ["in"] }, { more: { control } });
    thread.record.push([control.drainRequested, control.drainReason]);
    await thread.invoke(null);
    await thread.invoke(null, { more: { control } });
  },
};

/** A graph in a node that is asked to stop stops the run around it, and both go on. */
const drainedInside: Case = {
  build: (library, counters) => {
    const inner = graphOf(library)
      .addNode("one", (_, config) => {
        if (counters.count("one") === 0)
          (config["control"] as RunControl | undefined)?.requestDrain("deploy");
        return { log: ["one"] };
      })
      .addNode("two", () => ({ log: ["two"] }))
      .addEdge(START, "one")
      .addEdge("one", "two")
      .compile();
    return graphOf(library)
      .addNode("inner", inner)
      .addNode("z", () => ({ log: ["z"] }))
      .addEdge(START, "inner")
      .addEdge("inner", "z");
  },
  script: async (thread) => {
    const control = new thread.library.RunControl();
    await thread.invoke({ log: ["in"] }, { more: { control } });
    await thread.invoke(null);
  },
};

/** State by a StateSchema: values as its schemas give them, keys that are reduced, and keys that are never saved. */
const schemas: Case = {
  build: (library) =>
    new library.StateGraph(
      new library.StateSchema({
        n: z.coerce.number().optional(),
        text: z
          .string()
          .transform((text) => text.trim())
          .optional(),
        list: new library.ReducedValue(
          z.array(z.string()).default(() => []),
          { inputSchema: z.string(), reducer: (left: string[], right: string) => [...left, right] },
        ),
        scratch: new library.UntrackedValue(z.string().optional()),
      }),
    )
      .addNode("a", (state) => ({
        list: `a sees ${JSON.stringify(state)}`,
        scratch: "kept for the run",
        n: "7",
      }))
      .addNode("b", (state) => ({ list: `b sees ${JSON.stringify(state)}`, text: "  b " }))
      .addEdge(START, "a")
      .addEdge("a", "b"),
  script: async (thread) => {
    await thread.stream({ n: "5", text: " in ", list: "first" }, ["updates", "values"]);
    await thread.invoke({ list: "second" });
    await thread.invoke({ list: new thread.library.Overwrite(["third"]) });
    await thread.update({ list: "edit" }, "b");
  },
};

export const configCases: Readonly<Record<string, Case>> = {
  "what nodes are told": whatNodesAreTold,
  "results of invoke in other modes": resultsByMode,
  "a run that is asked to stop": drained,
  "a graph inside that is asked to stop": drainedInside,
  "a state by schemas": schemas,
};
