import { describe, expect, it } from "vitest";
import * as tidemark from "tidemark";
import { ours, theirs, type Compiled, type Library } from "../oracle/engine.ts";

/** What these tests need of a builder of either library. */
interface Builder {
  readonly edges: ReadonlySet<readonly string[]>;
  readonly channels: Readonly<Record<string, { readonly lc_graph_name: string }>>;
  addNode(...args: unknown[]): Builder;
  addSequence(nodes: unknown): Builder;
  addEdge(source: string | readonly string[], target: string): Builder;
  addConditionalEdges(...args: unknown[]): Builder;
  setEntryPoint(name: string): Builder;
  setFinishPoint(name: string): Builder;
  setNodeDefaults(defaults: object): Builder;
  compile(options?: object): Compiled & { readonly name: string; readonly description?: string };
}

const append = (left: string[], right: string[]): string[] => left.concat(right);
const builderOf = (library: Library): Builder =>
  new library.StateGraph(
    library.Annotation.Root({ log: library.Annotation({ reducer: append, default: () => [] }) }),
  ) as unknown as Builder;

const logs = (name: string) => () => ({ log: [name] });
const nothing = (): object => ({});
const step = nothing;

const forms: Record<string, (builder: Builder) => Builder> = {
  "nodes by name": (builder) => builder.addNode({ a: logs("a"), b: logs("b") }).addEdge("a", "b"),
  "a list of nodes": (builder) =>
    builder
      .addNode([
        ["a", logs("a")],
        ["b", logs("b"), { metadata: { k: 1 } }],
      ])
      .addEdge("a", "b"),
  "a sequence as a list": (builder) =>
    builder.addSequence([
      ["a", logs("a")],
      ["b", logs("b")],
    ]),
  "a sequence by name": (builder) => builder.addSequence({ a: logs("a"), b: logs("b") }),
  "a conditional edge as an object": (builder) =>
    builder
      .addNode({ a: logs("a"), b: logs("b") })
      .addConditionalEdges({ source: "a", path: () => "go", pathMap: { go: "b" } }),
  "a conditional edge to listed nodes": (builder) =>
    builder.addNode({ a: logs("a"), b: logs("b") }).addConditionalEdges("a", () => "b", ["b"]),
};

/** Both engines refuse them; this one says where and what. */
const refused: Record<string, [build: (builder: Builder) => unknown, text: string]> = {
  "no node by name": [(b) => b.addNode({}), "addNode was given no nodes"],
  "an empty list of nodes": [(b) => b.addNode([]), "addNode was given no nodes"],
  "a node without an action": [(b) => b.addNode("a"), "has to be a function or an object with invoke()"],
  "an action of a wrong kind": [(b) => b.addNode("a", 5), "has to be a function or an object with invoke()"],
  "an empty sequence": [(b) => b.addSequence([]), "addSequence was given no nodes"],
  "a sequence with a node twice": [
    (b) =>
      b.addSequence([
        ["x", step],
        ["x", step],
      ]),
    'has a node "x" already',
  ],
  "a node twice": [(b) => b.addNode("x", step).addNode("x", step), 'has a node "x" already'],
  "a node called START": [(b) => b.addNode("__start__", step), 'cannot be called "__start__"'],
  "a name with a bar": [(b) => b.addNode("a|b", step), 'The node name "a|b" has a "|"'],
  "a node with the name of a key": [(b) => b.addNode("log", step), '"log" is a key of the state'],
  "two conditions of one name": [
    (b) =>
      b
        .addNode("x", step)
        .addConditionalEdges("x", () => "x")
        .addConditionalEdges("x", () => "x"),
    '"x" has a conditional edge called "condition" already',
  ],
  "a conditional edge without a path": [
    (b) => b.addNode("x", step).addConditionalEdges("x"),
    "has to be a function or an object with invoke()",
  ],
  "an edge to START": [(b) => b.addNode("x", step).addEdge("x", "__start__"), "leads to START"],
  "an edge from END": [(b) => b.addNode("x", step).addEdge("__end__", "x"), "begins at END"],
  "an edge from an unknown node": [
    (b) => b.addNode("x", step).addEdge("__start__", "x").addEdge("q", "x").compile(),
    'begins at "q"',
  ],
  "an edge to an unknown node": [
    (b) => b.addNode("x", step).addEdge("__start__", "x").addEdge("x", "q").compile(),
    'leads to "q"',
  ],
  "a join of an unknown node": [(b) => b.addNode("x", step).addEdge(["q", "x"], "x"), 'A join names "q"'],
  "a breakpoint before an unknown node": [
    (b) =>
      b
        .addNode("x", step)
        .addEdge("__start__", "x")
        .compile({ interruptBefore: ["nope"] }),
    'no node "nope" to stop at',
  ],
  "a breakpoint after an unknown node": [
    (b) =>
      b
        .addNode("x", step)
        .addEdge("__start__", "x")
        .compile({ interruptAfter: ["nope"] }),
    'no node "nope" to stop at',
  ],
};

describe.each([
  ["LangGraph", theirs],
  ["Tidemark", ours],
])("%s", (_, library) => {
  it.each(Object.entries(forms))("takes %s", async (_form, build) => {
    const graph = build(builderOf(library)).setEntryPoint("a").setFinishPoint("b").compile();
    expect(await graph.invoke({ log: ["in"] })).toEqual({ log: ["in", "a", "b"] });
  });

  it.each(Object.entries(refused))("refuses %s", (_what, [build, text]) => {
    expect(() => build(builderOf(library))).toThrow(library === ours ? text : Error);
  });

  it("shows its edges and channels", () => {
    const builder = builderOf(library)
      .addSequence({ a: step, b: step })
      .setEntryPoint("a")
      .setFinishPoint("b");
    expect([...builder.edges]).toEqual([
      ["a", "b"],
      ["__start__", "a"],
      ["b", "__end__"],
    ]);
    expect(Object.entries(builder.channels).map(([key, { lc_graph_name }]) => [key, lc_graph_name])).toEqual([
      ["log", "BinaryOperatorAggregate"],
    ]);
  });

  it("has what compile was told", () => {
    const graph = builderOf(library)
      .addNode("x", step)
      .addEdge("__start__", "x")
      .compile({ name: "N", description: "D", interruptBefore: ["x"], interruptAfter: "*" });
    expect([graph.name, graph.description]).toEqual(["N", "D"]);
  });
});

it("several conditional edges of a node are told apart by the names of their functions", async () => {
  const toB = (): string => "b";
  const toC = (): string => "c";
  const graph = builderOf(ours)
    .addNode({ a: logs("a"), b: logs("b"), c: logs("c") })
    .addEdge("__start__", "a")
    .addConditionalEdges("a", toB)
    .addConditionalEdges("a", toC)
    .compile();
  expect(await graph.invoke({})).toEqual({ log: ["a", "b", "c"] });
});

it("every refusal is a GraphValidationError", () => {
  for (const [build] of Object.values(refused)) {
    expect(() => build(builderOf(ours))).toThrow(tidemark.GraphValidationError);
  }
});

it("a node that is not refused for its name keeps the others as they were", () => {
  const builder = builderOf(ours).addNode("x", step);
  expect(() =>
    builder.addNode([
      ["y", step],
      ["x", step],
    ]),
  ).toThrow("already");
  expect(() => builder.addNode("z", step, { input: 5 })).toThrow('The input of node "z"');
});

describe("policies", () => {
  const handler = (): object => ({});
  const defaultHandler = (): object => ({});
  const compiled = new tidemark.StateGraph({ v: tidemark.Annotation<number>() })
    .setNodeDefaults({
      retryPolicy: { maxAttempts: 7 },
      cachePolicy: true,
      timeout: 100,
      errorHandler: defaultHandler,
    })
    .addNode("own", () => ({}), {
      retryPolicy: { maxAttempts: 2 },
      cachePolicy: false,
      timeout: { idleTimeout: 5 },
      errorHandler: handler,
      metadata: { k: 1 },
      defer: true,
      ends: ["plain"],
    })
    .addNode("plain", () => ({}), { retryPolicy: undefined })
    .addNode("cached", () => ({}), { cachePolicy: { ttl: 60 } })
    .addSequence([
      ["first", () => ({})],
      ["second", () => ({})],
    ])
    .addEdge(tidemark.START, "own")
    .addEdge("plain", "cached")
    .addEdge("cached", "first");
  const node = (name: string): unknown => compiled.compile().graph.nodes.get(name);

  it("of the graph hold where a node says nothing, of a node where it does", () => {
    expect(node("own")).toMatchObject({
      retryPolicy: { maxAttempts: 2 },
      timeout: { idleTimeout: 5 },
      errorHandlerNode: "__error_handler__own",
      metadata: { k: 1 },
      defer: true,
      ends: ["plain"],
    });
    expect(node("own")).not.toHaveProperty("cachePolicy");
    expect(node("plain")).toMatchObject({
      retryPolicy: { maxAttempts: 7 },
      cachePolicy: {},
      timeout: { runTimeout: 100 },
      errorHandlerNode: "__default_error_handler__",
    });
    expect(node("cached")).toMatchObject({ cachePolicy: { ttl: 60 } });
  });

  it("are not those of START, and not kept by the builder's nodes", () => {
    expect(node(tidemark.START)).not.toHaveProperty("retryPolicy");
    expect(compiled.nodes["plain"]?.options.retryPolicy).toBeUndefined();
  });

  it("can be set after the nodes", () => {
    const builder = new tidemark.StateGraph({ v: tidemark.Annotation<number>() })
      .addNode("a", () => ({}))
      .addEdge(tidemark.START, "a");
    const before = builder.compile();
    builder.setNodeDefaults({ timeout: 5 }).setNodeDefaults({ retryPolicy: {} });
    expect(before.graph.nodes.get("a")).not.toHaveProperty("timeout");
    expect(builder.compile().graph.nodes.get("a")).toMatchObject({
      timeout: { runTimeout: 5 },
      retryPolicy: {},
    });
  });

  it("come with the rest of what compile was told", () => {
    const options = {
      store: new tidemark.InMemoryStore(),
      cache: new tidemark.InMemoryCache<readonly [string, unknown][]>(),
      interruptBefore: ["own"],
      interruptAfter: "*",
      name: "N",
    } as const;
    expect(compiled.compile(options).options).toBe(options);
  });
});
