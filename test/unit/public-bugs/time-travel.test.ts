import { describe, expect, it } from "vitest";
import { Command, INTERRUPT, interrupt, MemorySaver, START, StateGraph, type StateSnapshot } from "tidemark";
import { CheckpointIds } from "../../../src/checkpoint/id.ts";
import { at, chain, evictable, historyOf, parallel, State, thread } from "../pregel/support.ts";

/** Faults that users met in systems like this one, by their ids in the collection of cases: time travel and forks. */

it("TIM-01: a replay from before a question asks it again, and leaves the old branch as it is", async () => {
  const { graph } = evictable(chain({ a: () => ({ log: ["a"] }), ask: () => ({ log: [interrupt("q")] }) }));
  await graph().invoke({}, thread);
  await graph().invoke(new Command({ resume: "one" }), thread);
  const before = await historyOf(graph());
  const start = before.find(({ next }) => next[0] === "a");
  const replayed = await graph().invoke(null, at(start));
  expect(replayed[INTERRUPT]).toMatchObject([{ value: "q" }]);
  expect((await graph().invoke(new Command({ resume: "two" }), thread)).log).toEqual(["a", "two"]);
  expect((await historyOf(graph())).slice(-before.length)).toEqual(before);
});

it("TIM-03: an edit at a checkpoint does not take along what its tasks had written", async () => {
  let calls = 0;
  const { graph } = evictable(
    parallel({
      ok: () => ({ log: ["ok"] }),
      bad: () => {
        if (++calls === 1) throw new Error("once");
        return { log: ["bad"] };
      },
    }),
  );
  await expect(graph().invoke({ log: ["in"] }, thread)).rejects.toThrow("once");
  const [failed] = await historyOf(graph());
  await graph().invoke(null, thread);
  await graph().updateState(at(failed), { log: ["patched"] }, "ok");
  const fork = await graph().getState(thread);
  expect(fork.values.log).toEqual(["in", "patched"]);
  expect(fork.next).toEqual([]);
  expect((await graph().getState(at(fork))).values.log).toEqual(["in", "patched"]);
});

it.each([undefined, true] as const)(
  "TIM-07: a replay begins with the state that a graph inside had then (checkpointer: %s)",
  async (checkpointer) => {
    const counter = chain({ count: (state) => ({ sum: 1, log: [state.sum] }) }).compile(
      checkpointer === undefined ? {} : { checkpointer },
    );
    const graph = new StateGraph(State)
      .addNode("p", async () => ({ log: (await counter.invoke({ log: [] })).log.slice(-1) }))
      .addEdge(START, "p")
      .compile({ checkpointer: new MemorySaver() });
    for (let turn = 0; turn < 3; turn++) await graph.invoke({ log: ["turn"] }, thread);
    const keeps = checkpointer === true;
    const counts = keeps ? [0, 1, 2] : [0, 0, 0];
    expect((await graph.getState(thread)).values.log).toEqual(counts.flatMap((n) => ["turn", n]));
    const second = (await historyOf(graph)).find(
      ({ next, metadata }) => next[0] === "p" && metadata?.step === 3,
    );
    expect(second?.values.log).toHaveLength(3);
    expect((await graph.invoke(null, at(second))).log).toEqual(["turn", 0, "turn", keeps ? 1 : 0]);
  },
);

describe("TIM-09: an edit without a node", () => {
  it.each([
    [
      "is ambiguous after parallel nodes",
      undefined,
      { name: "InvalidUpdateError", message: expect.stringContaining("as which node") as string },
    ],
    ["names a node that the graph does not have", "nobody", { code: "unknown_node" }],
  ])("%s: refused, and no checkpoint is written", async (_, node, error) => {
    const { graph } = evictable(parallel({ a: () => ({ log: ["a"] }), b: () => ({ log: ["b"] }) }));
    await graph().invoke({}, thread);
    const before = await historyOf(graph());
    await expect(graph().updateState(thread, { log: ["x"] }, node)).rejects.toMatchObject(error);
    expect(await historyOf(graph())).toEqual(before);
  });

  it("is an input on a new thread", async () => {
    const { graph } = evictable(chain({ a: () => ({ log: ["a"] }), b: () => ({ log: ["b"] }) }));
    await graph().updateState(thread, { log: ["x"] });
    expect(await graph().getState(thread)).toMatchObject({ values: { log: ["x"] }, next: ["a"] });
  });

  it("before the only node has run: the node is still next", async () => {
    const { graph } = evictable(chain({ c: (state) => ({ log: [state.v] }) }));
    await graph().invoke({ v: 1 }, { ...thread, interruptBefore: ["c"] });
    await graph().updateState(thread, { v: 42 });
    expect((await graph().getState(thread)).next).toEqual(["c"]);
    expect((await graph().invoke(null, thread)).log).toEqual([42]);
  });

  it("without values, as a node: its outgoing edges are taken again, on a fork", async () => {
    let routes = 0;
    const { graph } = evictable(
      new StateGraph(State)
        .addNode("a", () => ({ log: ["a"] }))
        .addNode("b", () => ({ log: ["b"] }))
        .addEdge(START, "a")
        .addConditionalEdges("a", () => {
          routes++;
          return "b";
        }),
    );
    await graph().invoke({}, thread);
    const [head] = await historyOf(graph());
    await graph().updateState(thread, null, "a");
    const edited = await graph().getState(thread);
    expect(edited).toMatchObject({ values: { log: ["a", "b"] }, next: ["b"], parentConfig: head?.config });
    expect(routes).toBe(2);
  });
});

it("TIM-11: a history is filtered, also by the metadata of its runs, then cut at `before`, then limited", async () => {
  const { graph: compiled } = evictable(chain({ a: () => ({ log: ["a"] }), b: () => ({ log: ["b"] }) }));
  const graph = compiled();
  const steps = async (options: Parameters<typeof graph.getStateHistory>[1]): Promise<unknown[]> => {
    const found = [];
    for await (const { metadata } of graph.getStateHistory(thread, options))
      found.push(`${metadata?.source} ${metadata?.step}`);
    return found;
  };
  await graph.invoke({ log: ["in"] }, { ...thread, metadata: { tenant: "acme" } });
  await graph.invoke({ log: ["in"] }, { ...thread, metadata: { tenant: "globex" } });
  expect(await steps({ filter: { source: "input" } })).toEqual(["input 3", "input -1"]);
  expect(await steps({ filter: { source: "input" }, limit: 1 })).toEqual(["input 3"]);
  expect(await steps({ filter: { tenant: "acme" } })).toEqual(["loop 2", "loop 1", "loop 0", "input -1"]);
  expect(await steps({ filter: { tenant: "globex", source: "input" } })).toEqual(["input 3"]);
  expect(await steps({ filter: { tenant: "nobody" } })).toEqual([]);
  let before;
  for await (const state of graph.getStateHistory(thread))
    if (state.metadata?.step === 4) before = state.config;
  expect(before).toBeDefined();
  const cut = { ...(before === undefined ? {} : { before }), filter: { source: "loop" } };
  expect(await steps({ ...cut, limit: 2 })).toEqual(["loop 2", "loop 1"]);
  expect(await steps({ ...cut, limit: 0 })).toEqual([]);
});

it("TIM-05: time travel moves the head of the thread", async () => {
  const { graph } = evictable(
    chain({ a: () => ({ log: ["a"] }), b: (state) => ({ log: [`b${state.sum}`] }) }),
  );
  await graph().invoke({ sum: 1 }, thread);
  const [oldHead, middle] = await historyOf(graph());
  await graph().invoke(null, at(middle));
  const head = await graph().getState(thread);
  expect(head.config).not.toEqual(oldHead?.config);
  expect(head.values.log).toEqual(["a", "b1"]);
  const [, fork] = await historyOf(graph());
  expect(head.parentConfig).toEqual(fork?.config);
  expect(fork?.metadata?.source).toBe("fork");
  expect(fork?.parentConfig).toEqual(middle?.config);

  await graph().invoke({ sum: 1 }, thread);
  const input = (await historyOf(graph())).find((snapshot) => snapshot.metadata?.source === "input");
  expect(input?.parentConfig).toEqual(head.config);
});

describe("TIM-13: history is in the order of writing", () => {
  const clocks: Record<string, () => () => number> = {
    "a clock that stands still": () => () => 1_700_000_000_000,
    "a clock that runs backwards": () => {
      let now = 1_700_000_000_000;
      return () => (now -= 60_000);
    },
  };

  it.each(Object.entries(clocks))("under %s", async (_, clock) => {
    const { graph, saver } = evictable(
      chain({ a: () => ({ log: ["a"] }), b: () => ({ log: ["b"] }), c: () => ({ log: ["c"] }) }),
    );
    for (const value of [{ log: [1] }, { log: [2] }]) {
      // As after a restart: nothing but the saver knows what ids there were.
      const now = clock();
      const environment = {
        now,
        checkpointIds: new CheckpointIds(now, (length) => new Uint8Array(length)),
        yieldTurn: () => Promise.resolve(),
        sleep: () => Promise.resolve(),
        random: () => 0,
      };
      await graph().run({ kind: "input", value }, { ...thread, environment });
    }
    const history = await historyOf(graph());
    expect(history.map((snapshot) => snapshot.metadata?.step)).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0, -1]);
    expect((await graph().getState(thread)).values.log).toEqual([1, "a", "b", "c", 2, "a", "b", "c"]);
    const ids: string[] = [];
    for await (const tuple of saver.list(thread)) ids.push(tuple.checkpoint.id);
    expect(ids).toEqual(ids.toSorted().toReversed());
    expect(new Set(ids).size).toBe(10);
  });
});

it("TIM-15: two forks of one checkpoint meet there, and their parents lead to the input", async () => {
  const { graph } = evictable(chain({ a: () => ({ log: ["a"] }), b: () => ({ log: ["b"] }) }));
  await graph().invoke({ log: ["in"] }, thread);
  const middle = (await historyOf(graph())).find(({ next }) => next[0] === "b");
  await graph().invoke(null, at(middle));
  const first = await graph().getState(thread);
  await graph().invoke(null, at(middle));
  const second = await graph().getState(thread);

  const ancestors = async (head: StateSnapshot<typeof State.State>): Promise<unknown[]> => {
    const ids: unknown[] = [];
    let state = head;
    for (;;) {
      ids.push(state.config.configurable?.checkpoint_id);
      expect(new Set(ids).size).toBe(ids.length);
      if (state.parentConfig === undefined) break;
      state = await graph().getState({ ...state.parentConfig });
    }
    expect(state.metadata?.source).toBe("input");
    return ids;
  };
  const meeting = middle?.config.configurable?.checkpoint_id;
  const walks = [await ancestors(first), await ancestors(second)] as const;
  const shared = walks[0].filter((id) => walks[1].includes(id));
  expect(shared[0]).toBe(meeting);
  expect(shared).toEqual(walks[0].slice(walks[0].indexOf(meeting)));
});
