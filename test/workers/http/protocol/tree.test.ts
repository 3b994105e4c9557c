import { expect, it } from "vitest";
import { Annotation, END, interrupt, START, StateGraph } from "../../../../src/index.ts";
import { command, ends, eventsUntil, start } from "../../../support/protocol.ts";
import { TestThread } from "../../../support/threads.ts";
import { deploy } from "../../graphs.ts";

const State = Annotation.Root({
  said: Annotation<readonly string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});

const leaf = new StateGraph(State)
  .addNode("say", () => ({ said: ["leaf"] }))
  .addEdge(START, "say")
  .addEdge("say", END)
  .compile();

const done = new StateGraph(State)
  .addNode("leaf", leaf)
  .addEdge(START, "leaf")
  .addEdge("leaf", END)
  .compile();

const asks = new StateGraph(State)
  .addNode("ask", () => ({ said: [interrupt<string, string>("Well?")] }))
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();

const graph = new StateGraph(State)
  .addNode("done", done)
  .addNode("asks", asks)
  .addEdge(START, "done")
  .addEdge("done", "asks")
  .addEdge("asks", END)
  .compile();

const treeOf = async (thread: TestThread, run_id?: string) =>
  (await command(thread, "agent.getTree", run_id === undefined ? {} : { run_id })).result?.["tree"];

const inTask = (...names: string[]) =>
  names.map((name) => expect.stringMatching(new RegExp(`^${name}:`, "u")) as unknown);

it("a run's tree has the graphs inside its nodes, those that have ended and those that wait", async () => {
  deploy({ graph });
  const thread = new TestThread();
  const first = await start(thread, { said: [] });
  await eventsUntil(thread, ends());
  const ended = {
    namespace: inTask("done"),
    status: "completed",
    graph_name: "done",
    children: [{ namespace: inTask("done", "leaf"), status: "completed", graph_name: "leaf" }],
  };
  expect(await treeOf(thread)).toEqual({
    namespace: [],
    status: "interrupted",
    graph_name: "graph",
    children: [ended, { namespace: inTask("asks"), status: "interrupted", graph_name: "asks" }],
  });

  const second = await start(thread, "yes");
  await eventsUntil(thread, ends(2), { channels: ["lifecycle"] });
  const asked = { namespace: inTask("asks"), status: "completed", graph_name: "asks" };
  expect(await treeOf(thread)).toEqual({
    namespace: [],
    status: "completed",
    graph_name: "graph",
    children: [asked],
  });
  expect(await treeOf(thread, second)).toMatchObject({ children: [asked] });
  expect(await treeOf(thread, first)).toMatchObject({ children: [ended] });
});
