import { describe, expect, it } from "vitest";
import {
  END,
  interrupt,
  MessagesAnnotation,
  type NodeConfig,
  START,
  StateGraph,
} from "../../../../src/index.ts";
import { objectName } from "../../../../src/http/object-name.ts";
import { plan } from "../../../support/crash-points.ts";
import { identifiedEvents, type IdentifiedEvent } from "../../../support/events.ts";
import { Gate } from "../../../support/gate.ts";
import { TestThread, type WireState } from "../../../support/threads.ts";
import { deploy } from "../../graphs.ts";

const gate = new Gate();

const talks = new StateGraph(MessagesAnnotation)
  .addNode("talk", async ({ messages }, { writer }: NodeConfig) => {
    const said = messages.at(-1)?.content;
    if (said === "fail") throw new RangeError("Boo!");
    if (said === "wait") await gate.pass();
    if (said === "ask") interrupt("ok?");
    const message = await writer.message(["one ", "two ", "three"], { id: "answer" });
    return { messages: [message, { type: "tool", id: "tool", content: "found", tool_call_id: "c" }] };
  })
  .addEdge(START, "talk")
  .addEdge("talk", END)
  .compile();

const input = (content: string) => ({ messages: [{ type: "human", id: "question", content }] });

function run(thread: TestThread, content: string, modes: string | readonly string[]): Promise<Response> {
  deploy({ talks });
  return thread.post("/runs/stream", { assistant_id: "talks", input: input(content), stream_mode: modes });
}

const named = (events: readonly IdentifiedEvent[]) =>
  events.map(({ event, data }) => {
    const content = (message: { content: unknown }) => message.content;
    return event === "messages/partial" || event === "messages/complete"
      ? [event, ...(data as { content: unknown }[]).map(content)]
      : [event];
  });

const MESSAGES = [
  ["metadata"],
  ["messages/complete", "hi"],
  ["messages/metadata"],
  ["messages/partial", "one "],
  ["messages/partial", "one two "],
  ["messages/partial", "one two three"],
  ["messages/complete", "one two three", "found"],
  ["end"],
];

describe("a run that was started in LangGraph's words", () => {
  it("tells messages with what has come of them so far, and those that are complete", async () => {
    const events = await identifiedEvents(await run(new TestThread(), "hi", "messages"));
    expect(named(events)).toEqual(MESSAGES);
    const metadata = events.find(({ event }) => event === "messages/metadata");
    expect(metadata?.data).toMatchObject({ answer: { metadata: { langgraph_node: "talk" } } });
  });

  it("tells the modes beside each other, each event once", async () => {
    const all = ["messages", "messages-tuple", "values"];
    const events = named(await identifiedEvents(await run(new TestThread(), "hi", all)));
    expect(events.filter(([event]) => String(event).includes("/"))).toEqual(MESSAGES.slice(1, -1));
    expect(events.filter(([event]) => event === "messages")).toHaveLength(4);
    expect(events.filter(([event]) => event === "values")).toHaveLength(2);
  });

  it("tells the rest of it after any event, as it was told before", async () => {
    const thread = new TestThread();
    const response = await run(thread, "hi", ["messages", "values"]);
    const path = response.headers.get("content-location") ?? "";
    const events = await identifiedEvents(response);
    for (const [index, { id }] of events.entries()) {
      if (id === undefined) continue;
      const rest = await thread.join(path.split("/").at(-1) ?? "", "", { "last-event-id": id });
      expect(await identifiedEvents(rest)).toEqual(events.slice(index + 1));
    }
  });

  it("tells a reader the modes that it asks for", async () => {
    const thread = new TestThread();
    const response = await run(thread, "hi", ["messages", "messages-tuple", "updates"]);
    const runId = (response.headers.get("content-location") ?? "").split("/").at(-1) ?? "";
    await response.text();
    const names = async (query: string) =>
      new Set((await identifiedEvents(await thread.join(runId, query))).map(({ event }) => event));
    expect(await names("?stream_mode=messages-tuple")).toEqual(new Set(["metadata", "messages", "end"]));
    expect(await names('?stream_mode=["updates"]')).toEqual(new Set(["metadata", "updates", "end"]));
    expect(await names("?stream_mode=messages")).toEqual(
      new Set(["metadata", "messages/metadata", "messages/partial", "messages/complete", "end"]),
    );
  });

  it("begins a message anew in another attempt", async () => {
    const thread = new TestThread();
    plan(objectName("", thread.id), { point: "run.committed", time: 2, loss: "lost" });
    const events = named(await identifiedEvents(await run(thread, "hi", "messages")));
    expect(events.filter(([event]) => event === "messages/partial").at(-1)).toEqual([
      "messages/partial",
      "one two three",
    ]);
    expect(events.at(-1)).toEqual(["end"]);
  });

  it("ends with what a node threw, in its own words", async () => {
    const events = await identifiedEvents(await run(new TestThread(), "fail", "values"));
    expect(events.at(-1)).toMatchObject({
      event: "error",
      data: { error: "RangeError", message: "Boo!", code: "node_failed" },
    });
  });

  it("just ends when it is cancelled", async () => {
    const thread = new TestThread();
    const response = await run(thread, "wait", "values");
    const runId = (response.headers.get("content-location") ?? "").split("/").at(-1) ?? "";
    await gate.reached();
    await thread.post(`/runs/${runId}/cancel`, {});
    gate.open();
    expect((await identifiedEvents(response)).at(-1)).toMatchObject({
      event: "end",
      data: { run_id: runId, status: "interrupted" },
    });
  });

  it("tells of a checkpoint where it is, and its parent", async () => {
    const thread = new TestThread();
    const events = await identifiedEvents(await run(thread, "hi", "debug"));
    const told = events
      .map(({ data }) => data as { type: string; payload: WireState })
      .filter(({ type }) => type === "checkpoint")
      .map(({ payload: { checkpoint, parent_checkpoint } }) => ({ checkpoint, parent_checkpoint }));
    const states = await thread.history();
    expect(told.toReversed()).toEqual(
      states.map(({ checkpoint, parent_checkpoint }) => ({ checkpoint, parent_checkpoint })),
    );
  });

  it("tells events as LangChain does", async () => {
    const thread = new TestThread();
    const events = await identifiedEvents(await run(thread, "hi", "events"));
    const told = events
      .filter(({ event }) => event === "events")
      .map(({ data }) => data as { event: string; name: string; data: { chunk?: { content: string } } });
    expect(told.map(({ event, name, data }) => [event, data.chunk?.content ?? name])).toEqual([
      ["on_chain_start", "talks"],
      ["on_chain_start", "talk"],
      ["on_chat_model_stream", "one "],
      ["on_chat_model_stream", "two "],
      ["on_chat_model_stream", "three"],
      ["on_chain_end", "talk"],
      ["on_chain_end", "talks"],
    ]);
    expect(new Set(events.map(({ event }) => event))).toEqual(new Set(["metadata", "events", "end"]));
  });

  it("says its modes as they were said", async () => {
    const thread = new TestThread();
    await (await run(thread, "hi", ["messages-tuple", "messages"])).text();
    const [{ kwargs }] = (await thread.get("/runs")) as [{ kwargs: unknown }];
    expect(kwargs).toMatchObject({ stream_mode: ["messages-tuple", "messages"] });
  });
});
