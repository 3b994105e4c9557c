import * as valibot from "valibot";
import { z } from "zod";
import { z as zod3 } from "zod3";
import { describe, expect, it } from "vitest";
import {
  Command,
  getSchemaDefaultGetter,
  MemorySaver,
  Overwrite,
  ReducedValue,
  registry,
  START,
  StateSchema,
  UntrackedValue,
  withLangGraph,
  type StateDefinitionInit,
} from "tidemark";
import { ours, theirs, type Compiled, type Library, type NodeFunction } from "../oracle/engine.ts";
import * as theirLibrary from "@langchain/langgraph";
import { withLangGraph as theirWithLangGraph } from "@langchain/langgraph/zod";

/** The same state in all libraries: `n` has a default, `d` is text that becomes a number, `s` may be absent. */
const states: Record<string, StateDefinitionInit> = {
  "zod 4": z.object({ n: z.number().default(5), d: z.coerce.number().optional(), s: z.string().optional() }),
  "zod 3": zod3.object({
    n: zod3.number().default(5),
    d: zod3.coerce.number().optional(),
    s: zod3.string().optional(),
  }),
  valibot: valibot.object({
    n: valibot.optional(valibot.number(), 5),
    d: valibot.optional(
      valibot.pipe(valibot.union([valibot.string(), valibot.number()]), valibot.transform(Number)),
    ),
    s: valibot.optional(valibot.string()),
  }),
  "a StateSchema of all": new StateSchema({
    n: z.number().default(5),
    d: zod3.coerce.number().optional(),
    s: valibot.optional(valibot.string()),
  }),
};

interface Run {
  readonly graph: Compiled;
  readonly saver: MemorySaver;
  readonly seen: unknown[];
}

const config = { configurable: { thread_id: "t" } };

function graphOf(state: unknown, node: NodeFunction = () => ({})): Run {
  const seen: unknown[] = [];
  const saver = new MemorySaver();
  const graph = new ours.StateGraph(state)
    .addNode("a", (input, nodeConfig) => {
      seen.push(input);
      return node(input, nodeConfig);
    })
    .addEdge(START, "a")
    .compile({ checkpointer: saver });
  return { graph, saver, seen };
}

describe.each(Object.entries(states))("state from %s", (_, state) => {
  it("has defaults, and takes the input as the schema gives it", async () => {
    const { graph, seen } = graphOf(state);
    expect(await graph.invoke({ d: "7" }, config)).toEqual({ n: 5, d: 7 });
    expect(seen).toEqual([{ n: 5, d: 7 }]);
  });

  it("takes what nodes return as the schema gives it", async () => {
    const { graph } = graphOf(state, () => ({ d: "8", s: "x" }));
    expect(await graph.invoke({ n: 1 }, config)).toEqual({ n: 1, d: 8, s: "x" });
  });

  it("keeps what an input leaves out", async () => {
    const { graph } = graphOf(state);
    await graph.invoke({ n: 9 }, config);
    expect(await graph.invoke({ s: "x" }, config)).toEqual({ n: 9, s: "x" });
  });

  it("refuses an input that does not fit, and stores nothing", async () => {
    const { graph, saver, seen } = graphOf(state);
    await expect(graph.invoke({ n: "x", s: 5 }, config)).rejects.toMatchObject({
      name: "InvalidArgumentError",
      code: "invalid_input",
      message: expect.stringMatching(/n: .*; s: /),
      details: { issues: [{ path: ["n"] }, { path: ["s"] }] },
    });
    expect(await saver.getTuple(config)).toBeUndefined();
    expect(seen).toEqual([]);
  });

  it("refuses an update that does not fit, by node and key, and applies nothing", async () => {
    const { graph } = graphOf(state, () => ({ s: "fits", n: "not" }));
    await expect(graph.invoke({ n: 1 }, config)).rejects.toMatchObject({
      name: "InvalidUpdateError",
      code: "invalid_update",
      message: expect.stringContaining('Node "a"'),
      details: { node: "a", channel: "n", issues: [{ path: ["n"] }] },
    });
    expect(await graph.getState(config)).toMatchObject({
      values: { n: 1 },
      next: ["a"],
      tasks: [{ name: "a", error: { code: "invalid_update" } }],
    });
  });

  it("checks Commands of nodes and of callers, and updateState", async () => {
    const bad = graphOf(state, () => new Command({ update: { n: "bad" } }));
    await expect(bad.graph.invoke({ n: 1 }, config)).rejects.toMatchObject({ code: "invalid_update" });
    const { graph } = graphOf(state);
    await graph.invoke({ n: 1 }, config);
    await expect(graph.invoke(new Command({ update: { n: "bad" } }), config)).rejects.toMatchObject({
      code: "invalid_input",
      details: { issues: [{ path: ["n"] }] },
    });
    await expect(graph.updateState(config, { n: "bad" })).rejects.toMatchObject({ code: "invalid_update" });
    await expect(graph.updateState(config, { n: "bad" }, "__input__")).rejects.toMatchObject({
      code: "invalid_input",
    });
    expect((await graph.getState(config)).values).toEqual({ n: 1 });
    await graph.invoke(new Command({ update: { d: "4" } }), config);
    expect((await graph.getState(config)).values).toEqual({ n: 1, d: 4 });
  });
});

const reduced = {
  "a StateSchema": new StateSchema({
    list: new ReducedValue(
      z.array(z.string()).default(() => []),
      {
        inputSchema: z.string(),
        reducer: (list, line) => [...list, line],
      },
    ),
  }),
  "zod 4 withLangGraph": z.object({
    list: withLangGraph(z.array(z.string()), {
      reducer: { schema: z.string(), fn: (list, line) => [...list, line] },
      default: () => [],
    }),
  }),
  "zod 4 register": z.object({
    list: z.array(z.string()).register(registry, {
      reducer: { schema: z.string(), fn: (list: string[], line: string) => [...list, line] },
      default: (): string[] => [],
    }),
  }),
  "zod 3 withLangGraph": zod3.object({
    list: withLangGraph(zod3.array(zod3.string()), {
      reducer: { schema: zod3.string(), fn: (list, line) => [...list, line] },
      default: () => [],
    }),
  }),
  "valibot withLangGraph": valibot.object({
    list: withLangGraph(valibot.array(valibot.string()), {
      reducer: { schema: valibot.string(), fn: (list, line) => [...list, line] },
      default: () => [],
    }),
  }),
};

describe.each(Object.entries(reduced))("a reducer by %s", (_, state) => {
  it("combines what is written, which has a schema of its own", async () => {
    const { graph } = graphOf(state, () => ({ list: "b" }));
    expect(await graph.invoke({ list: "a" }, config)).toEqual({ list: ["a", "b"] });
    await expect(graph.invoke({ list: ["c"] }, config)).rejects.toMatchObject({
      code: "invalid_input",
      details: { issues: [{ path: ["list"] }] },
    });
  });

  it("checks an Overwrite by the schema of the value", async () => {
    const fits = graphOf(state, () => ({ list: new Overwrite(["z"]) }));
    expect(await fits.graph.invoke({ list: "a" }, config)).toEqual({ list: ["z"] });
    const wrong = graphOf(state, () => ({ list: new Overwrite([5]) }));
    await expect(wrong.graph.invoke({ list: "a" }, config)).rejects.toMatchObject({
      code: "invalid_update",
      details: { channel: "list", issues: [{ path: ["list", 0] }] },
    });
  });
});

describe("a StateSchema", () => {
  it("has keys that are never saved", async () => {
    const State = new StateSchema({
      u: new UntrackedValue(z.string()),
      free: new UntrackedValue(),
      s: z.string(),
    });
    const { graph, saver } = graphOf(State, ({ u }) => ({ s: `got ${String(u)}` }));
    expect(await graph.invoke({ u: "a", free: 1 }, config)).toMatchObject({ s: "got a" });
    const tuple = await saver.getTuple(config);
    expect(tuple?.checkpoint.channel_values).not.toHaveProperty("u");
    await expect(graph.invoke({ u: 5 }, config)).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("waits for schemas that check asynchronously", async () => {
    const later = z.string().refine(async (text) => Promise.resolve(text !== "bad"), "is bad");
    const { graph } = graphOf(new StateSchema({ s: later }), ({ s }) => ({ s: s === "go" ? "bad" : "ok" }));
    expect(await graph.invoke({ s: "fine" }, config)).toEqual({ s: "ok" });
    await expect(graph.invoke({ s: "bad" }, config)).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("s: is bad"),
    });
    await expect(graph.invoke({ s: "go" }, config)).rejects.toMatchObject({ code: "invalid_update" });
  });

  it("validates data on request", async () => {
    const State = new StateSchema({ d: z.coerce.number() });
    expect(await State.validateInput({ d: "4", more: 1 })).toEqual({ d: 4, more: 1 });
    await expect(State.validateInput({ d: "x" })).rejects.toMatchObject({ code: "invalid_input" });
    expect(State.getAllKeys()).toEqual(["d"]);
    expect(StateSchema.isInstance(State)).toBe(true);
    expect(StateSchema.isInstance({ fields: {} })).toBe(false);
  });

  it("refuses a field that is no schema", () => {
    expect(() => new StateSchema({ s: "text" as never })).toThrow(
      expect.objectContaining({ code: "invalid_graph", details: { channel: "s" } }),
    );
  });
});

it("a schema transforms an input once", async () => {
  const State = z.object({ s: z.string().transform((text) => `${text}!`) });
  const { graph, seen } = graphOf(State);
  await graph.invoke({ s: "a" }, config);
  expect(seen).toEqual([{ s: "a!" }]);
});

describe.each<[string, Library, typeof theirLibrary]>([
  ["LangGraph", theirs, theirLibrary],
  ["Tidemark", ours, (await import("tidemark")) as unknown as typeof theirLibrary],
])("as in %s", (_, library, names) => {
  const State = new names.StateSchema({
    n: z.number().default(5),
    list: new names.ReducedValue(
      z.array(z.string()).default(() => []),
      {
        inputSchema: z.string(),
        reducer: (list, line) => [...list, line],
      },
    ),
    cs: z.coerce.string(),
    required: z.string(),
  });
  const compile = (node: NodeFunction): Compiled =>
    new library.StateGraph(State).addNode("a", node).addEdge("__start__", "a").compile({});

  it("required keys may be absent, and what undefined becomes is a default", async () => {
    expect(await compile(() => ({ list: "x" })).invoke({ list: "i" })).toEqual({
      n: 5,
      list: ["i", "x"],
      cs: "undefined",
    });
  });

  it("an explicit undefined is the default, null is a value", async () => {
    const graph = compile(() => ({ n: undefined }));
    expect(await graph.invoke({ n: 1 })).toMatchObject({ n: 5 });
    await expect(graph.invoke({ n: null })).rejects.toThrow();
  });

  it("what a Send brings is not checked", async () => {
    const seen: unknown[] = [];
    const graph = new library.StateGraph(State)
      .addNode("a", () => ({}))
      .addNode("b", (state) => {
        seen.push(state);
        return {};
      })
      .addEdge("__start__", "a")
      .addConditionalEdges("a", () => [new library.Send("b", { n: "text" })], ["b"])
      .compile({});
    await graph.invoke({ n: 1 });
    expect(seen).toEqual([{ n: "text" }]);
  });
});

/** As loosely as the two have it in common. */
type Annotated = <Schema>(schema: Schema, meta: object) => Schema;

describe.each<[string, Library, Annotated]>([
  ["LangGraph", theirs, theirWithLangGraph],
  ["Tidemark", ours, withLangGraph],
])("an object of zod, as in %s", (_, library, annotated) => {
  const fn = (list: string[], line: string): string[] => [...list, line];
  const initial = { default: (): string[] => [] };
  const objects = {
    "zod 4": z.object({
      list: annotated(z.array(z.string()), { reducer: { schema: z.string().trim(), fn }, ...initial }),
      n: z.coerce.number().optional(),
    }),
    "zod 3": zod3.object({
      list: annotated(zod3.array(zod3.string()), {
        reducer: { schema: zod3.string().trim(), fn },
        ...initial,
      }),
      n: zod3.coerce.number().optional(),
    }),
  };

  it.each(Object.entries(objects))(
    "%s: what is written is checked, changed and reduced",
    async (__, State) => {
      const graph = new library.StateGraph(State)
        .addNode("a", ({ n }) => ({ list: " a ", n: String(Number(n) + 1) }))
        .addEdge("__start__", "a")
        .compile({});
      expect(await graph.invoke({ list: " in ", n: "5" })).toEqual({ list: ["in", "a"], n: 6 });
      await expect(graph.invoke({ list: 5 })).rejects.toThrow();
    },
  );
});

describe("the default of a schema", () => {
  const schemaOf = (validate: (value: unknown) => never): object => ({
    "~standard": { version: 1, vendor: "test", validate },
  });

  it("is what undefined becomes, made anew each time", () => {
    const initial = getSchemaDefaultGetter(z.array(z.string()).default(() => []));
    expect(initial?.()).toEqual([]);
    expect(initial?.()).not.toBe(initial?.());
  });

  it.each([
    ["is required", z.string()],
    ["is optional", z.string().optional()],
    [
      "throws",
      schemaOf(() => {
        throw new Error("boom");
      }),
    ],
    ["rejects later", schemaOf((() => Promise.reject(new Error("boom"))) as never)],
    ["is none", { validate: 5 }],
  ])("is none where the schema %s", async (_, schema) => {
    expect(getSchemaDefaultGetter(schema)).toBeUndefined();
    // An unhandled rejection would fail the run by now.
    await new Promise((resolve) => setTimeout(resolve, 5));
  });
});
