import * as theirLibrary from "@langchain/langgraph";
import { z } from "zod";
import { describe, expect, it } from "vitest";
import * as ours from "tidemark";
import { theirs, ours as ourLibrary, type Library } from "../oracle/engine.ts";

interface Chat {
  readonly MessagesAnnotation: unknown;
  readonly MessagesZodState: unknown;
  readonly pushMessage: (message: unknown, options?: { stateKey?: string | null }) => unknown;
}

const both: [string, Library, Chat][] = [
  ["LangGraph", theirs, theirLibrary as unknown as Chat],
  ["Tidemark", ourLibrary, ours as unknown as Chat],
];

const texts = (state: Record<string, unknown>): unknown[] =>
  (state["messages"] as { id: string; content: unknown }[]).map(({ content }) => content);

describe.each(both)("%s", (_, library, chat) => {
  it("keeps a conversation across runs", async () => {
    const graph = new library.StateGraph(chat.MessagesAnnotation)
      .addNode("reply", (state) => ({ messages: [["ai", `${texts(state).length}`]] }))
      .addEdge("__start__", "reply")
      .compile({ checkpointer: new library.MemorySaver() });
    const config = { configurable: { thread_id: "t" } };
    expect(texts(await graph.invoke({ messages: "a" }, config))).toEqual(["a", "1"]);
    expect(texts(await graph.invoke({ messages: [{ role: "user", content: "b" }] }, config))).toEqual([
      "a",
      "1",
      "b",
      "3",
    ]);
  });

  it("writes a pushed message before what the node returns", async () => {
    const graph = new library.StateGraph(chat.MessagesAnnotation)
      .addNode("a", () => {
        chat.pushMessage({ role: "assistant", content: "pushed", id: "p1" });
        chat.pushMessage({ role: "assistant", content: "hidden", id: "p2" }, { stateKey: null });
        return { messages: [["ai", "end"]] };
      })
      .addEdge("__start__", "a")
      .compile({});
    expect(texts(await graph.invoke({ messages: "hi" }))).toEqual(["hi", "pushed", "end"]);
  });

  it("shows a pushed message to the conditional edge of its node", async () => {
    const seen: unknown[] = [];
    const graph = new library.StateGraph(chat.MessagesAnnotation)
      .addNode("a", () => {
        chat.pushMessage({ role: "assistant", content: "pushed", id: "p1" });
        return {};
      })
      .addEdge("__start__", "a")
      .addConditionalEdges("a", (state) => {
        seen.push(texts(state));
        return "__end__";
      })
      .compile({});
    await graph.invoke({ messages: "hi" });
    expect(seen).toEqual([["hi", "pushed"]]);
  });

  it("refuses to push a message without an id", async () => {
    const graph = new library.StateGraph(chat.MessagesAnnotation)
      .addNode("a", () => {
        chat.pushMessage("text");
        return {};
      })
      .addEdge("__start__", "a")
      .compile({});
    await expect(graph.invoke({ messages: "hi" })).rejects.toThrow(
      library === ourLibrary ? "a message without an id" : "Message ID",
    );
  });

  it("has the same as an object schema", async () => {
    const graph = new library.StateGraph(chat.MessagesZodState)
      .addNode("a", () => ({ messages: ["b"] }))
      .addEdge("__start__", "a")
      .compile({});
    expect(texts(await graph.invoke({ messages: ["a"] }))).toEqual(["a", "b"]);
  });
});

it("a pushed message means nothing outside of a node", () => {
  expect(ours.pushMessage({ role: "user", content: "x", id: "1" })).toEqual({
    type: "human",
    id: "1",
    content: "x",
  });
});

it.each([
  ["Tidemark", ourLibrary, ours as unknown as Chat, true],
  ["LangGraph", theirs, theirLibrary as unknown as Chat, false],
])("in %s a conditional edge sees the ids that are saved: %o", async (_, library, chat, isSame) => {
  const seen: unknown[] = [];
  const ids = (state: Record<string, unknown>): unknown[] =>
    (state["messages"] as { id: string }[]).map(({ id }) => id);
  const graph = new library.StateGraph(chat.MessagesAnnotation)
    .addNode("a", () => ({ messages: [["ai", "b"]] }))
    .addEdge("__start__", "a")
    .addConditionalEdges("a", (state) => {
      seen.push(ids(state));
      return "__end__";
    })
    .compile({});
  const result = await graph.invoke({ messages: "a" });
  if (isSame) expect(seen).toEqual([ids(result)]);
  else expect(seen).not.toEqual([ids(result)]);
});

describe("MessagesValue", () => {
  const State = new ours.StateSchema({ messages: ours.MessagesValue, topic: z.string().optional() });
  const graphOf = (update: unknown): { invoke: (input: never) => Promise<unknown> } =>
    new ours.StateGraph(State)
      .addNode("a", () => update as never)
      .addEdge(ours.START, "a")
      .compile();

  it("is a key of a StateSchema, empty at first", async () => {
    expect(
      await graphOf({ messages: ["x", { role: "assistant", content: "y", id: "2" }] }).invoke({} as never),
    ).toEqual({
      messages: [
        { type: "human", content: "x", id: expect.any(String) },
        { type: "ai", content: "y", id: "2", tool_calls: [] },
      ],
    });
  });

  it("refuses what is no message where it is written", async () => {
    await expect(graphOf({ messages: ["x", 5] }).invoke({} as never)).rejects.toMatchObject({
      code: "invalid_update",
      details: { node: "a", channel: "messages", issues: [{ path: ["messages", 1] }] },
    });
    await expect(
      graphOf({}).invoke({ messages: { role: "weird", content: "" } } as never),
    ).rejects.toMatchObject({
      code: "invalid_input",
      details: { issues: [{ path: ["messages", 0] }] },
    });
  });

  it("can be overwritten", async () => {
    const update = { messages: new ours.Overwrite([{ type: "human", content: "z", id: "1" }]) };
    expect(await graphOf(update).invoke({ messages: "a" } as never)).toEqual({
      messages: [{ type: "human", content: "z", id: "1" }],
    });
  });
});

it("MessagesZodState takes keys of zod beside its own", async () => {
  const State = ours.MessagesZodState.extend({ count: z.number().default(3) });
  const graph = new ours.StateGraph(State)
    .addNode("a", (state) => ({ messages: `${state.count}` }))
    .addEdge(ours.START, "a")
    .compile();
  expect((await graph.invoke({ messages: "a" })).messages.map(({ content }) => content)).toEqual(["a", "3"]);
});

it("a message that is pushed to a key which the state does not have is stored nowhere", async () => {
  const checkpointer = new ours.MemorySaver();
  const graph = new ours.StateGraph(ours.MessagesAnnotation)
    .addNode("a", () => {
      ours.pushMessage({ role: "assistant", content: "x", id: "1" }, { stateKey: "nowhere" });
      return {};
    })
    .addEdge(ours.START, "a")
    .compile({ checkpointer });
  const config = { configurable: { thread_id: "t" } };
  await graph.invoke({ messages: "hi" }, config);
  const written: string[] = [];
  for await (const { pendingWrites = [] } of checkpointer.list(config))
    written.push(...pendingWrites.map(([, channel]) => channel));
  expect(written).toContain("messages");
  expect(written).not.toContain("nowhere");
});
