import { expect, it } from "vitest";
import { Annotation, END, START, StateGraph } from "../../../../src/index.ts";
import { ends, eventsUntil, start, summary } from "../../../support/protocol.ts";
import { TestThread } from "../../../support/threads.ts";
import { deploy } from "../../graphs.ts";

const COUNT = 28;

/** Emits more than is kept of a run. */
const graph = new StateGraph(Annotation.Root({ said: Annotation<string> }))
  .addNode("emit", async (_, config) => {
    const text = "x".repeat(500_000);
    for (let index = 0; index < COUNT; index++) {
      config.writer({ index, text });
      await scheduler.wait(0);
    }
    return {};
  })
  .addEdge(START, "emit")
  .addEdge("emit", END)
  .compile();

it("events that are not kept any more leave a gap, which is told to whoever has not had them", async () => {
  deploy({ graph });
  const thread = new TestThread();
  const reading = eventsUntil(thread, ({ method }) => method === "custom", { channels: ["custom"] });
  await start(thread, { said: "" });
  const since = (await reading).at(-1)?.seq;
  await eventsUntil(thread, ends(), { channels: ["lifecycle"] });
  const filter = { channels: ["custom", "lifecycle"], since };
  const heard = await eventsUntil(thread, ends(), filter);
  const [gap, next] = heard;
  expect(heard.length).toBeLessThan(COUNT);
  expect(heard.map(summary).slice(0, 2)).toEqual(["gap", "custom"]);
  expect(gap?.params).toMatchObject({ namespace: [], data: { next: next?.seq } });
  expect(gap?.seq).toBeGreaterThan(since ?? 0);
  expect(await eventsUntil(thread, ends(), filter)).toEqual(heard);
  // Once it is told, nothing is missing.
  expect(await eventsUntil(thread, ends(), { ...filter, since: gap?.seq })).toEqual(heard.slice(1));
  const others = await eventsUntil(thread, ends(), { channels: ["lifecycle"] });
  expect(others.map(summary)).toEqual(["lifecycle:running", "gap", "lifecycle:completed"]);
});
