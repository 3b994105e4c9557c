import { expect, it } from "vitest";
import {
  Annotation,
  Command,
  entrypoint,
  INTERRUPT,
  InMemoryCache,
  interrupt,
  MemorySaver,
  NodeTimeoutError,
  registry,
  RunControl,
  START,
  StateGraph,
  task,
} from "tidemark";
import { z } from "zod";
import { chain, evictable, historyOf, parallel, State, thread } from "./support.ts";

/** Small behaviours that graphs written for LangGraph rely on. */

async function chunksOf(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

it("a state's metadata names its thread", async () => {
  const graph = evictable(chain({ a: () => ({ v: 1 }) })).graph();
  await graph.invoke({}, thread);
  for (const { metadata } of [await graph.getState(thread), ...(await historyOf(graph))])
    expect(metadata).toMatchObject({ thread_id: "t" });
});

it("a graph that shares no key with the one around it runs with an empty input", async () => {
  const Own = Annotation.Root({ own: Annotation<string> });
  const inner = new StateGraph(Own)
    .addNode("a", () => ({ own: "x" }))
    .addEdge(START, "a")
    .compile();
  const graph = new StateGraph(State)
    .addNode("graph", inner)
    .addNode("after", () => ({ v: "after" }))
    .addEdge(START, "graph")
    .addEdge("graph", "after")
    .compile();
  expect((await graph.invoke({ v: 1 })).v).toBe("after");
});

it("a node's question without a checkpointer says that none is set", async () => {
  const graph = parallel({ a: () => interrupt("?") }).compile();
  await expect(graph.invoke({})).rejects.toThrow("No checkpointer set");
  await expect(graph.getState(thread)).rejects.toThrow("No checkpointer set");
});

it("an entrypoint that returns nothing after a question gives undefined, not null", async () => {
  const graph = entrypoint({ name: "e", checkpointer: new MemorySaver() }, async () => {
    interrupt("?");
  });
  await graph.invoke({}, thread);
  expect(await graph.invoke(new Command({ resume: 1 }), thread)).toBeUndefined();
});

it("inside a node a stream without a mode is one of values", async () => {
  const inner = entrypoint("inner", async (text: string) => `${text}!`);
  const outer = entrypoint("outer", async (text: string) => chunksOf(inner.stream(text)));
  expect(await outer.invoke("a")).toEqual(["a!"]);
  expect(await chunksOf(inner.stream("a"))).toEqual([{ inner: "a!" }]);
});

it("a run has a time limit, which its nodes see as an abort", async () => {
  let signal: AbortSignal | undefined;
  const graph = new StateGraph(State)
    .addNode("a", async (_, config) => {
      ({ signal } = config);
      await new Promise(() => undefined);
      return {};
    })
    .addEdge(START, "a")
    .compile();
  await expect(graph.invoke({}, { timeout: 5 })).rejects.toThrow("aborted");
  expect(signal?.reason).toMatchObject({ name: "TimeoutError" });
});

it("a run that keeps its time limit ends as ever", async () => {
  const graph = parallel({ a: () => ({ v: 1 }) }).compile();
  expect((await graph.invoke({}, { timeout: 60_000 })).v).toBe(1);
});

it("a node is told on which server it runs, and for whom", async () => {
  const seen: unknown[] = [];
  const graph = new StateGraph(State)
    .addNode("a", (_, { serverInfo }) => {
      seen.push(serverInfo);
      return {};
    })
    .addEdge(START, "a")
    .compile();
  await graph.invoke({});
  await graph.invoke(
    {},
    { metadata: { assistant_id: "m", graph_id: "g" }, configurable: { assistant_id: "c" } },
  );
  await graph.invoke({}, { configurable: { langgraph_auth_user: { identity: "u", role: "r" } } });
  expect(seen).toEqual([
    undefined,
    { assistantId: "c", graphId: "g" },
    { assistantId: "", graphId: "", user: { identity: "u", role: "r" } },
  ]);
});

it("every run can be asked to stop, also by its nodes", async () => {
  const graph = new StateGraph(State)
    .addNode("a", (_, { control }) => {
      expect(control).toBeInstanceOf(RunControl);
      control?.requestDrain("enough");
      return { v: 1 };
    })
    .addNode("b", () => ({ v: 2 }))
    .addEdge(START, "a")
    .addEdge("a", "b")
    .compile({ checkpointer: new MemorySaver() });
  await expect(graph.invoke({}, thread)).rejects.toThrow("enough");
  expect((await graph.invoke(null, thread)).v).toBe(2);
});

it("breakpoints may name the error handler of a node", () => {
  const fails = (): never => {
    throw new Error("no");
  };
  const builder = chain({})
    .addNode("a", fails, { errorHandler: () => ({}) })
    .addEdge(START, "a");
  expect(() => builder.compile({ interruptBefore: ["__error_handler__a"] })).not.toThrow();
  expect(() => builder.compile({ interruptBefore: ["__error_handler__b"] })).toThrow("__error_handler__b");
});

it("a node cannot have the name of an error handler", () => {
  const handler = "__default_error_handler__";
  const builder = new StateGraph(State).addNode(handler, () => ({})).addEdge(START, handler);
  expect(() => builder.compile()).not.toThrow();
  expect(() => builder.setNodeDefaults({ errorHandler: () => ({}) }).compile()).toThrow(handler);
});

it("the default error handler gets what the failed node got", async () => {
  const seen: unknown[] = [];
  const graph = new StateGraph(State)
    .setNodeDefaults({
      errorHandler: (state) => {
        seen.push(state);
        return {};
      },
    })
    .addNode(
      "a",
      () => {
        throw new Error("no");
      },
      { input: Annotation.Root({ sum: Annotation<number>() }) },
    )
    .addEdge(START, "a")
    .compile();
  await graph.invoke({ sum: 2, v: "not for a" });
  expect(seen).toEqual([{ sum: 2 }]);
});

it("a breakpoint inside a graph is shown once, by the graph that was started", async () => {
  const inner = chain({ one: () => ({ log: ["one"] }), two: () => ({ log: ["two"] }) }).compile({
    interruptBefore: ["two"],
  });
  const graph = new StateGraph(State)
    .addNode("graph", inner)
    .addEdge(START, "graph")
    .compile({ checkpointer: new MemorySaver() });
  const shown = await chunksOf(graph.stream({}, { ...thread, subgraphs: true }));
  expect(shown.map((chunk) => (chunk as [string[], object])[0].length)).toEqual([1, 0]);
  expect(shown.at(-1)).toEqual([[], { [INTERRUPT]: [] }]);
});

it("a NodeTimeoutError is made of the limits, of which one has passed", () => {
  const limits = { node: "a", kind: "idle", elapsed: 6, idleTimeout: 5, runTimeout: 50 } as const;
  expect(new NodeTimeoutError(limits)).toMatchObject({ ...limits, timeout: 5 });
  expect(() => new NodeTimeoutError({ node: "a", kind: "run", elapsed: 6 })).toThrow(
    "runTimeout is required",
  );
});

it("clearing the cache forgets the results of called tasks too", async () => {
  let calls = 0;
  const count = task({ name: "count", cachePolicy: true }, () => ++calls);
  const graph = entrypoint({ name: "e", cache: new InMemoryCache() }, async () => count());
  expect([await graph.invoke("a"), await graph.invoke("b")]).toEqual([1, 1]);
  await graph.clearCache();
  expect(await graph.invoke("a")).toBe(2);
});

it("a saver gets what the caller's configurable says, and no more in a checkpoint than LangGraph writes", async () => {
  const asked = new Set<unknown>();
  const keys = new Set<string>();
  class Tenants extends MemorySaver {
    override async put(...args: Parameters<MemorySaver["put"]>) {
      asked.add(args[0].configurable?.["tenant"]);
      for (const key of Object.keys(args[1])) keys.add(key);
      return super.put(...args);
    }
    override async getTuple(...args: Parameters<MemorySaver["getTuple"]>) {
      asked.add(args[0].configurable?.["tenant"]);
      return super.getTuple(...args);
    }
    override async putWrites(...args: Parameters<MemorySaver["putWrites"]>) {
      asked.add(args[0].configurable?.["tenant"]);
      return super.putWrites(...args);
    }
  }
  const graph = parallel({ a: () => ({}), b: () => ({}) }).compile({ checkpointer: new Tenants() });
  const config = { configurable: { thread_id: "t", tenant: "x", thread_ts: "old" } };
  await graph.invoke({}, config);
  await graph.getState(config);
  await graph.updateState(config, { v: 1 }, "a");
  expect([...asked]).toEqual(["x"]);
  expect([...keys].toSorted()).toEqual([
    "channel_values",
    "channel_versions",
    "id",
    "ts",
    "v",
    "versions_seen",
  ]);
});

it("going on from a checkpoint inside a task also does anew what the graphs inside its tasks had done", async () => {
  const innermost = chain({ ask: () => ({ log: [interrupt("q?")] }) }).compile({ checkpointer: true });
  const middle = new StateGraph(State)
    .addNode("innermost", innermost)
    .addEdge(START, "innermost")
    .compile({ checkpointer: true });
  const graph = new StateGraph(State)
    .addNode("middle", middle)
    .addEdge(START, "middle")
    .compile({ checkpointer: new MemorySaver() });
  await graph.invoke({}, thread);
  const { config } = await graph.getState({ configurable: { thread_id: "t", checkpoint_ns: "middle" } });
  expect(await graph.invoke(new Command({ resume: "yes" }), thread)).not.toHaveProperty(INTERRUPT);
  expect(await graph.invoke(null, config)).toMatchObject({ [INTERRUPT]: [{ value: "q?" }] });
});

it("of several updates in a step each says as which node it is", async () => {
  const { graph } = evictable(chain({ a: () => ({ v: 1 }), b: () => ({ v: 2 }) }));
  const bulk = (...supersteps: { updates: { values: object }[] }[]) =>
    graph().bulkUpdateState(thread, supersteps);
  await expect(bulk({ updates: [{ values: { v: 1 } }, { values: { sum: 1 } }] })).rejects.toThrow("asNode");
  await expect(bulk()).rejects.toThrow("No supersteps provided");
  await expect(bulk({ updates: [] })).rejects.toThrow("No updates provided");
});

it("a schema's own default goes before the one that is registered with it", async () => {
  const key = z
    .string()
    .default("own")
    .register(registry, { default: () => "registered" });
  const graph = new StateGraph(z.object({ key, v: z.string() }))
    .addNode("a", ({ key: value }) => ({ v: value }))
    .addEdge(START, "a")
    .compile();
  expect((await graph.invoke({})).v).toBe("own");
});
