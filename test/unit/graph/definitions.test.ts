import { z } from "zod";
import { describe, expect, it } from "vitest";
import * as oursLibrary from "tidemark";
import {
  ours,
  theirs,
  type Builder,
  type Compiled,
  type Library,
  type NodeFunction,
} from "../oracle/engine.ts";

type Definition = (library: Library) => readonly unknown[];

const make = (library: Library, args: readonly unknown[]): Builder =>
  Reflect.construct(library.StateGraph, args) as Builder;

const append = (left: unknown[], right: unknown[]): unknown[] => left.concat(right);
const logOf = ({ Annotation }: Library): unknown => Annotation({ reducer: append, default: () => [] });
const root = (library: Library, ...keys: string[]): unknown =>
  library.Annotation.Root(
    Object.fromEntries(keys.map((key) => [key, key === "log" ? logOf(library) : library.Annotation()])),
  );

/** All define a state of `a` and `log`. */
const forms: Record<string, Definition> = {
  "an Annotation.Root": (library) => [root(library, "a", "log")],
  "an object of channels": (library) => [{ a: library.Annotation(), log: logOf(library) }],
  "an object of functions that make them": (library) => [
    { a: () => library.Annotation(), log: () => logOf(library) },
  ],
  "channels with reducers": () => [{ channels: { a: null, log: { reducer: append, default: () => [] } } }],
  "channels with reducers by their older name": () => [
    { channels: { a: null, log: { value: append, default: () => [] } } },
  ],
  "state in an object": (library) => [{ state: root(library, "a", "log") }],
  "stateSchema in an object": (library) => [{ stateSchema: root(library, "a", "log") }],
  "state with a context": (library) => [root(library, "a", "log"), root(library, "user")],
  "state with options": (library) => [
    root(library, "a", "log"),
    { input: root(library, "a"), output: root(library, "a", "log") },
  ],
  "input and output": (library) => [{ input: root(library, "a", "log"), output: root(library, "a", "log") }],
  "node names": (library) => [{ state: root(library, "a", "log"), nodes: ["x"] }],
};

const wrong: Record<string, unknown> = {
  nothing: undefined,
  "a number": 5,
  "an empty object": {},
  "null and reducers without channels": { a: null },
  "a state that is no definition": { state: { a: 5 } },
};

const runX = (builder: Builder, node: NodeFunction): Compiled =>
  builder.addNode("x", node).addEdge("__start__", "x").compile({});

describe.each([
  ["LangGraph", theirs],
  ["Tidemark", ours],
])("%s", (_, library) => {
  it("takes an Annotation.Root without keys", () => {
    const builder = new library.StateGraph(library.Annotation.Root({}));
    expect(() => runX(builder, () => ({}))).not.toThrow();
  });

  it.each(Object.entries(forms))("takes %s", async (_form, definition) => {
    const graph = runX(make(library, definition(library)), ({ a }) => ({ log: [`saw ${String(a)}`], a: 2 }));
    expect(await graph.invoke({ a: 1 })).toEqual({ a: 2, log: ["saw 1"] });
  });

  it.each(Object.entries(wrong))("refuses %s", (_what, definition) => {
    expect(() => make(library, [definition])).toThrow(
      expect.objectContaining({
        name: "StateGraphInputError",
        message: expect.stringContaining("Invalid StateGraph input"),
      }),
    );
  });

  it("takes only the input's keys, and returns only the output's", async () => {
    const seen: unknown[] = [];
    const graph = make(library, [
      {
        state: root(library, "a", "hidden"),
        input: root(library, "a", "only"),
        output: root(library, "a", "result"),
      },
    ])
      .addNode("x", (state) => {
        seen.push(state);
        return { a: 2, hidden: 3, result: 4 };
      })
      .addEdge("__start__", "x")
      .compile({ checkpointer: new library.MemorySaver() });
    const config = { configurable: { thread_id: "t" } };
    expect(await graph.invoke({ a: 1, only: 0, hidden: "dropped" }, config)).toEqual({ a: 2, result: 4 });
    expect(seen).toEqual([{ a: 1 }]);
    expect((await graph.getState(config)).values).toEqual({ a: 2, hidden: 3, only: 0, result: 4 });
    const chunks: unknown[] = [];
    for await (const chunk of await graph.stream(
      { only: 1 },
      { ...config, streamMode: ["values", "updates"] },
    ))
      chunks.push(chunk);
    expect(chunks).toEqual([
      ["values", { a: 2, hidden: 3, only: 1, result: 4 }],
      ["updates", { x: { a: 2, hidden: 3, result: 4 } }],
      ["values", { a: 2, hidden: 3, only: 1, result: 4 }],
    ]);
  });

  it("lets nodes have an input of their own, by keys that the state does not have", async () => {
    const seen: unknown[] = [];
    const branched: unknown[] = [];
    const graph = make(library, [root(library, "a")])
      .addNode("x", () => ({ a: 1, secret: 2 }))
      .addNode(
        "y",
        (state) => {
          seen.push(state);
          return { a: 3 };
        },
        { input: root(library, "secret") },
      )
      .addEdge("__start__", "x")
      .addConditionalEdges("x", (state) => {
        branched.push(state);
        return "y";
      })
      .compile({});
    expect(await graph.invoke({ a: 0 })).toEqual({ a: 3 });
    expect(seen).toEqual([{ secret: 2 }]);
    expect(branched).toEqual([{ a: 1, secret: 2 }]);
  });

  it("refuses definitions that mean different channels by one key", () => {
    const sum = (sign: number): unknown =>
      library.Annotation.Root({
        a: library.Annotation({ reducer: (x: number, y: number) => x + sign * y, default: () => 0 }),
      });
    const refusal = library === ours ? 'The key "a" is defined twice' : 'Channel "a" already exists';
    expect(() => make(library, [{ state: sum(1), input: sum(-1) }])).toThrow(refusal);
    expect(() => make(library, [{ state: root(library, "a"), output: sum(1) }])).toThrow(refusal);
    expect(() => make(library, [sum(1)]).addNode("q", () => ({}), { input: sum(-1) })).toThrow(refusal);
    expect(() => make(library, [{ state: sum(1), input: root(library, "a") }])).not.toThrow();
  });
});

describe("an output that nothing was written to", () => {
  it("is what the state has of it", async () => {
    const graph = runX(make(ours, [{ state: root(ours, "a", "b"), output: root(ours, "b") }]), () => ({
      a: 2,
    }));
    expect(await graph.invoke({ a: 1 })).toEqual({});
  });
});

it("an input is checked by its own schema, an update by the state's", async () => {
  const graph = runX(
    make(ours, [{ state: z.object({ n: z.number() }), input: z.object({ n: z.coerce.number() }) }]),
    ({ n }) => (n === 1 ? { n: 2 } : { n: "3" }),
  );
  expect(await graph.invoke({ n: "1" })).toEqual({ n: 2 });
  await expect(graph.invoke({ n: "4" })).rejects.toMatchObject({ code: "invalid_update" });
});

it("an input whose keys are all of the state but not of the input is refused", async () => {
  const graph = runX(make(ours, [{ state: root(ours, "a", "b"), input: root(ours, "a") }]), () => ({}));
  await expect(graph.invoke({ b: 1 })).rejects.toMatchObject({
    code: "invalid_input",
    details: { keys: ["a"] },
  });
});

describe("a context's schema", () => {
  const context = z.object({ user: z.string().default("nobody"), limit: z.coerce.number().optional() });
  const strict = z.object({ user: z.string() });

  function contextOf(schema: unknown): { graph: Compiled; saver: oursLibrary.MemorySaver; seen: unknown[] } {
    const seen: unknown[] = [];
    const saver = new oursLibrary.MemorySaver();
    const graph = make(ours, [root(ours, "a"), schema])
      .addNode("x", (_state, config) => {
        seen.push((config as { context?: unknown }).context);
        return { a: 2 };
      })
      .addEdge("__start__", "x")
      .compile({ checkpointer: saver });
    return { graph, saver, seen };
  }

  const thread = { configurable: { thread_id: "t" } };

  it("gives nodes the context as it says, with defaults", async () => {
    const { graph, seen } = contextOf(context);
    await graph.invoke({ a: 1 }, { ...thread, context: { limit: "5", more: 1 } });
    await graph.invoke({ a: 1 }, thread);
    expect(seen).toEqual([{ user: "nobody", limit: 5 }, { user: "nobody" }]);
  });

  it("may be an option too", async () => {
    const { graph, seen } = contextOf({ context });
    await graph.invoke({ a: 1 }, thread);
    expect(seen).toEqual([{ user: "nobody" }]);
  });

  it.each([
    ["a wrong one", { user: 5 }],
    ["none where one is needed", undefined],
  ])("refuses %s before anything is stored", async (_what, given) => {
    const { graph, saver, seen } = contextOf(strict);
    await expect(graph.invoke({ a: 1 }, { ...thread, context: given })).rejects.toMatchObject({
      name: "InvalidArgumentError",
      code: "invalid_context",
      details: { issues: [{ path: ["user"] }] },
    });
    expect(await saver.getTuple(thread)).toBeUndefined();
    expect(seen).toEqual([]);
  });

  it("is asked again when a thread goes on", async () => {
    const { graph } = contextOf(strict);
    await graph.invoke({ a: 1 }, { ...thread, context: { user: "u" } });
    await expect(graph.invoke(null, thread)).rejects.toMatchObject({ code: "invalid_context" });
  });

  it("leaves alone who has the settings in configurable, as graphs of the older kind do", async () => {
    const { graph, seen } = contextOf(strict);
    await graph.invoke({ a: 1 }, { configurable: { thread_id: "t", user: "u" } });
    expect(seen).toEqual([undefined]);
  });

  it("by an Annotation gives types only", async () => {
    const { graph, seen } = contextOf(root(ours, "user"));
    await graph.invoke({ a: 1 }, { ...thread, context: { user: 5 } });
    expect(seen).toEqual([{ user: 5 }]);
  });
});
