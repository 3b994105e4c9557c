import { describe, expect, it } from "vitest";
import { ProtocolEvents } from "../../../src/thread/feed/protocol-events.ts";

const TASK = "speak:11111111-1111-1111-1111-111111111111";
const METADATA = { langgraph_checkpoint_ns: TASK, langgraph_node: "speak", ls_model_name: "m" };

/** What the pieces of messages, and then the end of their task, come to. */
function told(...messages: readonly object[]): unknown[] {
  const events = new ProtocolEvents();
  const heard = messages.flatMap((message) =>
    events.push({ mode: "messages", payload: [message, METADATA] }),
  );
  const [name, id] = TASK.split(":");
  const payload = { id, name, result: {}, interrupts: [], error: null };
  const ended = events.push({ mode: "tasks", payload });
  return [...heard, ...ended]
    .filter(({ method }) => method === "messages")
    .map(({ data }) => {
      const { run_id: _, ...rest } = data as Record<string, unknown>;
      return rest;
    });
}

const piece = (content: unknown, more: object = {}) => ({
  type: "AIMessageChunk",
  id: "run-1",
  content,
  ...more,
});

describe("a message that comes in pieces", () => {
  it("is one block of text, which ends with its task", () => {
    expect(told(piece("hel"), piece("lo"))).toEqual([
      { event: "message-start", id: "run-1", role: "ai", metadata: { model: "m" } },
      { event: "content-block-start", index: 0, content: { type: "text", text: "" } },
      { event: "content-block-delta", index: 0, delta: { type: "text-delta", text: "hel" } },
      { event: "content-block-delta", index: 0, delta: { type: "text-delta", text: "lo" } },
      { event: "content-block-finish", index: 0, content: { type: "text", text: "hello" } },
      { event: "message-finish", reason: "stop" },
    ]);
  });

  it("comes from the task, and says which of several it is", () => {
    const events = new ProtocolEvents();
    const [start] = events.push({ mode: "messages", payload: [piece("a"), METADATA] });
    expect(start).toMatchObject({ namespace: [TASK], node: "speak", data: { run_id: "1" } });
  });

  it("ends a block before it begins the next, and reads the arguments of tools", () => {
    const call = (part: object) => piece("", { tool_call_chunks: [{ index: 0, ...part }] });
    const events = told(
      piece([{ type: "thinking", thinking: "hm", index: 0 }]),
      piece("I look."),
      call({ id: "c1", name: "search", args: '{"q":' }),
      call({ name: null, id: null, args: '"x"}' }),
    );
    expect(events.slice(1)).toEqual([
      { event: "content-block-start", index: 0, content: { type: "reasoning", reasoning: "" } },
      { event: "content-block-delta", index: 0, delta: { type: "reasoning-delta", reasoning: "hm" } },
      {
        event: "content-block-finish",
        index: 0,
        content: { type: "reasoning", thinking: "hm", reasoning: "hm", index: 0 },
      },
      { event: "content-block-start", index: 1, content: { type: "text", text: "" } },
      { event: "content-block-delta", index: 1, delta: { type: "text-delta", text: "I look." } },
      { event: "content-block-finish", index: 1, content: { type: "text", text: "I look." } },
      {
        event: "content-block-start",
        index: 2,
        content: { type: "tool_call_chunk", id: "c1", name: "search", args: "" },
      },
      { event: "content-block-delta", index: 2, delta: { type: "tool-call-delta", args: '{"q":' } },
      { event: "content-block-delta", index: 2, delta: { type: "tool-call-delta", args: '"x"}' } },
      {
        event: "content-block-finish",
        index: 2,
        content: { type: "tool_call", id: "c1", name: "search", args: { q: "x" } },
      },
      { event: "message-finish", reason: "stop" },
    ]);
  });

  it("says so when the arguments of a tool are no JSON", () => {
    const events = told(piece("", { tool_call_chunks: [{ index: 0, id: "c1", name: "search", args: "{" }] }));
    expect(events.at(-2)).toMatchObject({
      event: "content-block-finish",
      content: { type: "invalid_tool_call", id: "c1", name: "search", args: "{" },
    });
  });

  it("adds up its usage, and keeps the last reason", () => {
    const events = told(
      piece("a", { usage_metadata: { input_tokens: 3, output_tokens: 1 } }),
      piece("b", {
        usage_metadata: { input_tokens: 0, output_tokens: 2 },
        response_metadata: { finish_reason: "length" },
      }),
    );
    expect(events.at(-1)).toEqual({
      event: "message-finish",
      reason: "length",
      usage: { input_tokens: 3, output_tokens: 3 },
    });
  });
});

describe("a whole message", () => {
  it("is told at once, with its role", () => {
    expect(told({ type: "human", id: "h1", content: "hello" })).toEqual([
      { event: "message-start", id: "h1", role: "human", metadata: { model: "m" } },
      { event: "content-block-start", index: 0, content: { type: "text", text: "hello" } },
      { event: "content-block-finish", index: 0, content: { type: "text", text: "hello" } },
      { event: "message-finish", reason: "stop" },
    ]);
  });

  it("of a tool says which call it answers", () => {
    const [start] = told({ type: "tool", id: "t1", content: "42", tool_call_id: "c1" });
    expect(start).toMatchObject({ event: "message-start", role: "tool", tool_call_id: "c1" });
  });

  it("has its calls of tools once, whatever its content repeats", () => {
    const message = {
      type: "ai",
      id: "a1",
      content: [{ type: "tool_use", id: "c1", name: "search", input: {} }],
      tool_calls: [{ id: "c1", name: "search", args: {}, type: "tool_call" }],
    };
    expect(told(message).filter((event) => JSON.stringify(event).includes("content-block-finish"))).toEqual([
      {
        event: "content-block-finish",
        index: 0,
        content: { id: "c1", name: "search", args: {}, type: "tool_call" },
      },
    ]);
  });

  it("that was streamed before is not told again", () => {
    const events = told(piece("hello"), { type: "ai", id: "run-1", content: "hello" });
    expect(events.filter((event) => JSON.stringify(event).includes("message-start"))).toHaveLength(1);
  });
});
