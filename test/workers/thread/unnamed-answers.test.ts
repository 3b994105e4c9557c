import { describe, expect, it } from "vitest";
import { END, interrupt, sleep, START, StateGraph } from "../../../src/index.ts";
import { Gate, until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { start } from "../../support/protocol.ts";
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

  it.each(["resume", "run.start"])("is none to a time that has come: %s", async (way) => {
    const gate = new Gate();
    let hasWoken = false;
    const graph = new StateGraph(Log)
      .addNode("ask", () => ({ log: [String(interrupt("sure?"))] }))
      .addNode("sleep", async () => {
        sleep(100);
        hasWoken = true;
        await gate.pass();
        return { log: ["woken"] };
      })
      .addConditionalEdges(START, () => (way === "resume" ? ["ask", "sleep"] : ["sleep"]))
      .addEdge("ask", END)
      .addEdge("sleep", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    await thread.invoke({ input: { log: [] } });
    await until(() => hasWoken);
    if (way === "resume") await json(thread.post("/runs", { command: { resume: "yes" } }));
    else await start(thread, { log: ["yes"] });
    gate.open();
    await until(async () => ((await thread.state()).values["log"] as string[]).includes("yes"));
    expect((await thread.state()).values["log"]).toEqual(expect.arrayContaining(["woken", "yes"]));
  });
});
