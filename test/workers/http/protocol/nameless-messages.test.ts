import { expect, it } from "vitest";
import { END, MessagesAnnotation, START, StateGraph } from "../../../../src/index.ts";
import { Gate } from "../../../support/gate.ts";
import { ends, eventsUntil, start, type ThreadEvent } from "../../../support/protocol.ts";
import { TestThread } from "../../../support/threads.ts";
import { deploy } from "../../graphs.ts";

/** What a node returns without an id. */
const says = (content: string) => () => ({ messages: [{ type: "ai", content }] });

/** Messages without ids, before the gate: of the graph itself, and of one inside a node. */
const before = (gate: Gate) => {
  const inner = new StateGraph(MessagesAnnotation)
    .addNode("whisper", says("inside"))
    .addNode("wait", () => gate.pass().then(() => ({})))
    .addEdge(START, "whisper")
    .addEdge("whisper", "wait")
    .compile();
  const alone = new StateGraph(MessagesAnnotation)
    .addNode("first", says("outside"))
    .addNode("wait", () => gate.pass().then(() => ({})))
    .addEdge(START, "first")
    .addEdge("first", "wait")
    .addEdge("wait", END)
    .compile();
  const around = new StateGraph(MessagesAnnotation)
    .addNode("inner", inner)
    .addEdge(START, "inner")
    .addEdge("inner", END)
    .compile();
  const whispering = new StateGraph(MessagesAnnotation)
    .addNode("whisper", says("inside"))
    .addEdge(START, "whisper")
    .compile();
  const returned = new StateGraph(MessagesAnnotation)
    .addNode("inner", whispering)
    .addEdge(START, "inner")
    .compile();
  return { alone, around, returned };
};

const begun = (events: readonly ThreadEvent[]) =>
  events.flatMap(({ method, params: { data } }) =>
    method === "messages" && data["event"] === "message-start" ? [data["id"]] : [],
  );

async function idsOf(thread: TestThread): Promise<unknown[]> {
  const { messages } = (await thread.state()).values as { messages: readonly { readonly id: string }[] };
  return messages.slice(1).map(({ id }) => id);
}

const input = { messages: [{ type: "human", id: "h", content: "go" }] };

it.each(["alone", "around", "returned"] as const)(
  "a message without an id is told once: %s",
  async (name) => {
    const gate = new Gate();
    gate.open();
    deploy({ graph: before(gate)[name] });
    const thread = new TestThread();
    await start(thread, input);
    expect(begun(await eventsUntil(thread, ends()))).toEqual(await idsOf(thread));
  },
);

it.each(["alone", "around"] as const)(
  "a message without an id is not lost with an object that stops after its superstep: %s",
  async (name) => {
    const gate = new Gate();
    deploy({ graph: before(gate)[name] });
    const thread = new TestThread();
    await start(thread, input);
    await gate.reached();
    await thread.inside(({ storage }) => storage.sync());
    await thread.crash();
    gate.open();
    // A next attempt may say again what a graph inside a node has said, under its id.
    const told = new Set(begun(await eventsUntil(thread, ends())));
    expect([...told]).toEqual(await idsOf(thread));
  },
);
