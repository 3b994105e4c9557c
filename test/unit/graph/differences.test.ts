import { z } from "zod";
import { z as zod3 } from "zod3";
import { describe, expect, it } from "vitest";
import { ours, theirs, type Library } from "../oracle/engine.ts";

/** What docs/differences.md says of LangGraph, where the tests of our own side alone would not show that it differs. */

const config = { configurable: { thread_id: "t" } };
type Make = (library: Library) => Promise<unknown>;

const graphOf = (library: Library, state: unknown, more?: unknown) => {
  const seen: unknown[] = [];
  const builder = Reflect.construct(library.StateGraph, [state, more]) as InstanceType<Library["StateGraph"]>;
  const graph = builder
    .addNode("x", (input, nodeConfig) => {
      seen.push([input, (nodeConfig as { context?: unknown }).context]);
      return {};
    })
    .addEdge("__start__", "x")
    .compile({ checkpointer: new library.MemorySaver() });
  return { graph, seen };
};

const cases: Record<string, [make: Make, here: unknown, there: unknown]> = {
  "a default of zod 3": [
    async (library) => {
      const { graph, seen } = graphOf(library, zod3.object({ n: zod3.number().default(5) }));
      await graph.invoke({}, config);
      return seen;
    },
    [[{ n: 5 }, undefined]],
    [[{}, undefined]],
  ],
  "a default of zod 4 at a later input": [
    async (library) => {
      const state = z.object({ n: z.number().default(5), s: z.string().optional() });
      const { graph } = graphOf(library, state);
      await graph.invoke({ n: 9 }, config);
      return graph.invoke({ s: "x" }, config);
    },
    { n: 9, s: "x" },
    { n: 5, s: "x" },
  ],
  "a context that the schema changes": [
    async (library) => {
      const { graph, seen } = graphOf(
        library,
        { a: library.Annotation() },
        z.object({ n: z.coerce.number(), d: z.string().default("d") }),
      );
      await graph.invoke({ a: 1 }, { ...config, context: { n: "5" } });
      return seen;
    },
    [[{ a: 1 }, { n: 5, d: "d" }]],
    [[{ a: 1 }, { n: "5" }]],
  ],
  "an output that nothing was written to": [
    (library) =>
      graphOf(library, {
        state: library.Annotation.Root({ a: library.Annotation() }),
        output: library.Annotation.Root({ b: library.Annotation() }),
      }).graph.invoke({ a: 1 }, config),
    {},
    undefined,
  ],
};

describe.each(Object.entries(cases))("%s", (_, [make, here, there]) => {
  it("is taken otherwise than in LangGraph", async () => {
    expect(await make(ours)).toEqual(here);
    expect(await make(theirs)).toEqual(there);
  });
});
