import { z } from "zod";
import { z as zod3 } from "zod3";
import { describe, expect, it } from "vitest";
import { type Library, ours, theirs } from "../oracle/engine.ts";
import { chain, evictable, thread } from "../pregel/support.ts";
import { config } from "./both.ts";

/** docs/differences.md: input. */

it("without a single key of the state is refused, and an empty one is not", async () => {
  const { graph } = evictable(chain({ a: () => ({ log: ["a"] }) }));
  const typo: object = { lgo: ["in"] };
  await expect(graph().invoke(typo, thread)).rejects.toMatchObject({
    code: "invalid_input",
    details: { keys: ["log", "sum", "v"] },
  });
  expect((await graph().getState(thread)).config.configurable).not.toHaveProperty("checkpoint_id");
  expect((await graph().invoke({}, thread)).log).toEqual(["a"]);
  const partly: object = { log: ["in"], lgo: 1 };
  expect((await graph().invoke(partly, thread)).log).toEqual(["a", "in", "a"]);
});

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
  "an object as the update of a state that is one value": [
    async (library) => {
      const graph = new library.StateGraph({ __root__: library.Annotation() })
        .addNode("x", () => new library.Command({ update: { of: "x" } }))
        .addEdge("__start__", "x")
        .compile({ checkpointer: new library.MemorySaver() });
      const byNode = await graph.invoke("in", config);
      const byCaller = await graph
        .invoke(new library.Command({ update: "text", goto: "y" }), config)
        .catch((error: Error) => error.message);
      return [byNode, byCaller];
    },
    [{ of: "x" }, expect.stringContaining('goes to "y"')],
    ["in", expect.stringContaining("Expected cmd.update")],
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
