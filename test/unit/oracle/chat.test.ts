import * as theirLibrary from "@langchain/langgraph";
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import * as messages from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { describe, expect, it } from "vitest";
import * as ourLibrary from "tidemark";
import { fieldsOf } from "../../../src/langchain-message.ts";
import { END, ours, START, theirs, type Config, type Library, type State } from "./engine.ts";

/** A chat with LangChain's own messages, on both engines: it ends in equal messages. */

ourLibrary.registerMessages(messages);

interface Chat {
  readonly MessagesAnnotation: unknown;
}

const engines: [Library, Chat][] = [
  [theirs, theirLibrary],
  [ours, ourLibrary],
];

const messagesOf = (state: State): BaseMessage[] => state["messages"] as BaseMessage[];

/** Model, tool and a person in turn; what the model says first is taken back. */
function chatOf(
  library: Library,
  { MessagesAnnotation }: Chat,
): ReturnType<InstanceType<Library["StateGraph"]>["compile"]> {
  const model = new FakeListChatModel({ responses: ["one", "two", "three"] });
  return new library.StateGraph(MessagesAnnotation)
    .addNode("model", async (state) => {
      const answer = await model.invoke(messagesOf(state));
      const call = { name: "add", args: { a: 1 }, id: "c1", type: "tool_call" as const };
      return {
        messages: [
          new AIMessage({ id: `${messagesOf(state).length}`, content: answer.content, tool_calls: [call] }),
          new SystemMessage("be brief"),
          new AIMessageChunk({ id: "chunk", content: [{ type: "text", text: "piece" }] }),
          new ChatMessage({ content: "hm", role: "critic" }),
        ],
      };
    })
    .addNode("tool", (state) => {
      const call = messagesOf(state).findLast(
        (message) => message instanceof AIMessage && message.tool_calls?.length,
      );
      return {
        messages: [
          new ToolMessage({
            content: "2",
            tool_call_id: (call as AIMessage).tool_calls?.[0]?.id ?? "",
            artifact: { sum: 2 },
          }),
          new RemoveMessage({ id: call?.id ?? "" }),
        ],
      };
    })
    .addNode("person", (state) => ({
      messages: [
        library.interrupt(messagesOf(state).at(-1)),
        ["user", "as a pair"],
        { role: "assistant", content: "as a role" },
      ],
    }))
    .addEdge(START, "model")
    .addEdge("model", "tool")
    .addEdge("tool", "person")
    .addConditionalEdges("person", (state) => (messagesOf(state).length > 12 ? END : "model"))
    .compile({ checkpointer: new library.MemorySaver() });
}

/** Ids that an engine has minted are told apart by where they come up first. */
function shown(value: unknown): unknown {
  const seen = new Map<string, string>();
  const name = (id: string): string => {
    if (!/^[0-9a-f-]{36}$/.test(id)) return id;
    return seen.get(id) ?? seen.set(id, `minted ${seen.size}`).get(id) ?? id;
  };
  const show = (message: BaseMessage): unknown => {
    const { id, ...fields } = fieldsOf(message);
    return [message.constructor.name, { ...fields, id: name(String(id)) }];
  };
  return (value as BaseMessage[]).map(show);
}

async function play(library: Library, chat: Chat): Promise<unknown> {
  const graph = chatOf(library, chat);
  const config: Config = { configurable: { thread_id: "t" } };
  const record: unknown[] = [];
  const note = async (state: State): Promise<void> => {
    record.push(shown(messagesOf(state)));
    const saved = await graph.getState(config);
    record.push(shown(messagesOf(saved.values)), saved.next);
    for (const task of saved.tasks) record.push(shown(task.interrupts.map(({ value }) => value)));
  };
  await note(
    await graph.invoke(
      { messages: [new HumanMessage("hi"), { role: "user", content: "plain" }, "text"] },
      config,
    ),
  );
  await note(
    await graph.invoke(
      new library.Command({ resume: new HumanMessage({ content: "answer", name: "me" }) }),
      config,
    ),
  );
  await note(await graph.invoke(new library.Command({ resume: new HumanMessage("end") }), config));
  for await (const { values } of graph.getStateHistory(config)) record.push(shown(messagesOf(values)));
  return record;
}

describe("a chat of LangChain's messages", () => {
  it("ends in the messages that it ends in under LangGraph, at each step of its history", async () => {
    const [expected, found] = await Promise.all(engines.map(([library, chat]) => play(library, chat)));
    expect(found).toEqual(expected);
    expect(JSON.stringify(found)).toContain("ToolMessage");
  });
});
