import * as theirs from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import * as ours from "tidemark";

/** `Graph`, which has no state: what one node returns is what the next is called with. */

interface Library {
  readonly Graph: new () => Builder;
  readonly MemorySaver: new () => object;
}
interface Builder {
  addNode(...node: unknown[]): Builder;
  addEdge(source: string, target: string): Builder;
  setEntryPoint(name: string): Builder;
  setFinishPoint(name: string): Builder;
  compile(options?: object): {
    invoke(input: unknown, options?: object): Promise<unknown>;
    batch(inputs: unknown[]): Promise<unknown[]>;
    stream(input: unknown, options?: object): AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>;
    getGraph(): { drawMermaid(): string };
    getState(config: object): Promise<{ values: unknown; next: unknown }>;
  };
}

const libraries = [ours, theirs] as unknown as readonly [Library, Library];
const addOne = (x: number): number => x + 1;
const chain = ({ Graph }: Library): Builder =>
  new Graph()
    .addNode("one", addOne)
    .addNode("two", async (x: number) => x * 10)
    .addEdge("__start__", "one")
    .addEdge("one", "two")
    .addEdge("two", "__end__");

async function both(act: (library: Library) => Promise<unknown>): Promise<void> {
  const [mine, their] = await Promise.all(libraries.map(act));
  expect(mine).toEqual(their);
}

async function all(chunks: AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>): Promise<unknown[]> {
  const found = [];
  for await (const chunk of await chunks) found.push(chunk);
  return found;
}

describe("a graph without a state", () => {
  it("hands on what its nodes return", async () => {
    await both((library) => chain(library).compile().invoke(2));
    await both((library) => chain(library).compile().batch([1, 2, 3]));
    await both((library) => all(chain(library).compile().stream(2)));
    await both((library) => all(chain(library).compile().stream(2, { streamMode: "updates" })));
    for (const falsy of [null, 0, "", [], {}, new Set()]) {
      await both(({ Graph }) =>
        new Graph()
          .addNode("a", () => falsy)
          .setEntryPoint("a")
          .setFinishPoint("a")
          .compile()
          .invoke(1),
      );
    }
  });

  it("takes several nodes at once, and stops at breakpoints", async () => {
    await both(async ({ Graph, MemorySaver }) => {
      const graph = new Graph()
        .addNode({ a: addOne, b: addOne })
        .setEntryPoint("a")
        .addEdge("a", "b")
        .setFinishPoint("b")
        .compile({ checkpointer: new MemorySaver(), interruptBefore: ["b"] });
      const thread = { configurable: { thread_id: "t" } };
      const first = await graph.invoke(1, thread);
      const { values, next } = await graph.getState(thread);
      return [first, values, next, await graph.invoke(null, thread)];
    });
  });

  it("has no conditional edges: LangGraph takes them, and does not follow them", async () => {
    const followed: string[] = [];
    const graph = new theirs.Graph()
      .addNode("a", () => 1)
      .addNode("b", () => 2)
      .addEdge("__start__", "a")
      .addConditionalEdges("a", () => (followed.push("b"), "b"), ["b"])
      .addEdge("b", "__end__")
      .compile();
    await graph.invoke(0);
    expect(followed).toEqual([]);
    expect(new ours.Graph()).not.toHaveProperty("addConditionalEdges");
  });

  it("is drawn", async () => {
    await both(async (library) => chain(library).compile().getGraph().drawMermaid());
  });

  it("refuses what is no graph", () => {
    const wrong: readonly ((library: Library) => unknown)[] = [
      ({ Graph }) => new Graph().addNode("a:b", addOne),
      ({ Graph }) => new Graph().addNode("a", addOne).addNode("a", addOne),
      ({ Graph }) => new Graph().addNode("__end__", addOne),
      ({ Graph }) => new Graph().addNode({}),
      ({ Graph }) => new Graph().addEdge("__end__", "a"),
      ({ Graph }) => new Graph().addEdge("a", "__start__"),
      (library) => chain(library).addEdge("one", "__end__"),
      (library) => chain(library).addNode("three", addOne).compile(),
      ({ Graph }) => new Graph().addNode("a", addOne).addEdge("__start__", "b").compile(),
      (library) => chain(library).compile({ interruptBefore: ["nowhere"] }),
    ];
    for (const build of wrong)
      for (const library of libraries) expect(() => build(library), String(build)).toThrow();
  });
});
