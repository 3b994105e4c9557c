import type { Case } from "./cases.ts";
import { stateOf } from "./cases.ts";
import { END, START, type Builder, type Library } from "./engine.ts";

/** What a superstep does with what its tasks return: order, Sends, Commands, Overwrites. */

const graphOf = (library: Library): Builder => new library.StateGraph(stateOf(library));

const later = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/** Nodes by name, then Sends by their index, in whatever order they finish. */
const nodesAndSends: Case = {
  build: (library) => {
    const builder = graphOf(library)
      .addNode("plan", () => ({}))
      .addNode("w", async (state) => {
        await later(12 - Number(state["i"]));
        return { log: [`w${String(state["i"])}`] };
      });
    for (const name of ["z", "a", "m"])
      builder.addNode(name, async () => {
        await later(name === "z" ? 0 : 5);
        return { log: [name] };
      });
    return builder
      .addEdge(START, "plan")
      .addConditionalEdges("plan", () => [
        ...Array.from({ length: 12 }, (_, i) => new library.Send("w", { i })),
        "z",
        "a",
        "m",
      ]);
  },
  script: async (thread) => {
    await thread.stream({ log: ["in"] }, ["values", "tasks"]);
  },
};

const sendsOfAnything: Case = {
  build: (library) =>
    graphOf(library)
      .addNode("w", (args) => ({ log: [args] }))
      .addNode("none", () => ({ log: ["none"] }))
      .addConditionalEdges(START, () => [
        new library.Send("w", { i: 1 }),
        new library.Send("w", null),
        new library.Send("w", [1]),
        "none",
      ]),
  script: async (thread) => {
    await thread.stream({ last: "sends" }, ["updates", "values"]);
  },
};

const commandForms: Case = {
  build: (library) =>
    graphOf(library)
      .addNode(
        "pairs",
        () =>
          new library.Command({
            update: [
              ["log", ["one"]],
              ["log", ["two"]],
              ["sum", 1],
            ],
          }),
      )
      .addNode("many", () => [
        { log: ["plain"] },
        new library.Command({ update: { log: ["command"] }, goto: "target" }),
        new library.Command({ goto: [new library.Send("target", { sum: 7 })] }),
      ])
      .addNode("forged", () => ({ lg_name: "Command", update: { log: ["forged"] }, goto: ["target"] }))
      .addNode("nowhere", () => new library.Command({ update: { log: ["end"] }, goto: END }))
      .addNode("target", (state) => ({ log: [`target ${String(state["sum"])}`] }))
      .addConditionalEdges(START, (state) => String(state["last"]), [
        "pairs",
        "many",
        "forged",
        "nowhere",
        "target",
      ])
      .addEdge("many", "pairs"),
  script: async (thread) => {
    for (const last of ["pairs", "many", "forged", "nowhere"])
      await thread.stream({ last }, ["updates", "values"]);
    await thread.invoke(thread.command({ goto: ["target", "target"] }));
    await thread.invoke(thread.command({ update: [["log", ["listed"]]], goto: "target" }));
  },
};

const overwriteForms: Case = {
  build: (library) =>
    graphOf(library)
      .addNode("json", () => ({ log: { type: "__overwrite__", value: ["json"] } }))
      .addNode("emptied", () => ({ log: new library.Overwrite([]) }))
      .addNode("wrapped", () => ({ last: new library.Overwrite("wrapped") }))
      .addNode("before", () => ({ log: ["before"], sum: 1 }))
      .addConditionalEdges(START, (state) => [String(state["last"]), "before"], [
        "json",
        "emptied",
        "wrapped",
        "before",
      ]),
  script: async (thread) => {
    await thread.invoke({ last: "json", log: ["in"] });
    await thread.invoke({ last: "emptied" });
    await thread.invoke({ last: "wrapped" });
    await thread.invoke({ last: "json", log: new thread.library.Overwrite(["input"]) });
    await thread.invoke(thread.command({ update: { log: new thread.library.Overwrite(["command"]) } }));
    await thread.update({ log: new thread.library.Overwrite(["edit"]) }, "before");
  },
};

const joins: Case = {
  build: (library, counters) => {
    const step = (name: string) => () => {
      counters.count(name);
      return { log: [name] };
    };
    return graphOf(library)
      .addNode("a", step("a"))
      .addNode("b", step("b"))
      .addNode("b2", step("b2"))
      .addNode("d", step("d"))
      .addNode("go", () => new library.Command({ goto: "target", update: { log: ["go"] } }), {
        ends: ["target"],
      })
      .addNode("static", step("static"))
      .addNode("target", step("target"))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge(START, "go")
      .addEdge("go", "static")
      .addEdge("b", "b2")
      .addEdge(["a", "b2"], "d");
  },
  script: async (thread) => {
    await thread.stream({ log: ["in"] }, ["updates", "values"]);
    await thread.invoke({ log: ["again"] });
  },
};

/** A task that has written nothing has finished all the same: it does not run again beside one that has failed. */
const finishedWithoutWrites: Case = {
  build: (library, counters) =>
    graphOf(library)
      .addNode("silent", () => {
        counters.count("silent");
        return undefined;
      })
      .addNode("bad", async () => {
        await later(5);
        if (counters.count("bad") === 0) throw new Error("boom");
        return { log: ["bad"] };
      })
      .addNode("after", () => ({ log: ["after"] }))
      .addEdge(START, "silent")
      .addEdge(START, "bad")
      .addEdge("bad", "after")
      .addEdge("silent", END),
  script: async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.stream(null, ["updates", "values"]);
  },
};

export const superstepCases: Readonly<Record<string, Case>> = {
  "nodes and Sends in one superstep": nodesAndSends,
  "Sends of anything": sendsOfAnything,
  "forms of a Command": commandForms,
  "forms of an Overwrite": overwriteForms,
  "a task without writes beside one that fails": finishedWithoutWrites,
  "static edges beside a goto, and a join of unequal ways": joins,
};
