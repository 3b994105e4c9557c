import { FakeListChatModel } from "@langchain/core/utils/testing";
import { expect, it } from "vitest";
import { MemorySaver } from "tidemark";
import { START } from "../oracle/engine.ts";
import { graphOf } from "../oracle/policy-cases.ts";
import { chain, thread } from "../pregel/support.ts";
import { both, config, seenOf } from "./both.ts";

/** docs/differences.md: streams. */

it.each([
  ["with", true, 3],
  ["without", false, 0],
])("a chat model that is called %s the node's config", async (_, handsOn, here) => {
  const seen = await both(async (library) => {
    const model = new FakeListChatModel({ responses: ["hey"] });
    const graph = graphOf(library)
      .addNode("m", async (_state, nodeConfig: object) => ({
        last: (await model.invoke("q", handsOn ? nodeConfig : undefined)).content,
      }))
      .addEdge(START, "m")
      .compile();
    return (await seenOf(graph.stream({ log: [] }, { streamMode: "messages" }))).length;
  });
  expect(seen).toEqual({ here, there: 3 });
});

it("a config in a chunk says where the checkpoint is, and nothing else", async () => {
  const seen = await both(async (library) => {
    const graph = graphOf(library)
      .addNode("a", () => ({}))
      .addEdge(START, "a")
      .compile({ checkpointer: new library.MemorySaver() });
    const [chunk] = await seenOf(graph.stream({ log: [] }, { ...config, streamMode: "checkpoints" }));
    const shown = (chunk as { readonly config: { readonly configurable: object } }).config;
    const sorted = (keys: string[]): string[] => keys.toSorted((a, b) => (a < b ? -1 : 1));
    return [sorted(Object.keys(shown)), sorted(Object.keys(shown.configurable))];
  });
  const configurable = ["checkpoint_id", "checkpoint_ns", "thread_id"];
  expect(seen).toEqual({
    here: [["configurable"], configurable],
    there: [["configurable", "metadata", "recursion_limit", "tags"], configurable],
  });
});

it("an error in a chunk of tasks has the form in which it is stored", async () => {
  const seen = await both(async (library) => {
    const graph = graphOf(library)
      .addNode("a", () => {
        throw Object.assign(new RangeError("broken"), { code: "E" });
      })
      .addEdge(START, "a")
      .compile();
    const chunks = await seenOf(graph.stream({ log: [] }, { streamMode: "tasks" }));
    return chunks.map((chunk) => (chunk as { readonly error?: unknown }).error)[1];
  });
  expect(seen).toEqual({
    here: { name: "RangeError", message: "broken", code: "E" },
    there: { name: "RangeError", message: "broken" },
  });
});

it("the stream of checkpoints shows the one at which a run stops after a node", async () => {
  const graph = chain({ a: () => ({ log: ["a"] }), b: () => ({}) }).compile({
    checkpointer: new MemorySaver(),
    interruptAfter: ["a"],
  });
  const shown: unknown[] = [];
  for await (const chunk of graph.stream({}, { ...thread, streamMode: "checkpoints" })) shown.push(chunk);
  expect(shown).toMatchObject([{ next: ["__start__"] }, { next: ["a"] }, { next: ["b"] }]);
});

it("metadata of tasks does not name LangGraph", async () => {
  const seen = await both(async (library) => {
    let metadata: unknown;
    const graph = graphOf(library)
      .addNode("a", (_, nodeConfig) => {
        ({ metadata } = nodeConfig);
        return {};
      })
      .addEdge(START, "a")
      .compile();
    const [chunk] = await seenOf(graph.stream({}, { streamMode: "tasks" }));
    return [Object.hasOwn(Object(metadata), "ls_integration"), (chunk as { metadata?: unknown }).metadata];
  });
  expect(seen).toEqual({ here: [false, undefined], there: [true, { ls_integration: "langgraph" }] });
});

it("chunks of checkpoints say their parent, whatever the durability", async () => {
  const seen = await both(async (library) => {
    const graph = graphOf(library)
      .addNode("a", () => ({ log: ["a"] }))
      .addEdge(START, "a")
      .compile({ checkpointer: new library.MemorySaver() });
    const options = { ...config, streamMode: "checkpoints", durability: "exit" };
    const chunks = await seenOf(graph.stream({}, options));
    return chunks.map((chunk) => (chunk as { parentConfig?: object }).parentConfig !== undefined);
  });
  expect(seen).toEqual({ here: [false, true, true], there: [false, false, false] });
});
