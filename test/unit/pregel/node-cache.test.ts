import { expect, it } from "vitest";
import {
  type CachePolicy,
  Command,
  InMemoryCache,
  INTERRUPT,
  interrupt,
  MemorySaver,
  Send,
  START,
  StateGraph,
} from "tidemark";
import { stableText } from "../../../src/pregel/stable-text.ts";
import { chain, evictable, State, thread, type Action } from "./support.ts";

type Writes = readonly (readonly [string, unknown])[];

function counted(cachePolicy: boolean | CachePolicy, action: Action = (state) => ({ log: [state.v] })) {
  const time = { now: 0 };
  const calls: unknown[] = [];
  const cache = new InMemoryCache<Writes>({ now: () => time.now });
  const graph = chain({})
    .addNode(
      "a",
      (state) => {
        calls.push(state.v);
        return action(state);
      },
      { cachePolicy },
    )
    .addEdge(START, "a")
    .compile({ cache });
  return { time, calls, graph };
}

it("a node is not called for an input that it had before", async () => {
  const { calls, graph } = counted(true);
  for (const v of [1, { x: 1, y: 2 }, 1, { y: 2, x: 1 }, new Date(1), new Date(2)]) {
    expect((await graph.invoke({ v })).log).toEqual([v]);
  }
  expect(calls).toEqual([1, { x: 1, y: 2 }, new Date(1), new Date(2)]);
  await graph.clearCache();
  await graph.invoke({ v: 1 });
  expect(calls).toHaveLength(5);
});

it("a result counts as long as its ttl, in seconds", async () => {
  const { time, calls, graph } = counted({ ttl: 60 });
  await graph.invoke({ v: 1 });
  time.now = 59_999;
  await graph.invoke({ v: 1 });
  expect(calls).toHaveLength(1);
  time.now = 60_000;
  await graph.invoke({ v: 1 });
  expect(calls).toHaveLength(2);
});

it("keyFunc says what the result depends on", async () => {
  const { calls, graph } = counted({ keyFunc: ([state]) => String((state as { v: number }).v % 2) });
  for (const v of [1, 3, 2, 5, 4]) await graph.invoke({ v });
  expect(calls).toEqual([1, 2]);
});

it("a keyFunc that throws is a failure of its node", async () => {
  const { graph } = counted({
    keyFunc: () => {
      throw new Error("no key");
    },
  });
  expect(await graph.run({ kind: "input", value: { v: 1 } })).toMatchObject({
    status: "failed",
    failures: [{ node: "a" }],
  });
});

it("what came of an answer is not kept: the next one is asked again", async () => {
  const cache = new InMemoryCache<Writes>();
  const graph = chain({})
    .addNode("a", () => ({ log: [interrupt("q")] }), { cachePolicy: true })
    .addEdge(START, "a")
    .compile({ cache, checkpointer: new MemorySaver() });
  await graph.invoke({ v: 1 }, thread);
  expect((await graph.invoke(new Command({ resume: "yes" }), thread)).log).toEqual(["yes"]);
  const other = { configurable: { thread_id: "other" } };
  expect((await graph.invoke({ v: 1 }, other))[INTERRUPT]).toHaveLength(1);
});

it("failures are not kept; neither does a cache that fails stop the run", async () => {
  let calls = 0;
  const { graph } = counted(true, () => {
    if (calls++ === 0) throw new Error("first");
    return { log: [calls] };
  });
  await expect(graph.invoke({ v: 1 })).rejects.toThrow("first");
  expect((await graph.invoke({ v: 1 })).log).toEqual([2]);
  class Broken extends InMemoryCache<Writes> {
    override get(): Promise<never> {
      return Promise.reject(new Error("down"));
    }

    override set(): Promise<never> {
      return Promise.reject(new Error("down"));
    }
  }
  const broken = graph.withOptions({ cache: new Broken() });
  expect((await broken.invoke({ v: 1 })).log).toEqual([3]);
});

it("a cached result is stored with the thread, and says that it is cached", async () => {
  const builder = new StateGraph(State)
    .addNode("plan", () => new Command({ update: { log: ["plan"] }, goto: [new Send("w", { v: 1 })] }), {
      ends: ["w"],
      cachePolicy: true,
    })
    .addNode("w", (state) => ({ log: [`w${String(state.v)}`] }), { cachePolicy: true })
    .addEdge(START, "plan");
  const cache = new InMemoryCache<Writes>();
  const { saver } = evictable(builder);
  const graph = builder.compile({ cache, checkpointer: saver });
  await graph.invoke({}, thread);
  const chunks: unknown[] = [];
  const other = { configurable: { thread_id: "other" } };
  for await (const chunk of graph.stream({}, other)) chunks.push(chunk);
  expect(chunks).toEqual([
    { plan: { log: ["plan"] }, __metadata__: { cached: true } },
    { w: { log: ["w1"] }, __metadata__: { cached: true } },
  ]);
  expect((await graph.getState(other)).values.log).toEqual(["plan", "w1"]);
});

it("texts of values differ when the values do", () => {
  const values = [
    1,
    "1",
    1n,
    true,
    null,
    undefined,
    Number.NaN,
    0,
    -0,
    "",
    [],
    {},
    [[]],
    [1],
    [1, 2],
    ["1,2"],
    { a: 1 },
    { a: "1" },
    { a: undefined },
    new Date(1),
    new Map(),
    new Map([["a", 1]]),
    new Set([1]),
    /a/,
    /a/g,
    new URL("https://a.b"),
    new Uint8Array([1]),
    new Int8Array([1]),
    new Uint8Array([1]).buffer,
    new Error("a"),
    new RangeError("a"),
    { 'a":1': 1 },
  ];
  const texts = values.map(stableText);
  expect(new Set(texts).size).toBe(values.length);
  expect(stableText({ a: 1, b: [{ d: 1, c: 2 }] })).toBe(stableText({ b: [{ c: 2, d: 1 }], a: 1 }));
  const cycle: unknown[] = [];
  cycle.push(cycle);
  for (const value of [cycle, () => 1, Symbol("a")]) expect(() => stableText(value)).toThrow("keyFunc");
});
