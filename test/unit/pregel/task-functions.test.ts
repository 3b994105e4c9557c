import { expect, it } from "vitest";
import {
  getCurrentTaskInput,
  getStore,
  getWriter,
  InMemoryStore,
  Send,
  START,
  StateGraph,
  writer,
} from "tidemark";
import { later, State } from "./support.ts";

it("a node, and what it calls, reaches the store, the writer and its input", async () => {
  const store = new InMemoryStore();
  const helper = async (): Promise<void> => {
    await later();
    await getStore()?.put(["a"], "k", { n: 1 });
    writer("one");
    getWriter()("two");
  };
  const graph = new StateGraph(State)
    .addNode("a", async (_, config) => {
      await helper();
      return { log: [getCurrentTaskInput(), config.store === store] };
    })
    .addConditionalEdges(START, () => new Send("a", { sent: true }), ["a"])
    .compile({ store });
  const chunks: unknown[] = [];
  for await (const chunk of graph.stream({ v: 1 }, { streamMode: ["custom", "updates"] })) chunks.push(chunk);
  expect(chunks).toEqual([
    ["custom", "one"],
    ["custom", "two"],
    ["updates", { a: { log: [{ sent: true }, true] } }],
  ]);
  expect((await store.get(["a"], "k"))?.value).toEqual({ n: 1 });
});

it("outside of a node they say so", () => {
  for (const call of [getStore, getWriter, getCurrentTaskInput, () => writer("x")]) {
    expect(call).toThrow("outside of a running node");
  }
});
