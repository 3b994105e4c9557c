import * as theirCheckpoint from "@langchain/langgraph-checkpoint";
import { describe, expect, it, vi } from "vitest";
import * as ourCheckpoint from "tidemark/checkpoint";
import { ours, START, theirs, type Builder, type Library } from "./engine.ts";
import { graphOf, later, policyCases, quick } from "./policy-cases.ts";
import { compare } from "./session.ts";
import { show } from "./show.ts";

it.each(Object.entries(policyCases))("%s: as in LangGraph", async (_, { build, script }) => {
  const result = await compare(build, script);
  expect(result.ours).toEqual(result.theirs);
});

async function attemptsAt(library: Library, error: unknown): Promise<number> {
  let calls = 0;
  const graph = graphOf(library)
    .addNode(
      "a",
      () => {
        calls++;
        throw error;
      },
      { retryPolicy: quick },
    )
    .addEdge(START, "a")
    .compile({});
  await graph.invoke({ log: [] }).catch(() => undefined);
  return calls;
}

describe("without retryOn, the same errors are tried again", () => {
  const named = (name: string): Error => Object.assign(new Error("x"), { name });
  it.each([
    new Error("x"),
    new Error("Cancelled by someone"),
    new Error("AbortError: no"),
    named("AbortError"),
    named("GraphValueError"),
    named("TypeError"),
    Object.assign(new Error("x"), { code: "ECONNABORTED" }),
    Object.assign(new Error("x"), { code: "ECONNRESET" }),
    ...[399, 400, 401, 404, 407, 408, 409, 429, 500].map((status) =>
      Object.assign(new Error(`status ${status}`), { status }),
    ),
    Object.assign(new Error("response 409"), { response: { status: 409 } }),
    Object.assign(new Error("response 503"), { response: { status: 503 } }),
    Object.assign(new Error("quota"), { error: { code: "insufficient_quota" } }),
    Object.assign(new Error("rate"), { error: { code: "rate_limit" } }),
  ])("%s", async (error) => {
    expect(await attemptsAt(ours, error)).toBe(await attemptsAt(theirs, error));
  });
});

/** The pauses of a run, in milliseconds. */
async function pausesOf(library: Library, retryPolicy: object): Promise<number[]> {
  const timers = vi.spyOn(globalThis, "setTimeout");
  const graph = graphOf(library)
    .addNode("a", () => Promise.reject(new Error("x")), { retryPolicy })
    .addEdge(START, "a")
    .compile({});
  await graph.invoke({ log: [] }).catch(() => undefined);
  const pauses = timers.mock.calls.map(([, milliseconds]) => milliseconds ?? 0);
  timers.mockRestore();
  return pauses.filter((milliseconds) => milliseconds > 0);
}

it("pauses between attempts grow, up to the longest", async () => {
  const policy = { ...quick, initialInterval: 2, backoffFactor: 3, maxInterval: 11, maxAttempts: 5 };
  const expected = await pausesOf(theirs, policy);
  expect(expected).toEqual([2, 6, 11, 11]);
  expect(await pausesOf(ours, policy)).toEqual(expected);
});

it("a graph's cache policy holds for the nodes that have none, but for those that want none", async () => {
  const run = async (library: Library, cache: object): Promise<unknown> => {
    const calls: string[] = [];
    const counting = (name: string) => (): object => {
      calls.push(name);
      return {};
    };
    const builder = graphOf(library) as Builder & { setNodeDefaults(defaults: object): Builder };
    const graph = builder
      .setNodeDefaults({ cachePolicy: true })
      .addNode("default", counting("default"))
      .addNode("short", counting("short"), { cachePolicy: { ttl: 0.01 } })
      .addNode("never", counting("never"), { cachePolicy: false })
      .addEdge(START, "default")
      .addEdge("default", "short")
      .addEdge("short", "never")
      .compile({ cache });
    for (const pause of [0, 30]) {
      await later(pause);
      await graph.invoke({ sum: 1 });
    }
    return calls;
  };
  const expected = await run(theirs, new theirCheckpoint.InMemoryCache());
  expect(expected).toEqual(["default", "short", "never", "short", "never"]);
  expect(await run(ours, new ourCheckpoint.InMemoryCache())).toEqual(expected);
});

async function cachedRuns(library: Library, cache: object): Promise<unknown> {
  let calls = 0;
  const graph = graphOf(library)
    .addNode(
      "a",
      (state) => {
        calls++;
        return state["sum"] === 3
          ? new library.Command({ update: { log: ["three"] }, goto: [new library.Send("b", "sent")] })
          : { log: ["a"] };
      },
      { cachePolicy: true, ends: ["b"] },
    )
    .addNode("b", (args) => ({ log: [args] }), {
      cachePolicy: { keyFunc: (args: unknown[]) => String(args.length), ttl: 60 },
    })
    .addEdge(START, "a")
    .compile({ cache });
  const chunks: unknown[] = [];
  for (const sum of [1, 1, 2, 3, 3, 3]) {
    const streamMode = ["updates", "values"];
    for await (const chunk of await graph.stream({ sum }, { streamMode })) chunks.push(show(chunk));
  }
  await graph.clearCache?.();
  await graph.invoke({ sum: 1 });
  return { chunks, calls };
}

it("cached nodes: as in LangGraph, on either engine's cache", async () => {
  const expected = await cachedRuns(theirs, new theirCheckpoint.InMemoryCache());
  expect(await cachedRuns(ours, new ourCheckpoint.InMemoryCache())).toEqual(expected);
  expect(await cachedRuns(ours, new theirCheckpoint.InMemoryCache())).toEqual(expected);
});

it.each([
  ["this", () => new ourCheckpoint.InMemoryStore()],
  ["LangGraph's", () => new theirCheckpoint.InMemoryStore()],
])("nodes use %s store as in LangGraph", async (_, makeStore) => {
  const run = async (library: Library): Promise<unknown> => {
    const graph = graphOf(library)
      .addNode("a", async (_state, config) => {
        const store = config["store"] as ourCheckpoint.BaseStore;
        await store.put(["a", "b"], "k", { n: 1 });
        return { last: (await store.search(["a"])).map(({ key, value }) => [key, value]) };
      })
      .addEdge(START, "a")
      .compile({ store: makeStore() });
    return graph.invoke({ log: [] });
  };
  expect(await run(ours)).toEqual(await run(theirs));
});
