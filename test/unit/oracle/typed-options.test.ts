import { describe, expect, it } from "vitest";
import { END, ours, START, theirs, type Compiled, type Library } from "./engine.ts";
import { show } from "./show.ts";

/** The options `interrupt` and `writer` of a `StateGraph`, which give nodes typed questions and chunks. */

type Asking = (value: unknown, options?: object) => unknown;
type BuilderClass = new (state: unknown, options: object) => InstanceType<Library["StateGraph"]>;

const thread = { configurable: { thread_id: "t" } };

function graphOf(library: Library, questions: unknown, ask: (interrupt: never) => unknown): Compiled {
  const { Annotation, StateGraph, MemorySaver } = library;
  return new (StateGraph as unknown as BuilderClass)(Annotation.Root({ answer: Annotation() }), {
    interrupt: questions,
    writer: () => undefined,
  })
    .addNode("ask", (_, config) => ({ answer: ask(config["interrupt"] as never) }))
    .addEdge(START, "ask")
    .addEdge("ask", END)
    .compile({ checkpointer: new MemorySaver() });
}

async function both(
  questionsOf: (interrupt: Asking) => unknown,
  ask: (interrupt: never) => unknown,
): Promise<readonly unknown[]> {
  const [mine, their] = await Promise.all(
    [ours, theirs].map(async (library) => {
      const graph = graphOf(library, questionsOf(library.interrupt), ask);
      const asked = await graph.invoke({ answer: "none" }, thread);
      return show([asked["__interrupt__"], await graph.invoke(new library.Command({ resume: 7 }), thread)]);
    }),
  );
  expect(mine).toEqual(their);
  return mine as readonly unknown[];
}

describe("questions that a graph declares", () => {
  it("are what nodes find in their config: a record by name", async () => {
    const [, end] = await both(
      (interrupt) => ({ count: interrupt, name: interrupt }),
      (asking: { count: Asking }) => asking.count("how many?"),
    );
    expect(end).toEqual({ answer: 7 });
  });

  it("or one", async () => {
    await both(
      (interrupt) => interrupt,
      (asking: Asking) => asking("how many?"),
    );
  });

  it("or, when none is declared, any", async () => {
    await both(
      () => undefined,
      (asking: Asking) => asking("how many?"),
    );
  });

  it("leave the function as it is", async () => {
    for (const library of [ours, theirs]) {
      const graph = graphOf(library, { count: library.interrupt }, () => library.interrupt("how many?"));
      await graph.invoke({ answer: "none" }, thread);
      expect(await graph.invoke(new library.Command({ resume: 7 }), thread)).toEqual({ answer: 7 });
    }
  });
});
