import { describe, expect, it } from "vitest";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { Log } from "../../support/log.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

describe("a graph inside a node", () => {
  function outerGraph(runs: Record<string, number>) {
    const inner = new StateGraph(Log)
      .addNode("before", () => {
        runs["before"] = (runs["before"] ?? 0) + 1;
        return { log: ["before"] };
      })
      .addNode("ask", () => ({ log: [String(interrupt("inner?"))] }))
      .addEdge(START, "before")
      .addEdge("before", "ask")
      .addEdge("ask", END)
      .compile();
    return new StateGraph(Log)
      .addNode("nested", async () => ({ log: (await inner.invoke({ log: [] })).log }))
      .addNode("after", () => ({ log: ["after"] }))
      .addEdge(START, "nested")
      .addEdge("nested", "after")
      .addEdge("after", END)
      .compile();
  }

  it("asks through the thread, keeps what it has done over an eviction, and goes on", async () => {
    const runs: Record<string, number> = {};
    deploy({ graph: outerGraph(runs) });
    const thread = new TestThread();
    const paused = await thread.invoke({ input: { log: ["in"] } });
    expect(paused).toMatchObject({ status: "interrupted", next: ["nested"] });
    expect(paused.interrupts.map((question) => question.value)).toEqual(["inner?"]);
    await thread.evict();
    const done = await thread.resume({ interrupt_id: paused.interrupts[0]?.id, value: "yes" });
    expect(done).toMatchObject({ status: "success", values: { log: ["in", "before", "yes", "after"] } });
    expect(runs).toEqual({ before: 1 });
    const history = await thread.history();
    expect(history.map((state) => state.next)).toEqual([[], ["after"], ["nested"], ["__start__"]]);
  });
});
