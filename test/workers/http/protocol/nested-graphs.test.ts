import { expect, it } from "vitest";
import { END, interrupt, START, StateGraph } from "../../../../src/index.ts";
import { Log } from "../../../support/log.ts";
import { Runs, sequence } from "../../../support/nested.ts";
import { command, ends, eventsUntil, start, type ThreadEvent } from "../../../support/protocol.ts";
import { TestThread } from "../../../support/threads.ts";
import { deploy } from "../../graphs.ts";

/** What the protocol says of graphs inside nodes: where, what, the name of the graph, and with which error. */
function nested(events: readonly ThreadEvent[]): unknown[] {
  return events
    .filter(({ method, params }) => method === "lifecycle" && params.namespace.length > 0)
    .map(({ params: { namespace, data } }) => {
      const where = namespace.map((part) => part.split(":", 1)[0]).join("|");
      return [where, data["event"], data["graph_name"], data["error"]];
    });
}

const runs = new Runs();
const failing = sequence({
  one: runs.step("one", () => {
    throw new RangeError("too far");
  }),
});
const asking = sequence({ ask: runs.step("ask", () => String(interrupt("?"))) });
const around = sequence({ deep: async () => ({ log: (await asking.invoke({ log: [] })).log }) });

it("says of each graph of a node how it has ended when it has, whatever its node makes of that", async () => {
  const graph = new StateGraph(Log)
    .addNode(
      "node",
      async () => {
        await failing.invoke({ log: [] }).catch(() => undefined);
        return { log: (await around.invoke({ log: [] })).log };
      },
      { subgraphs: [failing, around] },
    )
    .addEdge(START, "node")
    .addEdge("node", END)
    .compile();
  deploy({ graph });
  const thread = new TestThread();
  await start(thread, { log: [] });
  const asked = await eventsUntil(thread, ends());
  expect(nested(asked)).toEqual([
    ["node", "started", "node", undefined],
    ["node", "failed", "node", "too far"],
    ["node|1", "started", "node", undefined],
    ["node|1|deep", "started", "deep", undefined],
    ["node|1|deep", "interrupted", "deep", undefined],
    ["node|1", "interrupted", "node", undefined],
  ]);
  await start(thread, "!");
  const answered = await eventsUntil(thread, ends(), { since: asked.at(-1)?.seq });
  expect(nested(answered).slice(-4)).toEqual([
    ["node|1", "started", "node", undefined],
    ["node|1|deep", "started", "deep", undefined],
    ["node|1|deep", "completed", "deep", undefined],
    ["node|1", "completed", "node", undefined],
  ]);
  const { result } = await command(thread, "agent.getTree");
  const part = (name: string) => expect.stringMatching(new RegExp(`^${name}:`, "u")) as unknown;
  const deep = { namespace: [part("node"), "1", part("deep")], status: "completed", graph_name: "deep" };
  const second = {
    namespace: [part("node"), "1"],
    status: "completed",
    graph_name: "node",
    children: [deep],
  };
  expect(result?.["tree"]).toMatchObject({ children: expect.arrayContaining([second]) as unknown });
});

it("says of a graph that pauses before its first node that it is interrupted", async () => {
  const paused = new StateGraph(Log)
    .addNode("one", runs.step("one"))
    .addEdge(START, "one")
    .compile({ interruptBefore: ["one"] });
  const graph = new StateGraph(Log).addNode("node", paused).addEdge(START, "node").compile();
  deploy({ graph });
  const thread = new TestThread();
  await start(thread, { log: [] });
  expect(nested(await eventsUntil(thread, ends()))).toEqual([
    ["node", "started", "node", undefined],
    ["node", "interrupted", "node", undefined],
  ]);
});
