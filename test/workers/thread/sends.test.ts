import { describe, expect, it } from "vitest";
import { END, Send, START, StateGraph } from "../../../src/index.ts";
import { Gate, until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const names = Array.from({ length: 10 }, (_, n) => String(n));

describe("ten Sends that end in any order", () => {
  it("are reduced in the order of sending (SND-05)", async () => {
    const graph = new StateGraph(Log)
      .addNode("worker", async (name: unknown) => {
        await scheduler.wait(Math.random() * 8);
        return { log: [String(name)] };
      })
      .addConditionalEdges(START, () => names.map((name) => new Send("worker", name)))
      .addEdge("worker", END)
      .compile();
    deploy({ graph });
    for (let round = 0; round < 5; round++) {
      const answer = await new TestThread().invoke({ input: { log: [] } });
      expect(answer.values).toEqual({ log: names });
    }
  });

  it("are so too when the object stops halfway, and those that had finished do not run again (SND-05)", async () => {
    const gate = new Gate();
    const runs = new Map<string, number>();
    const graph = new StateGraph(Log)
      .addNode("worker", async (input: unknown) => {
        const name = String(input);
        runs.set(name, (runs.get(name) ?? 0) + 1);
        if (Number(name) < 5) await gate.pass();
        return { log: [name] };
      })
      .addConditionalEdges(START, () => names.map((name) => new Send("worker", name)))
      .addEdge("worker", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const answer = thread.invoke({ input: { log: [] } });
    await gate.reached(5);
    const stored = "SELECT 1 FROM writes WHERE checkpoint = (SELECT max(id) FROM checkpoints)";
    await until(async () => (await thread.sql(stored)).length === 5);
    await thread.crash();
    gate.open();
    expect((await answer).values).toEqual({ log: names });
    expect(names.map((name) => runs.get(name))).toEqual([2, 2, 2, 2, 2, 1, 1, 1, 1, 1]);
  });
});
