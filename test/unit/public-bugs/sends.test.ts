import { expect, it } from "vitest";
import { Command, interrupt, Send, START, StateGraph } from "tidemark";
import { evictable, later, openQuestions, State, thread } from "../pregel/support.ts";

/** Faults that users met in systems like this one, by their ids in the collection of cases: Sends. */

it("SND-01: of mapped tasks only those that paused run again", async () => {
  const runs = [0, 0, 0, 0];
  const { graph } = evictable(
    new StateGraph(State)
      .addNode("w", (state) => {
        runs[state.sum] = (runs[state.sum] ?? 0) + 1;
        return { log: [state.sum % 2 === 1 ? interrupt(state.sum) : state.sum] };
      })
      .addConditionalEdges(START, () => [0, 1, 2, 3].map((sum) => new Send("w", { sum })), ["w"]),
  );
  await graph().invoke({}, thread);
  const [one, three] = await openQuestions(graph());
  const answers = { [three?.id ?? ""]: "three", [one?.id ?? ""]: "one" };
  expect((await graph().invoke(new Command({ resume: answers }), thread)).log).toEqual([
    0,
    "one",
    2,
    "three",
  ]);
  expect(runs).toEqual([1, 2, 1, 2]);
});

it("SND-05: reduced results are in the order of sending, however the tasks finish", async () => {
  const indices = Array.from({ length: 10 }, (_, index) => index);
  for (let round = 0; round < 20; round++) {
    const evicted = round === 19;
    const { graph } = evictable(
      new StateGraph(State)
        .addNode("w", async (state) => {
          if (
            evicted &&
            state.sum === 5 &&
            (await graph().getState(thread)).tasks.every((task) => task.error === undefined)
          ) {
            await later(4);
            throw new Error("evicted");
          }
          await later(Math.random() * 3);
          return { log: [state.sum] };
        })
        .addConditionalEdges(START, () => indices.map((sum) => new Send("w", { sum })), ["w"]),
    );
    const first = graph().invoke({}, thread);
    if (evicted) await expect(first).rejects.toThrow("evicted");
    else await first;
    if (evicted) await graph().invoke(null, thread);
    expect((await graph().getState(thread)).values.log).toEqual(indices);
  }
});

it("SND-03: a Send to a node that does not exist names it, and nothing of its superstep is applied", async () => {
  const { graph } = evictable(
    new StateGraph(State)
      .addNode("a", () => new Command({ update: { log: ["a"] }, goto: [new Send("zzz", {})] }))
      .addEdge(START, "a"),
  );
  await expect(graph().invoke({ log: ["in"] }, thread)).rejects.toMatchObject({
    name: "UnknownNodeError",
    code: "unknown_node",
    details: { node: "zzz" },
  });
  expect(await graph().getState(thread)).toMatchObject({ values: { log: ["in"] }, next: ["a"] });
});

it("SND-07: Sends that a stopped run has left are each run once", async () => {
  let runs = 0;
  const { graph, saver } = evictable(
    new StateGraph(State)
      .addNode("plan", () => ({}))
      .addNode("w", (state) => ({ log: [state.sum, ++runs] }))
      .addEdge(START, "plan")
      .addConditionalEdges("plan", () => [0, 1, 2].map((sum) => new Send("w", { sum })), ["w"]),
  );
  await graph().invoke({}, { ...thread, interruptBefore: ["w"] });
  const state = await graph().getState(thread);
  expect(state.next).toEqual(["w", "w", "w"]);
  expect(state.tasks).toHaveLength(3);
  expect((await saver.getTuple(thread))?.checkpoint.channel_values["__pregel_tasks"]).toHaveLength(3);
  expect((await graph().invoke(null, thread)).log).toEqual([0, 1, 1, 2, 2, 3]);
  expect(runs).toBe(3);
});
