import { expect, it } from "vitest";
import { entrypoint, getConfig, InMemoryCache, MemorySaver, START, StateGraph, task } from "tidemark";
import { ManualClock } from "./manual-clock.ts";
import { chain, State, thread, type Graph } from "./support.ts";

/** What the policies of a node mean for what it calls. */

const outer = (inner: Graph, options: object): Graph =>
  new StateGraph(State)
    .addNode("outer", inner, options)
    .addEdge(START, "outer")
    .compile({ checkpointer: new MemorySaver() });

it("another attempt of a node goes on with its graph where that was left", async () => {
  const calls: string[] = [];
  const inner = chain({
    a: () => {
      calls.push("a");
      return { log: ["a"] };
    },
    b: () => {
      calls.push("b");
      if (calls.length === 2) throw new Error("once");
      return { log: ["b"] };
    },
  }).compile();
  const clock = new ManualClock();
  const graph = outer(inner, { retryPolicy: {} }).withOptions({ environment: clock });
  const { log } = await clock.during(graph.invoke({}, thread));
  expect([log, calls]).toEqual([
    ["a", "b"],
    ["a", "b", "b"],
  ]);
});

it("the graph of an attempt that takes too long is told, and stores nothing from then on", async () => {
  const clock = new ManualClock();
  const saver = new MemorySaver();
  let signal: AbortSignal | undefined;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const inner = chain({
    slow: async () => {
      signal = getConfig().signal;
      await released;
      return { log: ["late"] };
    },
    after: () => ({ log: ["after"] }),
  }).compile();
  const graph = outer(inner, { timeout: 50 }).withOptions({ environment: clock, checkpointer: saver });
  await expect(clock.during(graph.invoke({}, thread))).rejects.toThrow("more than 50 ms");
  expect(signal?.aborted).toBe(true);
  const saved = async (): Promise<unknown[]> => {
    const rows: unknown[] = [];
    for await (const { checkpoint, pendingWrites } of saver.list(thread))
      rows.push([checkpoint.id, pendingWrites]);
    return rows;
  };
  const before = await saved();
  release();
  await new Promise((resolve) => {
    setTimeout(resolve, 5);
  });
  expect(await saved()).toEqual(before);
});

it("a called task takes its result from the cache, by all its arguments", async () => {
  const calls: number[][] = [];
  const add = task({ name: "add", cachePolicy: true }, (a: number, b: number) => {
    calls.push([a, b]);
    return a + b;
  });
  const cache = new InMemoryCache<readonly (readonly [string, unknown])[]>();
  const sums = entrypoint({ name: "sums", cache }, async (first: number) => [
    await add(first, 2),
    await add(1, 3),
    await add(1, 2),
  ]);
  expect(await sums.invoke(1)).toEqual([3, 4, 3]);
  expect(calls).toEqual([
    [1, 2],
    [1, 3],
  ]);
});

it("with durability at the exit, a graph in a node stores at its own exit", async () => {
  const saver = new MemorySaver();
  const inner = chain({ a: () => ({ log: ["a"] }), b: () => ({ log: ["b"] }) }).compile();
  const graph = outer(inner, {}).withOptions({ checkpointer: saver });
  expect((await graph.invoke({}, { ...thread, durability: "exit" })).log).toEqual(["a", "b"]);
  const namespaces: unknown[] = [];
  for await (const { config } of saver.list(thread)) namespaces.push(config.configurable?.checkpoint_ns);
  expect(namespaces.map((namespace) => String(namespace).split(":")[0])).toEqual(
    expect.arrayContaining(["", "outer"]),
  );
  expect(namespaces).toHaveLength(2);
  expect((await graph.getState(thread)).values.log).toEqual(["a", "b"]);
});
