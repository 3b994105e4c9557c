import { describe, expect, it } from "vitest";
import {
  Annotation,
  Command,
  END,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "../../../src/index.ts";
import { parseRunInput } from "../../../src/pregel/run-input.ts";
import type { RunnableGraph } from "../../../src/pregel/runnable-graph.ts";
import type { StreamEvent } from "../../../src/pregel/types.ts";
import { ToldGraphs, type TellGraph } from "../../../src/thread/events/told-graphs.ts";
import type { ProtocolEvent } from "../../../src/thread/feed/protocol-event.ts";
import { PROTOCOL_MODES, ProtocolEvents } from "../../../src/thread/feed/protocol-events.ts";

const State = Annotation.Root({ said: Annotation<string> });

const inner = new StateGraph(State)
  .addNode("ask", () => ({ said: interrupt<string, string>("May I?") }))
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();

/** What the engine tells of a run, in the words of the protocol. */
async function told(
  graph: RunnableGraph,
  input: unknown,
): Promise<{ readonly events: readonly ProtocolEvent[]; readonly asked: ProtocolEvents["asked"] }> {
  const translator = new ProtocolEvents();
  const events: ProtocolEvent[] = [];
  const tellGraph: TellGraph = (...became) => events.push(...translator.graph(...became));
  await graph.run(parseRunInput(input), {
    configurable: { thread_id: "t" },
    modes: PROTOCOL_MODES,
    subgraphs: true,
    emit: (event) => events.push(...translator.push(event)),
    span: new ToldGraphs(tellGraph, undefined),
  });
  return { events: [...events, ...translator.end()], asked: translator.asked };
}

const short = ({ method, namespace, data }: ProtocolEvent): string => {
  const event = method === "lifecycle" ? `:${(data as { event: string }).event}` : "";
  return [method + event, ...namespace.map((part) => part.split(":", 1)[0])].join(" ");
};

describe("what the engine tells, in the words of the protocol", () => {
  it("has each checkpoint before its values, and the graphs inside nodes from their beginning to their end", async () => {
    const graph = new StateGraph(State)
      .addNode("sub", inner)
      .addEdge(START, "sub")
      .addEdge("sub", END)
      .compile({ checkpointer: new MemorySaver() });
    const first = await told(graph, { said: "" });
    expect(first.events.map(short)).toEqual([
      "checkpoints",
      "checkpoints",
      "values",
      "tasks",
      "lifecycle:started sub",
      "checkpoints sub",
      "checkpoints sub",
      "values sub",
      "tasks sub",
      "tasks sub",
      "lifecycle:interrupted sub",
      "tasks",
    ]);
    const [[id, namespace] = []] = [...first.asked];
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(namespace).toEqual([expect.stringMatching(/^sub:/)]);
    const second = await told(graph, new Command({ resume: "yes" }));
    expect(second.events.map(short).slice(-6)).toEqual([
      "values sub",
      "lifecycle:completed sub",
      "updates",
      "tasks",
      "checkpoints",
      "values",
    ]);
    expect(second.events.at(-1)).toEqual({ method: "values", namespace: [], data: { said: "yes" } });
    const checkpoint = second.events.findLast(({ method }) => method === "checkpoints");
    expect(checkpoint?.data).toEqual({
      id: expect.any(String),
      parent_id: expect.any(String),
      step: 1,
      source: "loop",
    });
  });

  it("tells what nodes write with the node, and what they emit as a payload", async () => {
    const graph = new StateGraph(State)
      .addNode("speak", (_, config) => {
        config.writer({ percent: 50 });
        config.writer({ name: "status", payload: "half" });
        return { said: "hello" };
      })
      .addEdge(START, "speak")
      .addEdge("speak", END)
      .compile({ checkpointer: new MemorySaver() });
    const { events } = await told(graph, { said: "" });
    const of = (wanted: string) => events.filter(({ method }) => method === wanted);
    expect(of("updates")).toEqual([
      { method: "updates", namespace: [], node: "speak", data: { said: "hello" } },
    ]);
    expect(of("custom")).toEqual([
      { method: "custom", namespace: [], data: { payload: { percent: 50 } } },
      { method: "custom", namespace: [], data: { name: "status", payload: "half" } },
    ]);
    // What a task is given stands in the values before it.
    expect(of("tasks").map(({ data }) => Object.keys(data as object))).toEqual([
      ["id", "name", "triggers", "interrupts"],
      ["id", "name", "result", "interrupts", "error"],
    ]);
  });

  it("tells the messages of nodes, and not again those of an input, which have their ids in the values only", async () => {
    const answering = new StateGraph(MessagesAnnotation)
      .addNode("answer", () => ({ messages: [{ type: "ai", id: "a", content: "Hello." }] }))
      .addEdge(START, "answer")
      .addEdge("answer", END)
      .compile();
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("inner", answering)
      .addEdge(START, "inner")
      .addEdge("inner", END)
      .compile({ checkpointer: new MemorySaver() });
    const { events } = await told(graph, { messages: [{ type: "human", content: "hello" }] });
    const begun = events.flatMap(({ method, data }) => {
      const { event, id } = data as { event?: string; id?: string };
      return method === "messages" && event === "message-start" ? [id] : [];
    });
    expect(begun).toEqual(["a"]);
  });

  it("tells a message without an id under the one that the state gives it, before its values", async () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("first", () => ({ messages: [{ type: "ai", content: "Done." }] }))
      .addNode("second", () => ({
        messages: [
          { type: "ai", content: "Done." },
          { type: "tool", content: "Done.", tool_call_id: "c" },
        ],
      }))
      .addEdge(START, "first")
      .addEdge("first", "second")
      .addEdge("second", END)
      .compile({ checkpointer: new MemorySaver() });
    const { events } = await told(graph, { messages: [{ type: "ai", content: "Done." }] });
    const known = new Set<unknown>();
    for (const { method, data } of events) {
      const { event, id } = data as { event?: string; id?: string };
      if (method === "messages" && event === "message-start") known.add(id);
      if (method !== "values") continue;
      const { messages } = data as { messages: { id: string }[] };
      expect(messages.slice(1).map((message) => message.id)).toEqual([...known]);
    }
    expect(known.size).toBe(3);
  });

  it("leaves a message without an id to a state that gives none, and tells it where no state has it", async () => {
    const Said = Annotation.Root({ said: Annotation<object[]> });
    const graph = new StateGraph(Said)
      .addNode("speak", () => ({ said: [{ type: "ai", content: "Done." }] }))
      .addEdge(START, "speak")
      .addEdge("speak", END)
      .compile({ checkpointer: new MemorySaver() });
    const { events } = await told(graph, { said: [] });
    expect(events.filter(({ method }) => method === "messages")).toEqual([]);
    const translator = new ProtocolEvents();
    const payload = [{ type: "ai", content: "Done." }, { langgraph_node: "a" }];
    expect(translator.push({ mode: "messages", payload, namespace: [] })).toEqual([]);
    expect(translator.push({ mode: "values", payload: { said: "other" }, namespace: [] })).toMatchObject([
      { data: { event: "message-start", id: "-message" } },
      { data: { event: "content-block-start" } },
      { data: { event: "content-block-finish" } },
      { data: { event: "message-finish" } },
    ]);
  });

  it("says of a graph inside a node that it has failed", async () => {
    const failing = new StateGraph(State)
      .addNode("fail", () => {
        throw new Error("It does not work.");
      })
      .addEdge(START, "fail")
      .addEdge("fail", END)
      .compile();
    const graph = new StateGraph(State)
      .addNode("sub", failing)
      .addEdge(START, "sub")
      .addEdge("sub", END)
      .compile({ checkpointer: new MemorySaver() });
    const { events } = await told(graph, { said: "" });
    expect(events.findLast(({ method }) => method === "lifecycle")?.data).toEqual({
      event: "failed",
      graph_name: "sub",
      error: "It does not work.",
    });
  });

  it("tells the values of a graph that keeps no checkpoints, and was cut off", () => {
    const translator = new ProtocolEvents();
    const values = (said: string): StreamEvent => ({ mode: "values", payload: { said }, namespace: ["s:1"] });
    const events = [...translator.push(values("a")), ...translator.push(values("b")), ...translator.end()];
    expect(events.map(short)).toEqual([
      "lifecycle:started s",
      "values s",
      "values s",
      "lifecycle:interrupted s",
    ]);
  });

  it.each([
    [
      { event: "on_tool_start", toolCallId: "c1", name: "search", input: '{"q":"x"}' },
      { event: "tool-started", tool_call_id: "c1", tool_name: "search", input: { q: "x" } },
    ],
    [
      { event: "on_tool_event", toolCallId: "c1", name: "search", data: "half" },
      { event: "tool-output-delta", tool_call_id: "c1", delta: "half" },
    ],
    [
      { event: "on_tool_end", toolCallId: "c1", name: "search", output: { n: 1 } },
      { event: "tool-finished", tool_call_id: "c1", output: { n: 1 } },
    ],
    [
      { event: "on_tool_error", toolCallId: "c1", name: "search", error: new Error("no") },
      { event: "tool-error", tool_call_id: "c1", message: "no" },
    ],
  ])("tells what tools do: %o", (payload, data) => {
    expect(new ProtocolEvents().push({ mode: "tools", payload })).toEqual([
      { method: "tools", namespace: [], data },
    ]);
  });
});
