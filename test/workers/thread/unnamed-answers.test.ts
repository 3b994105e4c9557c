import { describe, expect, it } from "vitest";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { Log } from "../../support/log.ts";
import { json, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const asking = new StateGraph(Log)
  .addNode("ask", async () => {
    const first = String(interrupt("first?"));
    // While it goes on, the same answer comes again.
    await scheduler.wait(150);
    return { log: [first, String(interrupt("delete everything?"))] };
  })
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();

async function paused(): Promise<TestThread> {
  deploy({ asking });
  const thread = new TestThread();
  await thread.invoke({ input: { log: [] } });
  return thread;
}

function answer(thread: TestThread, resume: unknown): Promise<unknown> {
  return json(thread.post("/runs/wait", { command: { resume } }));
}

describe("an answer that names no question", () => {
  it("answers the one that is open, once, however often it comes while its run goes on", async () => {
    const thread = await paused();
    const answers = await Promise.all([1, 2, 3].map(() => answer(thread, "yes")));
    for (const each of answers)
      expect(each).toMatchObject({ __interrupt__: [{ value: "delete everything?" }] });
    expect((await thread.state()).interrupts).toMatchObject([{ value: "delete everything?" }]);
    const runs = (await thread.get("/runs")) as { answers?: unknown[] }[];
    expect(runs.map((run) => run.answers?.length ?? 0)).toEqual([1, 0]);
    expect(await answer(thread, "no")).toMatchObject({ log: ["yes", "no"] });
  });

  it("loses against another one that came before it", async () => {
    const thread = await paused();
    const outcomes = await Promise.allSettled(["yes", "no"].map((resume) => answer(thread, resume)));
    expect(outcomes.map(({ status }) => status).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      "fulfilled",
      "rejected",
    ]);
    expect((await thread.state()).interrupts).toMatchObject([{ value: "delete everything?" }]);
  });
});
