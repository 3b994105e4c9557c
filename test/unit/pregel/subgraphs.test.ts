import { describe, expect, it } from "vitest";
import {
  Annotation,
  Command,
  type CompiledStateGraph,
  INTERRUPT,
  interrupt,
  isInterrupted,
  MemorySaver,
  Send,
  START,
  StateGraph,
  type StateSnapshot,
} from "tidemark";
import { chain, later, parallel, State, thread } from "./support.ts";

/** Graphs inside tasks, where LangGraph has no counterpart or does otherwise. */

type Graph = CompiledStateGraph<typeof State.State, typeof State.Update>;

function counted(): { counts: Record<string, number>; count: (name: string) => void } {
  const counts: Record<string, number> = {};
  return { counts, count: (name) => (counts[name] = (counts[name] ?? 0) + 1) };
}

/** s1 → ask → s3, as node p of a graph; beside it "side" asks nothing. */
function paused(checkpointer?: true): { graph: Graph; counts: Record<string, number>; saver: MemorySaver } {
  const { counts, count } = counted();
  const inner = chain({
    s1: () => {
      count("s1");
      return { log: ["s1"] };
    },
    ask: () => ({ log: [interrupt("q?")] }),
    s3: () => ({ log: ["s3"] }),
  }).compile(checkpointer === undefined ? {} : { checkpointer });
  const saver = new MemorySaver();
  const graph = new StateGraph(State)
    .addNode("p", inner)
    .addNode("side", () => {
      count("side");
      return { log: ["side"] };
    })
    .addNode("z", () => ({ log: ["z"] }))
    .addEdge(START, "p")
    .addEdge(START, "side")
    .addEdge("p", "z")
    .compile({ checkpointer: saver });
  return { graph, counts, saver };
}

async function historyOf(graph: Graph, namespace = ""): Promise<StateSnapshot<typeof State.State>[]> {
  const found = [];
  const config = { configurable: { thread_id: "t", checkpoint_ns: namespace } };
  for await (const snapshot of graph.getStateHistory(config)) found.push(snapshot);
  return found;
}

async function nestedState(graph: Graph, config: object = thread): Promise<StateSnapshot> {
  const { tasks } = await graph.getState(config, { subgraphs: true });
  const state = tasks.find((task) => task.name === "p")?.state;
  if (state === undefined || !("tasks" in state)) throw new Error("no nested state");
  return state;
}

it.each([undefined, true] as const)(
  "a question of a graph is answered anew on a branch, where its finished steps stay done (checkpointer: %s)",
  async (checkpointer) => {
    const { graph, counts } = paused(checkpointer);
    await graph.invoke({ log: ["in"] }, thread);
    const [before] = await historyOf(graph);
    const question = before?.tasks.flatMap((task) => task.interrupts)[0]?.id ?? "";
    await graph.invoke(new Command({ resume: "one" }), thread);
    const first = await graph.getState(thread);
    expect(first.values.log).toEqual(["in", "in", "s1", "one", "s3", "side", "z"]);

    const again = new Command({ resume: { [question]: "two" } });
    const result = await graph.invoke(again, {
      configurable: { ...thread.configurable, ...before?.config.configurable },
    });
    expect(result.log).toEqual(["in", "in", "s1", "two", "s3", "side", "z"]);
    expect(counts).toEqual({ s1: 1, side: 1 });
    const history = await historyOf(graph);
    expect(
      history.find(
        (state) => state.config.configurable?.checkpoint_id === first.config.configurable?.checkpoint_id,
      )?.values,
    ).toEqual(first.values);
  },
);

it("a graph in a task goes on from an older checkpoint of its own, on a branch", async () => {
  const { graph, counts } = paused();
  await graph.invoke({ log: ["in"] }, thread);
  await graph.invoke(new Command({ resume: "one" }), thread);
  const root = (await historyOf(graph)).find((state) => state.next.includes("p"));
  const namespace = String((await nestedState(graph, root?.config)).config.configurable?.checkpoint_ns);
  const before = (await historyOf(graph, namespace)).find((state) => state.next[0] === "ask");
  const result = await graph.invoke(null, before?.config);
  expect(isInterrupted(result)).toBe(true);
  expect(counts).toEqual({ s1: 1, side: 1 });
  expect(await graph.invoke(new Command({ resume: "two" }), thread)).toMatchObject({
    log: ["in", "in", "s1", "two", "s3", "side", "z"],
  });
});

it("an edited older checkpoint of a graph is gone on from", async () => {
  const { graph, counts } = paused();
  await graph.invoke({ log: ["in"] }, thread);
  const nested = await nestedState(graph);
  await graph.invoke(new Command({ resume: "one" }), thread);
  const edited = await graph.updateState(nested.config, { log: ["by hand"] }, "ask");
  expect(await graph.invoke(null, edited)).toMatchObject({
    log: ["in", "in", "s1", "by hand", "s3", "side", "z"],
  });
  expect(counts).toEqual({ s1: 1, side: 1 });
});

describe.each([undefined, true] as const)(
  "a graph inside (checkpointer: %s) that is edited while it asks",
  (own) => {
    it("as another node: its question can still be answered", async () => {
      const { graph } = paused(own);
      await graph.invoke({}, thread);
      await graph.updateState((await nestedState(graph)).config, { log: ["by hand"] }, "s1");
      const { log } = await graph.invoke(new Command({ resume: "A" }), thread);
      expect(log).toEqual(["s1", "by hand", "A", "s3", "side", "z"]);
    });

    it("as the node that asks: an answer is refused, unless the checkpoint is named, and the run goes on", async () => {
      const { graph } = paused(own);
      const asked = (await graph.invoke({}, thread))[INTERRUPT] ?? [];
      const answer = new Command({ resume: { [asked[0]?.id ?? ""]: "A" } });
      const { config } = await graph.getState(thread);
      await graph.updateState((await nestedState(graph)).config, { log: ["by hand"] }, "ask");
      await expect(graph.invoke(answer, thread)).rejects.toMatchObject({ code: "interrupt_not_pending" });
      const { log } = await graph.invoke(null, thread);
      expect(log).toEqual(["s1", "by hand", "s3", "side", "z"]);
      expect((await graph.invoke(answer, config)).log).toEqual(["s1", "A", "s3", "side", "z"]);
    });
  },
);

it("another waiting graph keeps its question on a branch, and what it has done", async () => {
  const { counts, count } = counted();
  const asking = (name: string): Graph =>
    chain({
      [`${name}1`]: () => {
        count(name);
        return {};
      },
      [`${name}2`]: () => ({ log: [interrupt(name)] }),
    }).compile();
  const graph = new StateGraph(State)
    .addNode("a", asking("one"))
    .addNode("b", asking("two"))
    .addEdge(START, "a")
    .addEdge(START, "b")
    .compile({ checkpointer: new MemorySaver() });
  const first = await graph.invoke({}, thread);
  const [one] = first[INTERRUPT] ?? [];
  const [root] = await historyOf(graph);
  await graph.invoke(new Command({ resume: { [one?.id ?? ""]: "A" } }), thread);
  const branch = await graph.invoke(new Command({ resume: { [one?.id ?? ""]: "B" } }), root?.config);
  expect(branch[INTERRUPT]?.map(({ value }) => value)).toEqual(["two"]);
  const end = await graph.invoke(new Command({ resume: "C" }), thread);
  expect(end.log).toEqual(["B", "C"]);
  expect(counts).toEqual({ one: 1, two: 1 });
});

it("graphs that a node runs at once ask at once, and are answered one by one", async () => {
  const { counts, count } = counted();
  const asking = (name: string): Graph =>
    chain({
      work: async () => {
        await later();
        count(name);
        return {};
      },
      ask: () => ({ log: [interrupt(name)] }),
    }).compile();
  const [one, two] = [asking("one"), asking("two")];
  const graph = chain({
    both: async () => {
      const results = await Promise.all([one.invoke({}), two.invoke({})]);
      return { log: results.flatMap((result) => result.log) };
    },
  }).compile({ checkpointer: new MemorySaver() });
  const first = await graph.invoke({}, thread);
  expect(first[INTERRUPT]?.map(({ value }) => value).toSorted()).toEqual(["one", "two"]);
  const second = first[INTERRUPT]?.find(({ value }) => value === "two")?.id ?? "";
  const next = await graph.invoke(new Command({ resume: { [second]: 2 } }), thread);
  expect(next[INTERRUPT]?.map(({ value }) => value)).toEqual(["one"]);
  expect((await graph.invoke(new Command({ resume: 1 }), thread)).log).toEqual([1, 2]);
  expect(counts).toEqual({ one: 1, two: 1 });
});

it("an answer to a graph's question is not given to the node's own question too", async () => {
  const inner = chain({ ask: () => ({ log: [interrupt("inner?")] }) }).compile();
  const graph = chain({
    node: async () => {
      const { log } = await inner.invoke({});
      return { log: [...log, interrupt("own?")] };
    },
  }).compile({ checkpointer: new MemorySaver() });
  await graph.invoke({}, thread);
  const second = await graph.invoke(new Command({ resume: "one" }), thread);
  expect(second[INTERRUPT]?.map(({ value }) => value)).toEqual(["own?"]);
  expect((await graph.invoke(new Command({ resume: "two" }), thread)).log).toEqual(["one", "two"]);
});

it("tasks that would share one history at the same time are refused", async () => {
  const inner = chain({
    slow: async () => {
      await later(2);
      return { log: ["slow"] };
    },
  }).compile({ checkpointer: true });
  const graph = new StateGraph(State)
    .addNode("p", inner)
    .addConditionalEdges(START, () => [new Send("p", {}), new Send("p", {})], ["p"])
    .compile({ checkpointer: new MemorySaver() });
  await expect(graph.invoke({}, thread)).rejects.toMatchObject({
    code: "multiple_subgraphs",
    lc_error_code: "MULTIPLE_SUBGRAPHS",
  });
});

it("`checkpointer: true` is for graphs inside others", async () => {
  const graph = chain({ a: () => ({}) }).compile({ checkpointer: true });
  await expect(graph.invoke({}, thread)).rejects.toMatchObject({ code: "invalid_checkpointer" });
});

it("a Command for the parent graph of a graph that has none is refused", async () => {
  const graph = chain({ a: () => new Command({ graph: Command.PARENT, goto: "b" }) }).compile();
  await expect(graph.invoke({})).rejects.toMatchObject({ code: "invalid_command" });
  const input = new Command({ graph: Command.PARENT, goto: "a" });
  await expect(graph.invoke(input)).rejects.toMatchObject({ code: "invalid_command" });
});

it("a namespace that no graph has is refused", async () => {
  const { graph } = paused();
  await graph.invoke({}, thread);
  const at = { configurable: { thread_id: "t", checkpoint_ns: "p2:0" } };
  const refused = { name: "UnknownNamespaceError", code: "unknown_namespace" };
  await expect(graph.getState(at)).rejects.toMatchObject(refused);
  await expect(graph.updateState(at, {})).rejects.toMatchObject(refused);
  await expect(graph.getStateHistory(at).next()).rejects.toMatchObject(refused);
});

it("a graph that a node has not declared is read as it was saved", async () => {
  const inner = chain({ ask: () => ({ log: ["before", interrupt("q?")] }) }).compile();
  const saver = new MemorySaver();
  const graph = chain({ p: async () => ({ log: (await inner.invoke({ log: ["x"] })).log }) }).compile({
    checkpointer: saver,
  });
  await graph.invoke({}, thread);
  const [task] = (await graph.getState(thread)).tasks;
  const at = { configurable: { thread_id: "t", checkpoint_ns: `p:${task?.id}` } };
  expect((await graph.getState(at)).values).toEqual({ log: ["x"] });
});

it("graphs are found by the nodes they are in", () => {
  const leaf = chain({ l: () => ({}) }).compile();
  const middle = new StateGraph(State).addNode("leaf", leaf).addEdge(START, "leaf").compile();
  const graph = new StateGraph(State)
    .addNode("mid", middle)
    .addNode("mid2", () => ({}), { subgraphs: [leaf] })
    .addEdge(START, "mid")
    .addEdge(START, "mid2")
    .compile();
  expect([...graph.getSubgraphs()].map(([name]) => name)).toEqual(["mid", "mid2"]);
  expect([...graph.getSubgraphs(undefined, true)].map(([name]) => name)).toEqual(["mid", "mid|leaf", "mid2"]);
  expect([...graph.getSubgraphs("mid|leaf", true)].map(([name]) => name)).toEqual(["mid|leaf"]);
  expect([...graph.getSubgraphs("mi")]).toEqual([]);
});

it("each graph has its own recursion limit", async () => {
  const inner = chain({ a: () => ({}), b: () => ({}), c: () => ({}) }).compile();
  const graph = new StateGraph(State)
    .addNode("p", inner)
    .addNode("q", inner)
    .addEdge(START, "p")
    .addEdge("p", "q")
    .compile();
  await expect(graph.invoke({ log: ["in"] }, { recursionLimit: 4 })).resolves.toBeDefined();
  await expect(graph.invoke({ log: ["in"] }, { recursionLimit: 3 })).rejects.toMatchObject({
    lc_error_code: "GRAPH_RECURSION_LIMIT",
  });
});

it("a cancelled run stops the graphs inside it, which store nothing more", async () => {
  const saver = new MemorySaver();
  const controller = new AbortController();
  const inner = chain({
    slow: async () => {
      controller.abort(new Error("stop"));
      await later(2);
      return { log: ["late"] };
    },
    never: () => ({ log: ["never"] }),
  }).compile();
  const stray = chain({ a: () => ({}) }).compile();
  const graph = new StateGraph(State)
    .addNode("p", inner)
    .addNode("q", async () => {
      await later(5);
      await stray.invoke({});
      return {};
    })
    .addEdge(START, "p")
    .addEdge(START, "q")
    .compile({ checkpointer: saver });
  await expect(graph.invoke({}, { ...thread, signal: controller.signal })).rejects.toThrow("stop");
  const stored = async (): Promise<number> => {
    let count = 0;
    for await (const tuple of saver.list(thread)) count += 1 + (tuple.pendingWrites?.length ?? 0);
    return count;
  };
  const atEnd = await stored();
  await later(15);
  expect(await stored()).toBe(atEnd);
});

it("a graph inside a task shares no keys with it when its state has none", async () => {
  const Inner = Annotation.Root({ own: Annotation<string>() });
  const inner = new StateGraph(Inner)
    .addNode("i", (state) => ({ own: `${state.own}!` }))
    .addEdge(START, "i")
    .compile();
  const graph = parallel({ p: async () => ({ v: (await inner.invoke({ own: "x" })).own }) }).compile();
  expect((await graph.invoke({})).v).toBe("x!");
});
