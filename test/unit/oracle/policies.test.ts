import * as theirCheckpoint from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import * as ourCheckpoint from "tidemark/checkpoint";
import { ours, START, theirs, type Library } from "./engine.ts";
import { graphOf, policyCases, quick } from "./policy-cases.ts";
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
