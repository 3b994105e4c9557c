import { expect, it } from "vitest";
import { Annotation, END, Send, START, StateGraph, interrupt } from "../../../src/index.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const TASKS = 105;
const MEBI = 1024 * 1024;
const file = new Uint8Array(MEBI).fill(7);
const State = Annotation.Root({
  size: Annotation<number, Uint8Array>({ reducer: (left, right) => left + right.length, default: () => 0 }),
});
const graph = new StateGraph(State)
  .addNode("file", () => ({ size: file }))
  .addNode("ask", () => ({ size: new Uint8Array(interrupt<string, number>("How many more?")) }))
  .addConditionalEdges(
    START,
    () => [...Array.from({ length: TASKS }, () => new Send("file", {})), new Send("ask", {})],
    ["file", "ask"],
  )
  .addEdge("file", END)
  .addEdge("ask", END)
  .compile();

it("a thread is read again whose tasks have returned the same large bytes beside one that asks", async () => {
  deploy({ graph });
  const thread = new TestThread();
  const paused = await thread.invoke({ input: { size: [] } });
  await thread.evict();
  const ended = await thread.resume({ interrupt_id: paused.interrupts[0]?.id, value: 3 });
  expect(ended).toMatchObject({ status: "success", values: { size: TASKS * MEBI + 3 } });
});
