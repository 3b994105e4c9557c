import { RunnableLambda } from "@langchain/core/runnables";
import { describe, expect, it } from "vitest";
import {
  END,
  ours,
  START,
  theirs,
  type Builder,
  type Compiled,
  type CompileOptions,
  type Library,
} from "./engine.ts";

/** The same graph drawn by both libraries. */

interface Drawing {
  drawMermaid(options?: object): string;
  toJSON(): { nodes: Record<string, unknown>[]; edges: Record<string, unknown>[] };
}
type Drawable = Compiled & {
  getGraph(options?: object): Drawing;
  getGraphAsync(options?: object): Promise<Drawing>;
};

const nothing = (): object => ({});
const builderOf = ({ StateGraph, Annotation }: Library): Builder =>
  new StateGraph(Annotation.Root({ state: Annotation() }));
const compiled = (builder: Builder, options: CompileOptions = {}): Drawable =>
  builder.compile(options) as Drawable;

function chain(library: Library, names: readonly string[], nodes: Record<string, Compiled> = {}): Builder {
  const builder = builderOf(library);
  for (const name of names) builder.addNode(name, nodes[name] ?? nothing);
  [START, ...names].forEach((name, index) => builder.addEdge(name, names[index] ?? END));
  return builder;
}

const graphs: Record<string, (library: Library) => Drawable> = {
  "one node": (library) => compiled(chain(library, ["a"])),
  "a chain, with breakpoints": (library) =>
    compiled(chain(library, ["a", "b", "c", "d"]), {
      interruptBefore: ["a", "b"],
      interruptAfter: ["b", "c"],
    }),
  "breakpoints everywhere": (library) => compiled(chain(library, ["a"]), { interruptBefore: "*" }),
  "edges that were added in no order": (library) =>
    compiled(
      ["z", "y", "x", "10", "9", "b"]
        .reduce((builder, name) => builder.addNode(name, nothing).addEdge(START, name), builderOf(library))
        .addEdge("z", "b")
        .addEdge("y", "x")
        .addEdge("10", "9")
        .addEdge("z", "10"),
    ),
  "a join, and a deferred node": (library) =>
    compiled(
      chain(library, ["a", "b"])
        .addNode("c", nothing, { defer: true })
        .addNode("d", nothing)
        .addEdge(START, "d")
        .addEdge(["b", "d"], "c"),
    ),
  "conditions with labels": (library) =>
    compiled(
      chain(library, ["a"])
        .addNode("b", nothing)
        .addNode("c", nothing)
        .addConditionalEdges("a", () => "x", { "the first": "b", c: "c", "2": "b", stop: END })
        .addConditionalEdges("b", () => "a", ["a", "c", END])
        .addConditionalEdges(START, () => "a", ["b", "a"]),
    ),
  "a condition that may lead anywhere": (library) =>
    compiled(
      builderOf(library)
        .addNode("b", nothing)
        .addNode("2", nothing)
        .addNode("a", nothing)
        .addConditionalEdges(START, () => "a")
        .addConditionalEdges("a", () => "b"),
    ),
  "a condition of two targets, without an end": (library) =>
    compiled(
      builderOf(library)
        .addNode("a", nothing)
        .addNode("b", nothing)
        .addNode("c", nothing)
        .addEdge(START, "a")
        .addConditionalEdges("a", () => "b", ["b", "c"]),
    ),
  Commands: (library) =>
    compiled(
      builderOf(library)
        .addNode("a", nothing, { ends: ["b", "a", END] })
        .addNode("b", nothing, { ends: ["a"] })
        .addEdge(START, "a"),
    ),
  "nodes that go to themselves": (library) =>
    compiled(
      chain(library, ["a", "b"])
        .addConditionalEdges("a", () => "a", ["a"])
        .addConditionalEdges("b", () => "b", { again: "b", more: "b", [END]: END }),
    ),
  "an error handler, and one for all": (library) => {
    const builder = builderOf(library)
      .addNode("a", nothing, { errorHandler: nothing })
      .addNode("b", nothing)
      .addEdge(START, "a")
      .addEdge("a", "b") as Builder & { setNodeDefaults(defaults: object): Builder };
    return compiled(builder.setNodeDefaults({ errorHandler: nothing }));
  },
  "an error handler and a condition that may lead anywhere": (library) =>
    compiled(
      builderOf(library)
        .addNode("a", nothing, { errorHandler: nothing })
        .addEdge(START, "a")
        .addConditionalEdges("a", () => END),
    ),
  metadata: (library) =>
    compiled(
      builderOf(library)
        .addNode("a", nothing, {
          metadata: {
            kind: 'x [1] (2) {3} "4" <5> |6| #7',
            n: 1,
            on: true,
            list: ["a", 2],
            deep: { a: 1 },
            mixed: [{}],
          },
        })
        .addNode(
          "b",
          Object.assign(RunnableLambda.from(nothing), {
            tools: [{ name: "search" }, { name: "add" }],
          }) as never,
        )
        .addEdge(START, "a")
        .addEdge("a", "b"),
      { interruptAfter: ["a"] },
    ),
  "names that need care": (library) =>
    compiled(
      chain(library, [
        "subgraph",
        "two words",
        "ünïcode",
        "*star*",
        "_under_",
        "`tick`",
        "a-b_C.d",
        "1",
        "end",
      ]),
    ),
  "a long label": (library) =>
    compiled(
      chain(library, ["a"]).addConditionalEdges("a", () => "x", {
        "one two three four five six seven eight nine ten eleven": "a",
        "one two three four five six seven eight nine": END,
      }),
    ),
  "graphs inside nodes": (library) => {
    const inner = compiled(
      builderOf(library)
        .addNode("i1", nothing)
        .addNode("i2", nothing)
        .addNode("i3", nothing)
        .addEdge(START, "i1")
        .addConditionalEdges("i1", () => "i2", ["i2", "i3"])
        .addEdge("i3", "i2"),
    );
    const middle = compiled(
      builderOf(library)
        .addNode("m1", nothing)
        .addNode("m2", inner)
        .addNode("m3", nothing)
        .addEdge(START, "m1")
        .addEdge("m1", "m2")
        .addEdge("m2", "m3")
        .addConditionalEdges("m1", () => "m3", ["m3"]),
    );
    return compiled(chain(library, ["first", "inside", "last"], { inside: middle }));
  },
  "a graph of one node inside": (library) =>
    compiled(chain(library, ["a", "b", "c"], { b: compiled(chain(library, ["only"])) })),
  "a graph with two ends inside": (library) => {
    const inner = compiled(
      builderOf(library)
        .addNode("i1", nothing)
        .addNode("i2", nothing)
        .addNode("i3", nothing)
        .addEdge(START, "i1")
        .addConditionalEdges("i1", () => "i2", ["i2", "i3"]),
    );
    return compiled(chain(library, ["a", "b", "c"], { b: inner }));
  },
  "a declared graph, called by a function": (library) => {
    const inner = compiled(chain(library, ["x", "y"]));
    return compiled(
      builderOf(library)
        .addNode("a", nothing, { subgraphs: [inner] })
        .addEdge(START, "a"),
    );
  },
};

describe("a drawing is LangGraph's", () => {
  for (const [name, build] of Object.entries(graphs)) {
    it(`of ${name}`, async () => {
      const [mine, their] = [build(ours), build(theirs)];
      for (const xray of [false, true, 1, 2]) {
        const [our, oracle] = [mine.getGraph({ xray }), their.getGraph({ xray })];
        expect(our.drawMermaid()).toBe(oracle.drawMermaid());
        expect(our.drawMermaid({ withStyles: false })).toBe(oracle.drawMermaid({ withStyles: false }));
        expect(plain(our)).toEqual(plain(oracle));
        expect((await mine.getGraphAsync({ xray })).drawMermaid()).toBe(our.drawMermaid());
      }
    });
  }

  it("with the options of drawMermaid", () => {
    const build = graphs["a long label"];
    const options = {
      curveStyle: "basis",
      wrapLabelNWords: 3,
      nodeColors: { default: "fill:#fff", own: "fill:#000" },
    };
    expect(build?.(ours).getGraph().drawMermaid(options)).toBe(
      build?.(theirs).getGraph().drawMermaid(options),
    );
  });

  it("but not as a picture, which a web service would draw", () => {
    const build = graphs["one node"];
    expect(build?.(theirs).getGraph()).toHaveProperty("drawMermaidPng");
    expect(build?.(ours).getGraph()).not.toHaveProperty("drawMermaidPng");
  });

  it("but for sequences of LangChain's runnables: they are one node", () => {
    const build = (library: Library): string => {
      const sequence = RunnableLambda.from(nothing).pipe(nothing).pipe(nothing);
      const builder = builderOf(library)
        .addNode("a", sequence as never)
        .addEdge(START, "a");
      return compiled(builder).getGraph({ xray: true }).drawMermaid();
    };
    expect(build(theirs)).not.toContain("\ta(a)");
    expect(build(ours)).toContain("\ta(a)");
  });

  it("of an entrypoint", () => {
    const [mine, their] = [ours, theirs].map(
      (library) => library.entrypoint({ name: "work" }, (input: unknown) => input) as Drawable,
    );
    expect(mine?.getGraph().drawMermaid()).toBe(their?.getGraph().drawMermaid());
  });

  it("but for edges in a graph that is alone in another: LangGraph leaves them out", () => {
    const build = (library: Library): string => {
      const inner = compiled(chain(library, ["x", "y"]));
      const middle = compiled(chain(library, ["only"], { only: inner }));
      return compiled(chain(library, ["a", "b", "c"], { b: middle }))
        .getGraph({ xray: true })
        .drawMermaid();
    };
    expect(build(theirs)).not.toContain("b_only_x --> b_only_y");
    expect(build(ours)).toContain("\tsubgraph b\n\tsubgraph only\n\tb_only_x --> b_only_y;\n\tend\n\tend\n");
  });
});

it("a drawing as JSON has names, and no classes", () => {
  const dataOf = (library: Library): unknown =>
    compiled(chain(library, ["a"]))
      .getGraph()
      .toJSON()
      .nodes.map(({ data }) => data);
  const schema = { $schema: "https://json-schema.org/draft/2020-12/schema" };
  expect(dataOf(ours)).toEqual([{}, { name: "a" }, {}]);
  expect(dataOf(theirs)).toEqual([schema, { id: ["langgraph", "RunnableCallable"], name: "a" }, schema]);
});

/** Without `data`, which names the classes of LangChain. */
function plain(drawing: Drawing): unknown {
  const { nodes, edges } = drawing.toJSON();
  return { edges, nodes: nodes.map(({ id, type, metadata }) => ({ id, type, metadata })) };
}
