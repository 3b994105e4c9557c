import { describe, expect, it } from "vitest";
import {
  Annotation,
  Command,
  INTERRUPT,
  interrupt,
  MemorySaver,
  Send,
  START,
  StateGraph,
  UnknownInterruptError,
} from "tidemark";
import { CheckpointIds } from "../../../src/checkpoint/id.ts";
import { at, chain, evictable, historyOf, later, openQuestions, parallel, State, thread } from "./support.ts";

/** Faults that users met in systems like this one, by their ids in the collection of cases. */

it("SER-13: a key called __proto__ is data", async () => {
  const input: unknown = JSON.parse(
    '{"v":{"__proto__":{"polluted":1},"constructor":{"prototype":{"z":1}},"a":1}}',
  );
  const { graph } = evictable(chain({ a: () => ({ log: ["a"] }) }));
  await graph().invoke(input as typeof State.Update, thread);
  const { values } = await graph().getState(thread);
  const v = values.v as Record<string, unknown>;
  expect(Object.keys(v)).toEqual(["__proto__", "constructor", "a"]);
  expect(v["polluted"]).toBeUndefined();
  expect(Object.getPrototypeOf(v)).toBe(Object.prototype);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

it.each(["__proto__", "constructor", "prototype"])(
  "SER-13: a channel, a node and a thread may be called %s",
  async (name) => {
    const channels = Annotation.Root({ [name]: Annotation<string>(), other: Annotation<number>() });
    const graph = new StateGraph(channels)
      .addNode("first", () => ({ [name]: "written" }))
      .addNode(`${name}2`, (state) => ({ other: Object.hasOwn(state, name) ? 1 : 0 }))
      .addEdge(START, "first")
      .addEdge("first", `${name}2`)
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: name } };
    const values = (result: object): unknown[] => [
      Object.getOwnPropertyDescriptor(result, name)?.value,
      "other" in result && result.other,
    ];
    expect(values(await graph.invoke({ other: 0 }, config))).toEqual(["written", 1]);
    expect(values((await graph.getState(config)).values)).toEqual(["written", 1]);
  },
);

it("CHA-04: two writers of a last-value channel: nothing of the superstep is applied, the thread stays readable", async () => {
  const { graph } = evictable(parallel({ a: () => ({ v: 1, log: ["a"] }), b: () => ({ v: 2, log: ["b"] }) }));
  await expect(graph().invoke({ log: ["in"] }, thread)).rejects.toMatchObject({
    name: "InvalidUpdateError",
    lc_error_code: "INVALID_CONCURRENT_GRAPH_UPDATE",
    details: { channel: "v" },
  });
  const state = await graph().getState(thread);
  expect(state.values).toEqual({ log: ["in"], sum: 0 });
  expect(state.next).toEqual(["a", "b"]);
  expect(state.tasks.map((task) => task.error)).toMatchObject([
    { name: "InvalidUpdateError" },
    { name: "InvalidUpdateError" },
  ]);

  await expect(graph().invoke(null, thread)).rejects.toMatchObject({ name: "InvalidUpdateError" });
  await graph().updateState(thread, { v: "patched" }, "a");
  expect((await graph().getState(thread)).values).toEqual({ log: ["in"], sum: 0, v: "patched" });
});

describe("CHA-10: what a node changes in place", () => {
  const builder = chain({
    a: (state) => {
      state.log.push("M");
      return {};
    },
    b: (state) => ({ sum: state.log.length }),
  });

  it("is refused, and names the channel", async () => {
    const { graph } = evictable(builder);
    await expect(graph().invoke({ log: ["in"] }, thread)).rejects.toMatchObject({
      name: "FrozenStateError",
      code: "state_mutated",
      details: { channels: ["log"] },
    });
    expect((await graph().getState(thread)).values).toEqual({ log: ["in"], sum: 0 });
  });

  it("is refused just so in a thread that was loaded again", async () => {
    const { graph } = evictable(builder);
    await graph().updateState(thread, { log: ["in"] }, START);
    await expect(graph().invoke(null, thread)).rejects.toMatchObject({ name: "FrozenStateError" });
    expect((await graph().getState(thread)).values).toEqual({ log: ["in"], sum: 0 });
  });
});

it("PEN-03: a finished sibling of a failed node does not run again", async () => {
  const runs = { ok: 0, bad: 0 };
  const { graph } = evictable(
    parallel({
      ok: () => ({ log: [`ok${++runs.ok}`] }),
      bad: () => {
        if (++runs.bad === 1) throw new Error("once");
        return { log: [`bad${runs.bad}`] };
      },
    }),
  );
  await expect(graph().invoke({}, thread)).rejects.toThrow("once");
  expect((await graph().invoke(null, thread)).log).toEqual(["bad2", "ok1"]);
  expect(runs).toEqual({ ok: 1, bad: 2 });
});

it.each([{}, undefined])(
  "PEN-05: a node that returns %j counts as done beside one that asks",
  async (nothing) => {
    let runs = 0;
    const { graph } = evictable(
      parallel({
        empty: () => {
          runs++;
          return nothing;
        },
        ask: () => ({ log: [interrupt("q")] }),
      }),
    );
    await graph().invoke({}, thread);
    expect((await graph().getState(thread)).next).toEqual(["ask"]);
    expect((await graph().invoke(new Command({ resume: "yes" }), thread)).log).toEqual(["yes"]);
    expect(runs).toBe(1);
  },
);

it.each([false, 0, "", [], {}])("INT-01: %j is an answer", async (answer) => {
  const { graph } = evictable(chain({ ask: () => ({ log: [JSON.stringify(interrupt("q"))] }) }));
  await graph().invoke({}, thread);
  expect((await graph().invoke(new Command({ resume: answer }), thread)).log).toEqual([
    JSON.stringify(answer),
  ]);
});

it("INT-03: an answer to an unknown question is refused, with all that came with it", async () => {
  const { graph } = evictable(chain({ ask: () => ({ log: [interrupt("q")] }) }));
  await graph().invoke({}, thread);
  const [question] = await openQuestions(graph());
  const wrong = "0".repeat(32);
  const answers = { [wrong]: "x", [question?.id ?? ""]: "right" };
  for (const resume of [{ [wrong]: "x" }, answers]) {
    await expect(graph().invoke(new Command({ resume }), thread)).rejects.toMatchObject({
      name: "UnknownInterruptError",
      reason: "not_pending",
      interruptIds: [wrong],
      pendingIds: [question?.id],
    });
  }
  expect(await openQuestions(graph())).toEqual([question]);
  expect((await graph().invoke(new Command({ resume: "later" }), thread)).log).toEqual(["later"]);
});

it("INT-05: an answer is used for its question only", async () => {
  const { graph } = evictable(
    chain({ ask: () => ({ log: [`${interrupt<string, string>("1")}+${interrupt<string, string>("2")}`] }) }),
  );
  await graph().invoke({}, thread);
  await graph().invoke(new Command({ resume: "p" }), thread);
  const again = await graph().invoke(null, thread);
  expect(again[INTERRUPT]).toMatchObject([{ value: "2" }]);
  expect((await graph().invoke(new Command({ resume: "q" }), thread)).log).toEqual(["p+q"]);
});

it("PAR-01: one answer for several questions is refused", async () => {
  const { graph } = evictable(
    parallel({ a: () => ({ log: [interrupt("a?")] }), b: () => ({ log: [interrupt("b?")] }) }),
  );
  await graph().invoke({}, thread);
  const open = await openQuestions(graph());
  const refused = graph().invoke(new Command({ resume: "X" }), thread);
  await expect(refused).rejects.toBeInstanceOf(UnknownInterruptError);
  await expect(refused).rejects.toMatchObject({
    reason: "ambiguous",
    pendingIds: open.map((question) => question.id),
  });
  expect(open).toHaveLength(2);
  expect(await openQuestions(graph())).toEqual(open);
});

it("PAR-03: answering one of two leaves the other as it is", async () => {
  const runs = { a: 0, b: 0, join: 0 };
  const { graph } = evictable(
    parallel({
      a: () => {
        runs.a++;
        return { log: [interrupt("a?")] };
      },
      b: () => {
        runs.b++;
        return { log: [interrupt("b?")] };
      },
    })
      .addNode("join", () => ({ log: [`join${++runs.join}`] }))
      .addEdge(["a", "b"], "join"),
  );
  await graph().invoke({}, thread);
  const [a, b] = await openQuestions(graph());
  await graph().invoke(new Command({ resume: { [b?.id ?? ""]: "B" } }), thread);
  expect(await openQuestions(graph())).toEqual([a]);
  expect(runs).toEqual({ a: 1, b: 2, join: 0 });
  const result = await graph().invoke(new Command({ resume: { [a?.id ?? ""]: "A" } }), thread);
  expect(result.log).toEqual(["A", "B", "join1"]);
  expect(runs).toEqual({ a: 2, b: 2, join: 1 });
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

it("CON-01: of two runs at once on one thread one is refused, and no input is lost", async () => {
  const { graph } = evictable(
    chain({
      n: async () => {
        await later();
        return { log: ["n"] };
      },
    }),
  );
  const results = await Promise.allSettled([
    graph().invoke({ log: ["a"] }, thread),
    graph().invoke({ log: ["b"] }, thread),
  ]);
  expect(results).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { code: "thread_busy" } },
  ]);
  expect((await graph().invoke({ log: ["b"] }, thread)).log).toEqual(["a", "n", "b", "n"]);
  const parents = (await historyOf(graph())).map(
    (snapshot) => snapshot.parentConfig?.configurable?.checkpoint_id,
  );
  expect(new Set(parents).size).toBe(parents.length);
});

it("LAR-01: large values are saved and read back", async () => {
  const text = "0123456789abcdef".repeat((3 * 1024 * 1024) / 16);
  const { graph } = evictable(
    chain({
      text: () => ({ v: text }),
      many: () => ({ log: Array.from({ length: 1000 }, (_, index) => `${index}`.padEnd(10_000)) }),
    }),
  );
  await graph().invoke({}, thread);
  const { values } = await graph().getState(thread);
  expect(values.v).toBe(text);
  expect(values.log).toHaveLength(1000);
  expect(String(values.log[999])).toHaveLength(10_000);
});
