import { describe, expect, it, vi } from "vitest";
import { Annotation, MemorySaver, registerCodec, Send, START, StateGraph, type NodeConfig } from "tidemark";
import { MsgpackSerializer } from "../../../src/checkpoint/serde/msgpack-serializer.ts";
import { chain, evictable, historyOf, State, thread } from "./support.ts";

/** State is never changed in place: not by nodes, not by reducers, not by those who gave values or got results. */

it("the caller's own objects stay as they are, and later changes to them do not count", async () => {
  const mine = { deep: { list: [1] } };
  const input = { v: mine, log: ["in"] };
  const { graph } = evictable(chain({ a: () => ({ log: ["a"] }) }));
  const result = await graph().invoke(input, thread);
  mine.deep.list.push(2);
  expect(input.log).toEqual(["in"]);
  expect(Object.isFrozen(mine) || Object.isFrozen(mine.deep) || Object.isFrozen(input.log)).toBe(false);
  expect(result.v).toEqual({ deep: { list: [1] } });
  expect((await graph().getState(thread)).values.v).toEqual({ deep: { list: [1] } });
});

it("what a node keeps of its result does not reach the state", async () => {
  const kept: { list: number[] } = { list: [] };
  const seen: unknown[] = [];
  const { graph } = evictable(
    chain({
      a: () => ({ v: kept }),
      b: (state) => {
        kept.list.push(1);
        seen.push(state.v);
        return {};
      },
    }),
  );
  await graph().invoke({}, thread);
  expect(seen).toEqual([{ list: [] }]);
});

it.each<[string, (log: unknown[]) => unknown]>([
  ["push", (log) => log.push(1)],
  ["splice", (log) => log.splice(0, 1)],
  ["assignment", (log) => (log[0] = 1)],
  ["deletion", (log) => Reflect.apply(Array.prototype.pop, log, [])],
])("a node that changes a list by %s is told the channel", async (_, change) => {
  const { graph } = evictable(
    chain({
      a: (state) => {
        change(state.log);
        return {};
      },
    }),
  );
  await expect(graph().invoke({ log: ["b", "a"], v: { other: 1 } }, thread)).rejects.toMatchObject({
    name: "FrozenStateError",
    details: { channels: ["log"] },
    message: expect.stringContaining("return a new value"),
  });
});

it("a node may hand on what it got, changed in a copy", async () => {
  const { graph } = evictable(
    chain({ a: (state) => ({ v: [...state.log, "x"] }), b: (state) => ({ v: { old: state.v } }) }),
  );
  expect((await graph().invoke({ log: [1] }, thread)).v).toEqual({ old: [1, "x"] });
});

it("an error of a node that has nothing to do with state stays what it is", async () => {
  const frozen = Object.freeze([1]);
  const { graph } = evictable(
    chain({
      a: () => {
        throw new TypeError("Cannot read properties of undefined");
      },
    }),
  );
  await expect(graph().invoke({ v: frozen }, thread)).rejects.toMatchObject({ name: "TypeError" });
});

it("a reducer that changes its left side is told the channel, and the superstep is not applied", async () => {
  const list = Annotation<number[]>({
    reducer: (left, right) => {
      left.push(...right);
      return left;
    },
    default: () => [],
  });
  const graph = new StateGraph({ list, other: Annotation<number>() })
    .addNode("a", () => ({ list: [1], other: 1 }))
    .addEdge(START, "a")
    .compile({ checkpointer: new MemorySaver() });
  await expect(graph.invoke({ other: 0 }, thread)).rejects.toMatchObject({
    name: "FrozenStateError",
    details: { channels: ["list"] },
    message: expect.stringContaining('reducer of channel "list"'),
  });
  expect((await graph.getState(thread)).values).toMatchObject({ other: 0, list: [] });
});

describe("what cannot be frozen", () => {
  const values = {
    map: () => new Map([["k", { n: 1 }]]),
    set: () => new Set([1]),
    bytes: () => new Uint8Array([1, 2, 3]),
    date: () => new Date(0),
    pattern: () => /a/g,
  };
  const changes: Record<keyof typeof values, (value: never) => unknown> = {
    map: (value: Map<string, unknown>) => value.set("x", 1),
    set: (value: Set<number>) => value.add(2),
    bytes: (value: Uint8Array) => value.fill(9),
    date: (value: Date) => value.setTime(1),
    pattern: (value: RegExp) => (value.lastIndex = 1),
  };

  it.each(["map", "set", "date"] as const)("a %s refuses to change", async (kind) => {
    const { graph } = evictable(
      chain({
        a: (state) => {
          changes[kind](state.v as never);
          return {};
        },
      }),
    );
    await expect(graph().invoke({ v: values[kind](), log: [[]] }, thread)).rejects.toMatchObject({
      name: "FrozenStateError",
      details: { channels: ["v"] },
      message: expect.stringMatching(/change a copy: new (Map|Set|Date)\(…\)/),
    });
  });

  it("a date of a clock that a test has set is stored and locked like any other", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 5 });
    try {
      const { graph } = evictable(chain({ a: (state) => ({ log: [state.v, new Date()] }) }));
      const { log } = await graph().invoke({ v: new Date(1) }, thread);
      const { values: saved } = await graph().getState(thread);
      const serde = new MsgpackSerializer();
      for (const dates of [log, saved.log, serde.loadsTyped(...serde.dumpsTyped(log))])
        expect(dates).toEqual([new Date(1), new Date(5)]);
      for (const date of [log, saved.log].flat() as Date[])
        expect(() => date.setTime(1)).toThrow("Cannot change a Date that is part of the state");
    } finally {
      vi.useRealTimers();
    }
  });

  it.each(["bytes", "pattern"] as const)("%s: a node gets its own copy", async (kind) => {
    const seen: unknown[] = [];
    const { graph } = evictable(
      chain({
        a: (state) => {
          changes[kind]((state.v as { in: never[] }).in[0] as never);
          return {};
        },
        b: (state) => {
          seen.push((state.v as { in: unknown[] }).in[0]);
          return {};
        },
      }),
    );
    await graph().invoke({ v: { in: [values[kind]()] } }, thread);
    expect(seen).toEqual([values[kind]()]);
    expect((await graph().getState(thread)).values.v).toEqual({ in: [values[kind]()] });
  });

  it("bytes among the arguments of a Send: each attempt and each event has its own", async () => {
    const seen: unknown[] = [];
    const told: unknown[] = [];
    const { graph } = evictable(
      chain({ a: () => ({}) })
        .addConditionalEdges("a", () => [new Send("b", { in: values.bytes() })], ["b"])
        .addNode(
          "b",
          (state) => {
            const { in: bytes } = state as unknown as { in: Uint8Array };
            seen.push([...bytes]);
            bytes.fill(9);
            if (seen.length < 3) throw new Error("again");
            return {};
          },
          { retryPolicy: { maxAttempts: 3, initialInterval: 1, retryOn: () => true } },
        ),
    );
    const stream = await graph().stream({ log: [] }, { ...thread, streamMode: "tasks" });
    for await (const event of stream) if (event.name === "b" && "input" in event) told.push(event.input);
    expect(seen).toEqual([1, 2, 3].map(() => [1, 2, 3]));
    expect(told).toEqual([{ in: values.bytes() }]);
  });

  it("what cannot be locked is copied for a node when it looks at it, once", async () => {
    let copies = 0;
    class Counted extends Uint8Array {
      constructor(from: number) {
        super(from);
        copies++;
      }
    }
    registerCodec({
      name: "counted",
      class: Counted,
      encode: ({ length }) => length,
      decode: (length) => new Counted(Number(length)),
    });
    const counts: Record<string, number> = {};
    const count =
      (name: string, look: (state: typeof State.State) => unknown) => (state: typeof State.State) => {
        const before = copies;
        look(state);
        counts[name] = copies - before;
        return {};
      };
    const graph = chain({
      blind: count("blind", ({ log }) => log),
      twice: count("twice", (state) => expect(state.v).toBe(state.v)),
      spread: count("spread", (state) => expect({ ...state }.v).toBe(state.v)),
      names: count("names", (state) => expect(Object.keys(state)).toEqual(["log", "sum", "v"])),
      frozen: count("frozen", (state) => expect(Object.freeze(state).v).toEqual(new Counted(2))),
      assigned: count("assigned", (state) => {
        state.v = 1;
        expect(Object.entries(state)).toContainEqual(["v", 1]);
      }),
    }).compile();
    await graph.invoke({ log: [], v: new Counted(2) });
    expect(counts).toEqual({ blind: 0, twice: 1, spread: 1, names: 0, frozen: 2, assigned: 0 });
  });

  it("a changed result does not reach the saved state", async () => {
    const { graph } = evictable(chain({ a: () => ({ v: values.bytes() }) }));
    const result = await graph().invoke({}, thread);
    (result.v as Uint8Array).fill(0);
    expect((await graph().getState(thread)).values.v).toEqual(values.bytes());
  });
});

it("warm and cold threads give the same states", async () => {
  const nodes = {
    a: (state: typeof State.State) => ({
      v: { log: state.log, at: new Date(5), map: new Map([[1, [state.sum]]]) },
    }),
    b: (state: typeof State.State) => ({ log: [state.v] }),
    c: (state: typeof State.State) => ({ sum: JSON.stringify(state.log).length }),
  };
  const warm = evictable(chain(nodes));
  await warm.graph().invoke({ log: [{ deep: [1] }] }, thread);
  const cold = evictable(chain(nodes));
  const graph = cold.graph();
  await graph
    .invoke({ log: [{ deep: [1] }] }, { ...thread, signal: AbortSignal.abort() })
    .catch(() => undefined);
  for (let superstep = 0; superstep < 4; superstep++) {
    // One superstep a run: the next one starts from what was saved.
    const controller = new AbortController();
    const environment = {
      now: () => 0,
      checkpointIds: (await import("../../../src/pregel/system-environment.ts")).systemEnvironment
        .checkpointIds,
      yieldTurn: () => Promise.resolve(),
      sleep: () => Promise.resolve(),
      random: () => 0,
    };
    const emit = (): void => controller.abort();
    await cold
      .graph()
      .run(
        { kind: "continue" },
        { ...thread, environment, signal: controller.signal, modes: new Set(["updates"]), emit },
      );
  }
  await cold.graph().invoke(null, thread);
  const shown = async (from: typeof warm) =>
    (await historyOf(from.graph())).map(({ values, next, metadata }) => ({
      values,
      next,
      step: metadata?.step,
    }));
  expect(await shown(cold)).toEqual(await shown(warm));
});

it("a node's config is its own", async () => {
  const configs: NodeConfig[] = [];
  const graph = new StateGraph(State)
    .addNode("a", (_, config) => {
      configs.push(config);
      return {};
    })
    .addEdge(START, "a")
    .compile({ checkpointer: new MemorySaver() });
  await graph.invoke({}, { ...thread, metadata: { user: 1 }, tags: ["t"], context: { secret: 1 } });
  expect(configs).toMatchObject([
    {
      metadata: {
        user: 1,
        langgraph_step: 1,
        langgraph_node: "a",
        langgraph_triggers: ["branch:to:a"],
        langgraph_path: ["__pregel_pull", "a"],
      },
      tags: ["t"],
      context: { secret: 1 },
      configurable: { thread_id: "t" },
    },
  ]);
});
