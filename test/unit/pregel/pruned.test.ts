import { Command, END, INTERRUPT, interrupt, MemorySaver, START, StateGraph } from "tidemark";
import { expect, it } from "vitest";
import { at, chain, historyOf, State, thread } from "./support.ts";

/** Its graph inside `visit` remembers how often it was there; only some inputs lead to it. */
function remembering(saver: MemorySaver) {
  const inner = chain({ count: () => ({ sum: 1 }) }).compile({ checkpointer: true });
  return new StateGraph(State)
    .addNode("idle", () => ({ log: ["idle"] }))
    .addNode("visit", async (_, config) => ({ log: [(await inner.invoke({}, config)).sum] }), {
      subgraphs: [inner],
    })
    .addConditionalEdges(START, ({ v }) => (v === "visit" ? "visit" : "idle"), ["idle", "visit"])
    .addEdge("idle", END)
    .addEdge("visit", END)
    .compile({ checkpointer: saver });
}

async function lastOf(log: Promise<{ readonly log: readonly unknown[] }>): Promise<unknown> {
  return (await log).log.at(-1);
}

it("a graph that remembers its visits still does when their checkpoints are pruned", async () => {
  const saver = new MemorySaver();
  const graph = remembering(saver);
  await graph.invoke({ v: "visit" }, thread);
  for (const v of ["idle", "idle"]) await graph.invoke({ v }, thread);
  await saver.prune(["t"]);
  expect(await historyOf(graph)).toHaveLength(1);
  expect(await lastOf(graph.invoke({ v: "visit" }, thread))).toBe(2);
  await graph.invoke({ v: "idle" }, thread);
  await saver.prune(["t"]);
  await saver.prune(["t"]);
  expect(await lastOf(graph.invoke({ v: "visit" }, thread))).toBe(3);
});

it("branches whose common past is pruned remember what was before them, and not each other", async () => {
  const saver = new MemorySaver();
  const graph = remembering(saver);
  await graph.invoke({ v: "visit" }, thread);
  const common = at(await graph.getState(thread));
  await graph.invoke({ v: "visit" }, common);
  await graph.invoke({ v: "idle" }, thread);
  const left = at(await graph.getState(thread));
  await graph.invoke({ v: "idle" }, common);
  const right = at(await graph.getState(thread));
  await saver.prune(["t"], { keepLast: 5 });
  expect(await historyOf(graph)).toHaveLength(5);
  expect(await saver.getTuple(common)).toBeUndefined();
  expect(await lastOf(graph.invoke({ v: "visit" }, right))).toBe(2);
  expect(await lastOf(graph.invoke({ v: "visit" }, left))).toBe(3);
});

it("a pruned thread that waits for an answer takes it, and finished tasks do not run again", async () => {
  let runs = 0;
  const inner = chain({
    before: () => ({ log: ["before"] }),
    ask: () => ({ log: [interrupt("ok?")] }),
  }).compile();
  const saver = new MemorySaver();
  const build = () =>
    new StateGraph(State)
      .addNode("first", () => ({ log: ["first"] }))
      .addNode("sibling", () => {
        runs += 1;
        return { log: ["sibling"] };
      })
      .addNode("nested", inner)
      .addEdge(START, "first")
      .addEdge("first", "sibling")
      .addEdge("first", "nested")
      .compile({ checkpointer: saver });
  const asked = await build().invoke({}, thread);
  await saver.prune(["t"]);
  const id = asked[INTERRUPT]?.[0]?.id ?? "";
  const tasks = (await build().getState(thread)).tasks;
  expect(tasks.flatMap(({ interrupts }) => interrupts)).toMatchObject([{ id, value: "ok?" }]);
  const { log } = await build().invoke(new Command({ resume: { [id]: "yes" } }), thread);
  expect(log).toEqual(["first", "first", "before", "yes", "sibling"]);
  expect(runs).toBe(1);
});

it("what is kept can be replayed and edited as before", async () => {
  const saver = new MemorySaver();
  const graph = chain({
    a: () => ({ log: ["a"] }),
    b: () => ({ log: ["b"] }),
    c: () => ({ log: ["c"] }),
  }).compile({ checkpointer: saver });
  await graph.invoke({ log: ["in"] }, thread);
  await saver.prune(["t"], { keepLast: 2 });
  const beforeC = (await historyOf(graph))[1];
  expect(beforeC?.next).toEqual(["c"]);
  expect((await graph.invoke(null, at(beforeC))).log).toEqual(["in", "a", "b", "c"]);
  const edited = await graph.updateState(at(beforeC), { log: ["edit"] }, "b");
  expect((await graph.invoke(null, edited)).log).toEqual(["in", "a", "b", "edit", "c"]);
});

it("a checkpoint whose parent is gone has the nearest ancestor that is left as its parent", async () => {
  const saver = new MemorySaver();
  const graph = chain({ a: () => ({ log: ["a"] }) }).compile({ checkpointer: saver });
  for (const run of ["one", "two", "three"]) await graph.invoke({ log: [run] }, { ...thread, runId: run });
  const before = await historyOf(graph);
  await saver.deleteForRuns(["two"]);
  const after = await historyOf(graph);
  expect(after.map(({ metadata }) => metadata?.run_id)).toEqual([
    "three",
    "three",
    "three",
    "one",
    "one",
    "one",
  ]);
  expect(after[2]?.parentConfig).toEqual(after[3]?.config);
  expect(after[2]?.values).toEqual(before[2]?.values);
  await saver.copyThread("t", "u");
  await saver.prune(["t"]);
  expect((await historyOf(graph)).map(({ config, parentConfig }) => [config, parentConfig])).toEqual([
    [before[0]?.config, undefined],
  ]);
  const copied = await graph.getState({ configurable: { thread_id: "u" } });
  expect(copied.values).toEqual(before[0]?.values);
});
