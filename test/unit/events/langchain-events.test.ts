import { FakeListChatModel } from "@langchain/core/utils/testing";
import { expect, it } from "vitest";
import { MemorySaver, MessagesAnnotation, type NodeConfig, START, StateGraph } from "../../../src/index.ts";
import { type LangChainEvent, ToldSpan } from "../../../src/thread/events/langchain-events.ts";
import { LangGraphTelling } from "../../../src/thread/events/langgraph-telling.ts";

it("models and nodes are told as LangChain tells them, and whoever traces them sees the same", async () => {
  const told: LangChainEvent[] = [];
  const traced: string[] = [];
  const span = {
    begin: (part: { readonly kind: string }) => (traced.push(`${part.kind} begins`), span),
    end: () => void traced.push("ends"),
  };
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("ask", async (_, config: NodeConfig) => {
      const model = new FakeListChatModel({ responses: ["ab"] });
      const handed: object = config;
      const { text } = await model.invoke("?", handed);
      return { messages: [{ type: "ai", id: "answer", content: text }] };
    })
    .addEdge(START, "ask")
    .compile({ checkpointer: new MemorySaver() });
  await graph.run(
    { kind: "input", value: { messages: [] } },
    { configurable: { thread_id: "t" }, span: new ToldSpan("run", (event) => told.push(event), span) },
  );
  expect(told.map(({ event, name }) => `${event} ${name}`)).toEqual([
    "on_chain_start ask",
    "on_chat_model_start FakeListChatModel",
    "on_chat_model_end FakeListChatModel",
    "on_chain_end ask",
  ]);
  const metadata = { langgraph_step: 1, langgraph_node: "ask" };
  expect(told.map((event) => [event.tags, event.metadata])).toEqual([
    [["graph:step:1"], metadata],
    [[], metadata],
    [[], metadata],
    [["graph:step:1"], metadata],
  ]);
  expect(told.at(-1)?.data).toEqual({
    output: { messages: [{ type: "ai", id: "answer", content: "ab" }] },
  });
  expect(told[1]?.run_id).toBe(`${told[0]?.run_id}/1`);
  expect(told[2]?.data).toMatchObject({ output: { text: "ab" } });
  expect(traced.slice(0, 3)).toEqual(["superstep begins", "task begins", "model begins"]);
});

it("streams may end without an event for it, and then say how a run failed all the same", () => {
  const telling = new LangGraphTelling(["values"], false);
  const attempt = 1;
  expect(telling.last({ name: "end", data: { run_id: "r" }, attempt })).toBeUndefined();
  const failed = (code: string) =>
    ({ name: "error", error: { code, message: "m", details: {} }, attempt }) as const;
  expect(telling.last(failed("run_cancelled"))).toBeUndefined();
  expect(telling.last(failed("graph_recursion_limit"))).toEqual({
    name: "error",
    data: { error: "GraphRecursionError", message: "m", code: "graph_recursion_limit" },
  });
});
