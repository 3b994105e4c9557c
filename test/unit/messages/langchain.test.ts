import * as core from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { describe, expect, it } from "vitest";
import {
  Annotation,
  Command,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  messagesStateReducer,
  registerMessages,
  Send,
  START,
  StateGraph,
  type Messages,
} from "tidemark";
import { MsgpackSerializer } from "tidemark/checkpoint";
import { isAdopted } from "../../../src/values/adopt.ts";
import { stringifyJson } from "../../../src/json.ts";
import { fieldsOf } from "../../../src/langchain-message.ts";

const unregistered = new MsgpackSerializer();
const refusal = ((): unknown => {
  try {
    return unregistered.dumpsTyped({ list: [new core.HumanMessage("x")] });
  } catch (error) {
    return error;
  }
})();

registerMessages(core);

const call = { name: "add", args: { a: 1 }, id: "c1", type: "tool_call" as const };

/** One instance of each class, with all that it can hold. */
const instances: Record<string, core.BaseMessage> = {
  HumanMessage: new core.HumanMessage({ id: "1", name: "n", content: [{ type: "text", text: "t" }] }),
  HumanMessageChunk: new core.HumanMessageChunk({ id: "1", content: "t" }),
  AIMessage: new core.AIMessage({
    id: "2",
    content: [{ type: "text", text: "t" }],
    tool_calls: [call],
    invalid_tool_calls: [{ name: "x", args: "{", error: "e", type: "invalid_tool_call" }],
    additional_kwargs: {
      tool_calls: [{ id: "c1", type: "function", function: { name: "add", arguments: "{}" } }],
    },
    response_metadata: { model: "m" },
  }),
  "AIMessage with a field that was added later": Object.assign(
    new core.AIMessage({ id: "2", content: "t" }),
    {
      usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    },
  ),
  "AIMessage of output version 1": new core.AIMessage({
    id: "3",
    contentBlocks: [{ type: "text", text: "t" }],
    tool_calls: [call],
  }),
  AIMessageChunk: new core.AIMessageChunk({
    id: "4",
    content: "t",
    tool_call_chunks: [{ name: "add", args: '{"a":', id: "c1", index: 0, type: "tool_call_chunk" }],
  }),
  SystemMessage: new core.SystemMessage({ id: "5", content: "t" }),
  ToolMessage: new core.ToolMessage({
    id: "6",
    content: "t",
    tool_call_id: "c1",
    artifact: { rows: [1n] },
    status: "error",
  }),
  ChatMessage: new core.ChatMessage({ id: "7", content: "t", role: "critic" }),
  FunctionMessage: new core.FunctionMessage({ id: "8", content: "t", name: "f" }),
  RemoveMessage: new core.RemoveMessage({ id: "9" }),
};

const serializer = new MsgpackSerializer();
const roundTrip = <T>(value: T): T => serializer.loadsTyped(...serializer.dumpsTyped(value)) as T;

describe("a message of LangChain", () => {
  it("is refused until its class is registered, with how to do it", () => {
    expect(refusal).toMatchObject({
      code: "unserializable",
      path: ["list", 0],
      message: expect.stringMatching(/class "HumanMessage".*registerMessages\(messages\)/),
    });
  });

  it.each(Object.entries(instances))("comes back as it was: %s", (_, message) => {
    const loaded = roundTrip({ message }).message;
    expect(Object.getPrototypeOf(loaded)).toBe(Object.getPrototypeOf(message));
    expect(fieldsOf(loaded)).toEqual(fieldsOf(message));
    expect(loaded.toDict()).toEqual(expect.objectContaining({ type: message.getType() }));
    expect(loaded.contentBlocks).toEqual(message.contentBlocks);
    expect(loaded.text).toBe(message.text);
    expect(isAdopted(loaded)).toBe(true);
  });

  it("of a chunk can be added to others", () => {
    const chunk = roundTrip(new core.AIMessageChunk({ id: "4", content: "a" }));
    expect(chunk.concat(new core.AIMessageChunk("b")).content).toBe("ab");
  });

  it("with bytes and dates keeps them from being changed in place", () => {
    const message = new core.ToolMessage({
      content: "t",
      tool_call_id: "c",
      artifact: { at: new Date(0), bytes: new Uint8Array([1]) },
    });
    expect(roundTrip(message).artifact).toEqual(message.artifact);
    expect(isAdopted(roundTrip(message))).toBe(false);
  });

  it("goes over the wire as plain data", () => {
    expect(
      JSON.parse(stringifyJson({ m: [instances["ToolMessage"], roundTrip(instances["AIMessageChunk"])] })),
    ).toEqual({
      m: [
        {
          type: "tool",
          id: "6",
          content: "t",
          tool_call_id: "c1",
          status: "error",
          artifact: { rows: ["1"] },
          additional_kwargs: {},
          response_metadata: {},
        },
        expect.objectContaining({ type: "ai", id: "4", content: "t" }),
      ],
    });
  });

  it("may be registered again, and not by classes of another kind", () => {
    expect(() => registerMessages(core)).not.toThrow();
    expect(() => registerMessages({})).toThrow("@langchain/core/messages");
    expect(() => registerMessages({ HumanMessage: class extends core.HumanMessage {} })).toThrow(
      "langchain.HumanMessage",
    );
  });
});

const reduce = (left: unknown, right: unknown): core.BaseMessage[] =>
  messagesStateReducer(left as Messages, right as Messages) as unknown as core.BaseMessage[];

describe("the reducer of messages", () => {
  it("makes instances of what comes in another form, also of what was stored as plain data", () => {
    const list = reduce(
      [{ type: "human", id: "0", content: "old" }],
      [
        ["user", "a"],
        { role: "assistant", content: "b", tool_calls: [call] },
        { type: "tool", tool_call_id: "c1", content: "c" },
        {
          lc: 1,
          type: "constructor",
          id: ["langchain_core", "messages", "SystemMessage"],
          kwargs: { content: "d" },
        },
      ],
    );
    expect(list.map((message) => message.constructor.name)).toEqual([
      "HumanMessage",
      "HumanMessage",
      "AIMessage",
      "ToolMessage",
      "SystemMessage",
    ]);
    expect(list.every(({ id }) => typeof id === "string")).toBe(true);
    expect((list[2] as core.AIMessage).tool_calls).toEqual([call]);
  });

  it("merges instances by id and leaves those that it was given alone", () => {
    const [human, ai] = [new core.HumanMessage("a"), new core.AIMessage({ id: "2", content: "b" })];
    const before = reduce([], [human, ai]);
    expect(human.id).toBeUndefined();
    const after = reduce(before, [
      new core.AIMessage({ id: "2", content: "c" }),
      new core.RemoveMessage({ id: before[0]?.id ?? "" }),
    ]);
    expect(after.map(({ id, content }) => [id, content])).toEqual([["2", "c"]]);
    expect(() => reduce(after, [new core.RemoveMessage({ id: "nobody" })])).toThrow("nobody");
  });

  it("takes no field from plain data that hides what the class has", () => {
    const hostile = JSON.parse(
      '{"type":"human","id":"1","content":"a","getType":1,"constructor":{},"__proto__":{"polluted":1},"lc_namespace":["x"]}',
    );
    const [message] = reduce([], [hostile]);
    expect(message).toBeInstanceOf(core.HumanMessage);
    expect(Object.getPrototypeOf(message)).toBe(core.HumanMessage.prototype);
    expect(message?.getType()).toBe("human");
    expect(message?.lc_namespace).toEqual(["langchain_core", "messages"]);
    expect(Object(message).polluted).toBeUndefined();
  });
});

describe("in a graph", () => {
  const config = { configurable: { thread_id: "t" } };

  it("messages come back as instances from state, questions, Sends, results of tasks and history", async () => {
    const State = Annotation.Root({
      ...MessagesAnnotation.spec,
      last: Annotation<core.BaseMessage>(),
    });
    const seen: unknown[] = [];
    const note = (message: unknown): void => {
      seen.push(message instanceof core.BaseMessage && Object.isFrozen(message));
    };
    const checkpointer = new MemorySaver();
    const graph = new StateGraph(State)
      .addNode("ask", ({ messages }) => {
        messages.forEach(note);
        const answer = interrupt<core.BaseMessage, core.BaseMessage>(
          new core.AIMessage({ id: "q", content: "?" }),
        );
        note(answer);
        return { messages: [answer], last: new core.AIMessage({ id: "l", content: "last" }) };
      })
      .addNode("other", () => ({ messages: [new core.AIMessage({ id: "o", content: "other" })] }))
      .addNode("sent", (message: core.BaseMessage) => {
        note(message);
        return { messages: [message] };
      })
      .addEdge(START, "ask")
      .addEdge(START, "other")
      .addConditionalEdges("ask", ({ last }) => [new Send("sent", last)], ["sent"])
      .compile({ checkpointer });
    await graph.invoke({ messages: [new core.HumanMessage({ id: "h", content: "hi" })] }, config);
    const paused = await graph.getState(config);
    note(paused.tasks.find(({ name }) => name === "ask")?.interrupts[0]?.value);
    const result = await graph.invoke(
      new Command({ resume: new core.HumanMessage({ id: "a", content: "!" }) }),
      config,
    );
    result.messages.forEach(note);
    for await (const state of graph.getStateHistory(config)) state.values["messages"]?.forEach(note);
    expect(result.messages.map(({ id }) => id)).toEqual(["h", "a", "o", "l"]);
    expect(seen.length).toBeGreaterThan(12);
    expect(new Set(seen)).toEqual(new Set([true]));
  });

  it("models are streamed that a node calls without its config, each as of the node that calls", async () => {
    const speaking = (text: string) => async () => {
      const model = new FakeListChatModel({ responses: [text] });
      const asked = RunnableLambda.from(() => model.invoke("?"));
      await Promise.resolve();
      return { messages: [await model.invoke("?"), await asked.invoke("?")] };
    };
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("one", speaking("ab"))
      .addNode("two", speaking("xy"))
      .addEdge(START, "one")
      .addEdge(START, "two")
      .compile();
    const said: string[] = [];
    for await (const [message, metadata] of await graph.stream(
      { messages: [] },
      { streamMode: "messages" },
    )) {
      expect(message).toMatchObject({ content: expect.stringMatching(/^[abxy]$/) });
      said.push(`${String(metadata["langgraph_node"])}: ${String(Object(message).content)}`);
    }
    expect(said.toSorted().join(", ")).toBe("one: a, one: a, one: b, one: b, two: x, two: x, two: y, two: y");
  });

  it("a change of one in place is refused, by the name of the channel", async () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("a", ({ messages }) => {
        Object.assign(messages[0] ?? {}, { content: "changed" });
        return {};
      })
      .addEdge(START, "a")
      .compile();
    await expect(graph.invoke({ messages: [new core.HumanMessage("hi")] })).rejects.toMatchObject({
      code: "state_mutated",
      message: expect.stringContaining("messages"),
    });
  });
});
