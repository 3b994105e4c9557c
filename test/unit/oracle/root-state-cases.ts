import type { Case } from "./cases.ts";
import { END, START, type Builder, type Library } from "./engine.ts";

/** Graphs whose state is one value instead of an object of keys. */

const list = (library: Library): Builder =>
  new library.StateGraph({
    channels: {
      __root__: { reducer: (left: unknown[], right: unknown) => left.concat(right), default: () => [] },
    },
  });

const rootOf = (library: Library, options?: object): Builder =>
  new library.StateGraph(library.Annotation.Root({ __root__: library.Annotation(options) }));

/** Nodes are given the value, and what they return is written to it: lists, texts, nothing. */
const aList: Case = {
  build: (library) =>
    list(library)
      .addNode("a", (state) => [`a saw ${String(state.length)}`])
      .addNode("b", (state) => `b saw ${String(state.length)}`)
      .addNode("c", () => undefined)
      .addNode("d", () => 0)
      .addEdge(START, "a")
      .addEdge("a", "b")
      .addEdge("a", "c")
      .addEdge(["b", "c"], "d")
      .addEdge("d", END),
  script: async (thread) => {
    await thread.invoke(["in"]);
    await thread.invoke("one more");
    await thread.stream(["again"], ["values", "updates", "tasks", "debug"]);
    await thread.invoke([]);
    await thread.invoke("");
    await thread.invoke(undefined);
    await thread.update(["edit"], "b");
    await thread.update("edit");
    await thread.update(["in"], START);
    await thread.invoke(null);
  },
};

/** Without a value there is nothing to give to a node: it does not run. */
const aSingleValue: Case = {
  build: (library, counters) =>
    rootOf(library)
      .addNode("a", (state) => {
        counters.count("a");
        return `${JSON.stringify(state)}!`;
      })
      .addNode("b", (state) => ({ was: state }))
      .addEdge(START, "a")
      .addConditionalEdges("a", (state) => (JSON.stringify(state).length > 10 ? END : "b")),
  script: async (thread) => {
    await thread.invoke({ an: "object" });
    await thread.invoke("text");
    await thread.invoke(5);
    await thread.invoke([1, 2]);
    await thread.stream("short", "values");
    await thread.stream("short", "updates");
  },
};

const withoutAValue: Case = {
  build: (library, counters) =>
    rootOf(library)
      .addNode("a", () => {
        counters.count("a");
        return "a";
      })
      .addNode("b", (state) => `b saw ${JSON.stringify(state)}`)
      .addEdge(START, "a")
      .addEdge("a", "b"),
  script: async (thread) => {
    await thread.invoke(thread.command({ goto: "a" }));
    await thread.update("x", "a");
    await thread.invoke(null);
  },
};

/** A node's Command may name the value, or give it as it is. */
const commands: Case = {
  build: (library) =>
    list(library)
      .addNode(
        "a",
        () => new library.Command({ update: "by a", goto: ["b", new library.Send("c", "sent")] }),
        {
          ends: ["b", "c"],
        },
      )
      .addNode("b", () => [new library.Command({ update: { __root__: ["by name"] } }), "beside"])
      .addNode("c", (state) => [`c got ${JSON.stringify(state)}`, library.interrupt("q")])
      .addEdge(START, "a"),
  script: async (thread) => {
    await thread.invoke(["in"]);
    await thread.invoke(thread.command({ resume: "answer" }));
    await thread.stream(["in"], ["updates", "tasks"]);
    await thread.invoke(thread.command({ update: [["__root__", "pair"]], goto: "b" }));
  },
};

export const rootStateCases: Readonly<Record<string, Case>> = {
  "a state that is a list": aList,
  "a state that is a single value": aSingleValue,
  "a single value that is not there": withoutAValue,
  "Commands on a state that is one value": commands,
};
