import { stateOf, type Case } from "./cases.ts";
import { START, type Builder, type Compiled, type Library, type Saver } from "./engine.ts";
import { idOf, type Counters } from "./session.ts";

/** Entrypoints and tasks. */

function entry(run: (library: Library, counters: Counters) => (input: never) => unknown): Case["build"] {
  return (library, counters, saver) => ({
    compile: (): Compiled =>
      library.entrypoint({ name: "flow", checkpointer: saver }, run(library, counters)),
  });
}

const later = (milliseconds = 1): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

const modes = ["values", "updates", "custom"];

const plain: Case = {
  build: entry((library, counters) => {
    const double = library.task("double", (x: number) => {
      counters.count("double");
      return x * 2;
    });
    return async (input: number) => double(await double(input));
  }),
  script: async (thread) => {
    await thread.stream(1, modes);
    await thread.stream(2, "updates");
    await thread.stream(3, "values");
    await thread.invoke(null);
    await thread.invoke(0);
    await thread.invoke("");
  },
};

const asking: Case = {
  build: entry((library, counters) => {
    const work = library.task({ name: "work" }, async (x: number) => {
      counters.count(`work ${x}`);
      await later();
      return [x];
    });
    const ask = library.task("ask", (question: string) => library.interrupt(question));
    return async (input: number) => {
      const first = await work(input);
      const answer = await ask("in a task?");
      const second = await work(input + 1);
      const own = library.interrupt("in the entrypoint?");
      return { first, answer, second, own };
    };
  }),
  script: async (thread) => {
    await thread.stream(1, modes);
    // By id: LangGraph gives a plain answer to the entrypoint's own question too.
    await thread.answer(["yes"]);
    await thread.stream(thread.command({ resume: { a: 1 } }), modes);
  },
};

const kept: Case = {
  build: entry((library) => (input: number) => {
    const before = library.getPreviousState() as number | undefined;
    return library.entrypoint.final({ value: [before], save: (before ?? 0) + input });
  }),
  script: async (thread) => {
    await thread.stream(1, modes);
    await thread.invoke(2);
    await thread.invoke(3);
    const [, , , first] = (await thread.history()).map(idOf);
    await thread.invoke(10, { at: first ?? "" });
    await thread.update([7], "flow");
    await thread.invoke(1);
  },
};

const parallel: Case = {
  build: entry((library, counters) => {
    const work = library.task("work", async (i: number) => {
      await later(3 - i);
      counters.count(`work ${i}`);
      return i;
    });
    return async (input: number[]) => Promise.all(input.map((i) => work(i)));
  }),
  script: async (thread) => {
    await thread.stream([0, 1, 2], modes);
  },
};

/** Tasks that call tasks, and a graph inside an entrypoint. */
const nested: Case = {
  build: (library, counters, saver: Saver) => ({
    compile: () => {
      const inner = library.task("inner", (x: number) => {
        counters.count("inner");
        return x + 1;
      });
      const outer = library.task("outer", async (x: number) => inner(x));
      const sub = library.entrypoint({ name: "sub" }, async (x: number) => [
        await inner(x),
        library.interrupt("sub?"),
      ]);
      return library.entrypoint({ name: "flow", checkpointer: saver }, async (input: number) => {
        const a = await outer(input);
        return [a, await sub.invoke(input)];
      });
    },
  }),
  script: async (thread) => {
    await thread.stream(1, modes, { subgraphs: true });
    await thread.stream(thread.command({ resume: "R" }), modes, { subgraphs: true });
    await thread.stream(2, modes);
  },
};

/** What tasks write to the stream, and tasks that they call: in an entrypoint, in a node and in a graph inside one. */
const writing: Case = {
  build: (library, counters, saver: Saver) => ({
    compile: () => {
      const inner = library.task("inner", (x: number) => {
        library.getWriter()(`inner ${x}`);
        return x + 1;
      });
      const outer = library.task("outer", async (x: number) => {
        library.getWriter()(`outer ${x}`);
        return inner(x);
      });
      const graphOf = (name: string, first: number): Builder =>
        new library.StateGraph(stateOf(library))
          .addNode(name, async (_, config) => {
            config.writer?.(`node ${name}`);
            return { sum: await outer(first) };
          })
          .addEdge(START, name);
      const graph = graphOf("a", 10).addNode("sub", graphOf("b", 20).compile()).addEdge("a", "sub").compile();
      return library.entrypoint({ name: "flow", checkpointer: saver }, async (input: number) => {
        library.getWriter()("flow");
        counters.count("flow");
        await outer(input);
        return graph.invoke({});
      });
    },
  }),
  script: async (thread) => {
    await thread.stream(1, ["custom"], { subgraphs: true });
    await thread.stream(1, ["custom"]);
    await thread.stream(1, "custom", { subgraphs: true });
  },
};

export const functionalCases: Readonly<Record<string, Case>> = {
  "an entrypoint with tasks": plain,
  "an entrypoint that asks": asking,
  "what an entrypoint keeps": kept,
  "parallel calls of a task": parallel,
  "tasks and graphs in an entrypoint": nested,
  "what tasks write to the stream": writing,
};
