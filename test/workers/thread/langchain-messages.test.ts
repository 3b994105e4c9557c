import * as messages from "@langchain/core/messages";
import { AIMessage, BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import {
  Annotation,
  interrupt,
  MessagesAnnotation,
  registerMessages,
  Send,
  START,
  StateGraph,
} from "../../../src/index.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

registerMessages(messages);

const State = Annotation.Root({ ...MessagesAnnotation.spec, last: Annotation<BaseMessage>() });
const call = { name: "add", args: { a: 1 }, id: "c1", type: "tool_call" as const };

/** Notes of each message that a node is given whether it is an instance. */
function chat(seen: boolean[]) {
  const note = (message: unknown): void => {
    seen.push(message instanceof BaseMessage);
  };
  return new StateGraph(State)
    .addNode("model", (state) => {
      state.messages.forEach(note);
      const answer = new AIMessage({
        id: `ai ${state.messages.length}`,
        content: "let me see",
        tool_calls: [call],
      });
      return { messages: [answer], last: answer };
    })
    .addNode("tool", (message: unknown) => {
      note(message);
      const [asked] = message instanceof AIMessage ? (message.tool_calls ?? []) : [];
      return { messages: [new ToolMessage({ id: "tool", content: "2", tool_call_id: asked?.id ?? "" })] };
    })
    .addNode("person", (state) => {
      state.messages.forEach(note);
      note(state.last);
      const answer = interrupt<BaseMessage, string>(state.last);
      return { messages: [new HumanMessage({ id: "answer", content: answer })] };
    })
    .addEdge(START, "model")
    .addConditionalEdges("model", ({ last }) => [new Send("tool", last)], ["tool"])
    .addEdge("tool", "person")
    .compile();
}

describe("LangChain's messages in a thread object", () => {
  it("are instances for the nodes and plain JSON over HTTP, also after the object was evicted", async () => {
    const seen: boolean[] = [];
    deploy({ chat: chat(seen) });
    const thread = new TestThread();
    const asked = await thread.invoke({
      input: { messages: [{ role: "user", content: "1 + 1?", id: "h" }] },
    });
    expect(asked.interrupts[0]?.value).toMatchObject({
      type: "ai",
      content: "let me see",
      tool_calls: [call],
    });
    expect(JSON.stringify(asked)).not.toMatch(/"lc"|lc_/);

    await thread.evict();
    const answered = await thread.resume({ interrupt_id: asked.interrupts[0]?.id, value: "good" });
    expect(answered.values["messages"]).toEqual([
      { type: "human", id: "h", content: "1 + 1?", additional_kwargs: {}, response_metadata: {} },
      expect.objectContaining({ type: "ai", id: "ai 1", tool_calls: [call], invalid_tool_calls: [] }),
      expect.objectContaining({ type: "tool", id: "tool", tool_call_id: "c1", content: "2" }),
      expect.objectContaining({ type: "human", id: "answer", content: "good" }),
    ]);

    await thread.evict();
    expect((await thread.state()).values).toEqual(answered.values);
    const history = await thread.history();
    expect(JSON.stringify(history)).not.toMatch(/"lc"|lc_/);
    const again = await thread.invoke({ input: { messages: "more" } });
    // The tool's message takes the place of the one with its id.
    expect(again.values["messages"]).toHaveLength(6);
    expect(seen.length).toBeGreaterThan(15);
    expect(seen).not.toContain(false);
  });

  it("are plain JSON in streams", async () => {
    deploy({ chat: chat([]) });
    const events = await new TestThread().stream({
      input: { messages: [["user", "hi"]] },
      stream_mode: ["updates", "values"],
    });
    expect(JSON.stringify(events)).toContain("let me see");
    expect(JSON.stringify(events)).not.toMatch(/"lc\\*"|lc_/);
  });

  it("can be edited as JSON", async () => {
    const seen: boolean[] = [];
    deploy({ chat: chat(seen) });
    const thread = new TestThread();
    await thread.invoke({ input: { messages: "hi" } });
    await thread.update({ values: { messages: [{ type: "ai", id: "ai 1", content: "changed" }] } });
    expect((await thread.state()).values["messages"]).toMatchObject([
      { type: "human", content: "hi" },
      { type: "ai", id: "ai 1", content: "changed" },
      { type: "tool" },
    ]);
  });
});
