import { expect, it } from "vitest";
import { Command, INTERRUPT, interrupt, MemorySaver, START, StateGraph, type StateSnapshot } from "tidemark";
import { chain, type Graph, State, thread } from "../pregel/support.ts";

/** Faults that users met in systems like this one, by their ids in the collection of cases: graphs inside nodes. */

it("SUB-01: each question of a graph that a node calls gets its own answer", async () => {
  const inner = chain({
    a: () => ({ log: [`a:${String(interrupt("a?"))}`] }),
    b: () => ({ log: [`b:${String(interrupt("b?"))}`] }),
  }).compile();
  const graph = chain({ p: async () => ({ log: (await inner.invoke({})).log }) }).compile({
    checkpointer: new MemorySaver(),
  });
  const first = await graph.invoke({}, thread);
  expect(first[INTERRUPT]?.map(({ value }) => value)).toEqual(["a?"]);
  const second = await graph.invoke(new Command({ resume: "1" }), thread);
  expect(second[INTERRUPT]?.map(({ value }) => value)).toEqual(["b?"]);
  expect((await graph.invoke(new Command({ resume: "2" }), thread)).log).toEqual(["a:1", "b:2"]);
});

it("SUB-03: graphs are found by whole names of their nodes, however alike these begin", async () => {
  const asking = (name: string): Graph => chain({ [name]: () => ({ log: [interrupt(name)] }) }).compile();
  const deep = new StateGraph(State).addNode("child", asking("deep")).addEdge(START, "child").compile();
  const graph = new StateGraph(State)
    .addNode("child", asking("flat"))
    .addNode("child_subgraph", deep)
    .addEdge(START, "child")
    .addEdge(START, "child_subgraph")
    .compile({ checkpointer: new MemorySaver() });
  for (const path of ["child", "child_subgraph", "child_subgraph|child"])
    expect([...graph.getSubgraphs(path, true)].map(([found]) => found)).toEqual([path]);

  await graph.invoke({}, thread);
  const nested: Record<string, StateSnapshot> = {};
  const collect = ({ tasks }: StateSnapshot, path: readonly string[]): void => {
    for (const { name, state } of tasks) {
      if (state === undefined || !("tasks" in state)) continue;
      nested[[...path, name].join("|")] = state;
      collect(state, [...path, name]);
    }
  };
  collect(await graph.getState(thread, { subgraphs: true }), []);
  expect(Object.entries(nested).map(([path, { next }]) => [path, next])).toEqual([
    ["child", ["flat"]],
    ["child_subgraph", ["child"]],
    ["child_subgraph|child", ["deep"]],
  ]);
  for (const { config, next } of Object.values(nested))
    expect((await graph.getState(config)).next).toEqual(next);
});

it("SUB-05: graphs that share a thread in namespaces of their own are kept apart", async () => {
  const saver = new MemorySaver();
  const a = chain({ a: () => ({ log: ["a"] }) }).compile({ checkpointer: saver });
  const b = chain({ b: () => ({ log: ["b"] }) }).compile({ checkpointer: saver });
  const at = (checkpoint_ns: string) => ({ configurable: { thread_id: "t", checkpoint_ns } });
  await a.invoke({}, at("A"));
  await b.invoke({}, at("B"));
  await a.invoke({}, at("A"));
  expect((await a.getState(at("A"))).values.log).toEqual(["a", "a"]);
  expect((await b.getState(at("B"))).values.log).toEqual(["b"]);
  expect((await a.getState(at(""))).values).toEqual({});
});

it("SUB-07: steps that a graph has finished before its question do not run again", async () => {
  let runs = 0;
  const inner = chain({
    t: () => {
      runs++;
      return {};
    },
    ask: () => ({ log: [interrupt("q?")] }),
  }).compile();
  const graph = chain({ wrap: async () => ({ log: (await inner.invoke({})).log }) }).compile({
    checkpointer: new MemorySaver(),
  });
  await graph.invoke({}, thread);
  expect((await graph.invoke(new Command({ resume: "yes" }), thread)).log).toEqual(["yes"]);
  expect(runs).toBe(1);
});

it("SUB-09: an answer that comes with the id of the head goes on where the graph waits", async () => {
  let runs = 0;
  const inner = chain({
    s1: () => ({ log: [`s1 ${++runs}`] }),
    q: () => ({ log: [interrupt("q?")] }),
  }).compile();
  const graph = new StateGraph(State)
    .addNode("p", inner)
    .addEdge(START, "p")
    .compile({ checkpointer: new MemorySaver() });
  await graph.invoke({}, thread);
  const head = await graph.getState(thread);
  const result = await graph.invoke(new Command({ resume: "yes" }), head.config);
  expect(result.log).toEqual(["s1 1", "yes"]);
  expect(runs).toBe(1);
});
