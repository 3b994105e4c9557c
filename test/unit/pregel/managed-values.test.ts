import { expect, it } from "vitest";
import { Annotation, IsLastStep, MemorySaver, RemainingSteps, START, StateGraph } from "tidemark";

const State = Annotation.Root({
  log: Annotation<unknown[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
  isLast: IsLastStep,
  remaining: RemainingSteps,
});

const looping = () =>
  new StateGraph(State)
    .addNode("a", ({ isLast, remaining }) => ({ log: [[isLast, remaining]] }))
    .addEdge(START, "a")
    .addConditionalEdges("a", ({ isLast }) => (isLast ? "__end__" : "a"));

const thread = { configurable: { thread_id: "t" } };

it("a graph that ends at IsLastStep stays within its limit", async () => {
  const graph = looping().compile({ checkpointer: new MemorySaver() });
  const result = await graph.invoke({ log: [] }, { ...thread, recursionLimit: 4 });
  expect(result).toEqual({
    log: [
      [false, 3],
      [false, 2],
      [true, 1],
    ],
  });
  expect((await graph.getState(thread)).values).toEqual(result);
});

it("a later run of the thread counts for itself", async () => {
  const graph = looping().compile({ checkpointer: new MemorySaver() });
  await graph.invoke({ log: [] }, { ...thread, recursionLimit: 3 });
  const result = await graph.invoke({ log: [] }, { ...thread, recursionLimit: 2 });
  expect(result.log).toEqual([
    [false, 2],
    [true, 1],
    [true, 1],
  ]);
});

it("nobody writes them", async () => {
  const graph = new StateGraph(State)
    .addNode("a", () => ({ remaining: 5 as never }))
    .addEdge(START, "a")
    .compile();
  await expect(graph.invoke({ log: [] })).rejects.toMatchObject({ name: "InvalidUpdateError" });
});
