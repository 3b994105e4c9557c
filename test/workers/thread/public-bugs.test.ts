import { expect, it } from "vitest";
import { interrupt, START, StateGraph, Annotation } from "../../../src/index.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

/** Faults that users met in systems like this one, by their ids in the collection of cases: deployments, and what they store. */

const State = Annotation.Root({ answer: Annotation<string>() });

it("MIG-05: a question is answered under a deployment long after the one that asked it", async () => {
  const asking = (version: number) =>
    new StateGraph(State)
      .addNode("ask", () => ({
        answer: `${interrupt<string, string>("ok?")}, answered by version ${version}`,
      }))
      .addEdge(START, "ask")
      .compile();
  deploy({ asking: asking(0) });
  const thread = new TestThread();
  const { interrupts } = await thread.invoke({ input: {} });
  for (let version = 1; version <= 30; version++) {
    deploy({ asking: asking(version) });
    await thread.evict();
    expect((await thread.state()).interrupts).toEqual(interrupts);
  }
  const answered = await thread.resume({ interrupt_id: interrupts[0]?.id, value: "yes" });
  expect(answered).toMatchObject({ status: "success", values: { answer: "yes, answered by version 30" } });
});

it("STO-05: what a run streams does not fill the tables", async () => {
  const speaking = new StateGraph(State)
    .addNode("speak", (_, { writer }) => {
      for (let token = 0; token < 5000; token++) writer?.(`token ${token}`);
      return { answer: "done" };
    })
    .addEdge(START, "speak")
    .compile();
  deploy({ speaking });
  const thread = new TestThread();
  const events = await thread.stream({ input: {}, stream_mode: "custom" });
  expect(events.filter(({ event }) => event === "custom")).toHaveLength(5000);
  const rows = Object.values(await thread.rowCounts()).reduce((sum, count) => sum + count, 0);
  expect(rows).toBeLessThan(100);
});
