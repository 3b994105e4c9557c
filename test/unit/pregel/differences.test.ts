import { describe, expect, it } from "vitest";
import {
  Annotation,
  Command,
  END,
  INTERRUPT,
  interrupt,
  MemorySaver,
  Send,
  START,
  StateGraph,
} from "tidemark";
import { at, chain, evictable, historyOf, later, openQuestions, parallel, State, thread } from "./support.ts";

/** What is not as in LangGraph: the list with the reasons is docs/differences.md. */

describe("answers", () => {
  it("new input does not discard a question, unless the caller says so", async () => {
    const { graph } = evictable(chain({ ask: () => ({ log: [interrupt("q")] }) }));
    await graph().invoke({}, thread);
    const open = await openQuestions(graph());
    await expect(graph().invoke({ log: ["new"] }, thread)).rejects.toMatchObject({
      name: "ThreadInterruptedError",
      code: "thread_interrupted",
      details: { pending: open.map((question) => question.id) },
    });
    expect(await openQuestions(graph())).toEqual(open);
    const result = await graph().invoke({ log: ["new"] }, { ...thread, onInterrupted: "discard" });
    expect(result.log).toEqual(["new"]);
    expect(await openQuestions(graph())).not.toEqual(open);
  });

  it("a task whose question is open is not run again by null input", async () => {
    let runs = 0;
    const { graph } = evictable(
      chain({
        ask: () => {
          runs++;
          return { log: [interrupt("q")] };
        },
      }),
    );
    const first = await graph().invoke({}, thread);
    const again = await graph().invoke(null, thread);
    expect(again[INTERRUPT]).toEqual(first[INTERRUPT]);
    expect(runs).toBe(1);
  });

  it("answering a named older checkpoint anew opens a branch, which keeps what its siblings have done", async () => {
    const runs = { ask: 0, sibling: 0 };
    const { graph } = evictable(
      parallel({
        ask: () => {
          runs.ask++;
          return { log: [interrupt("q")] };
        },
        sibling: () => ({ log: [`sibling${++runs.sibling}`] }),
      }),
    );
    await graph().invoke({}, thread);
    const [paused] = await historyOf(graph());
    await graph().invoke(new Command({ resume: "one" }), thread);
    const before = await historyOf(graph());
    const result = await graph().invoke(new Command({ resume: "two" }), at(paused));
    expect(result.log).toEqual(["two", "sibling1"]);
    expect(runs).toEqual({ ask: 3, sibling: 1 });

    const after = await historyOf(graph());
    expect(after.slice(-before.length).map((snapshot) => snapshot.values)).toEqual(
      before.map((snapshot) => snapshot.values),
    );
    const [head, fork] = after;
    expect(head?.metadata?.source).toBe("loop");
    expect(fork?.metadata?.source).toBe("fork");
    expect(fork?.parentConfig).toEqual(paused?.config);
  });

  it("of two questions of a node, the earlier can be answered anew: the later is asked again", async () => {
    const { graph } = evictable(chain({ ask: () => ({ log: [interrupt("1"), interrupt("2")] }) }));
    const first = await graph().invoke({}, thread);
    const [paused] = await historyOf(graph());
    await graph().invoke(new Command({ resume: "a" }), thread);
    await graph().invoke(new Command({ resume: "b" }), thread);
    const id = first[INTERRUPT]?.[0]?.id ?? "";
    const again = await graph().invoke(new Command({ resume: { [id]: "A" } }), at(paused));
    expect(again[INTERRUPT]).toMatchObject([{ value: "2" }]);
    expect((await graph().invoke(new Command({ resume: "B" }), thread)).log).toEqual(["A", "B"]);
  });

  it("without a name, a question that was answered is answered", async () => {
    const { graph } = evictable(chain({ ask: () => ({ log: [interrupt("q")] }) }));
    const first = await graph().invoke({}, thread);
    const id = first[INTERRUPT]?.[0]?.id ?? "";
    await graph().invoke(new Command({ resume: "one" }), thread);
    for (const resume of ["two", { [id]: "two" }])
      await expect(graph().invoke(new Command({ resume }), thread)).rejects.toMatchObject({
        reason: "not_pending",
      });
    expect((await graph().getState(thread)).values.log).toEqual(["one"]);
  });

  it("an update that came with an answer is kept when the node asks on, also when its question is discarded", async () => {
    const { graph } = evictable(chain({ ask: () => ({ log: [interrupt("1"), interrupt("2")] }) }));
    await graph().invoke({}, thread);
    await graph().invoke(new Command({ resume: "a", update: { sum: 5 } }), thread);
    expect((await graph().getState(thread)).values.sum).toBe(5);
    const discarded = await graph().invoke({ sum: 1 }, { ...thread, onInterrupted: "discard" });
    expect(discarded.sum).toBe(6);
    await graph().invoke(new Command({ resume: "a", update: { sum: 5 } }), thread);
    expect(await graph().invoke(new Command({ resume: "b", update: { sum: 5 } }), thread)).toMatchObject({
      sum: 16,
      log: ["a", "b"],
    });
  });

  it("a task at its second question is still next, and answered questions are not listed", async () => {
    const { graph } = evictable(chain({ ask: () => ({ log: [interrupt("1"), interrupt("2")] }) }));
    await graph().invoke({}, thread);
    await graph().invoke(new Command({ resume: "a" }), thread);
    const state = await graph().getState(thread);
    expect(state.next).toEqual(["ask"]);
    expect(state.tasks.map((task) => task.interrupts)).toMatchObject([[{ value: "2" }]]);
  });
});

describe("reducers", () => {
  it("one that throws: the superstep is not applied, and the state can be patched and resumed", async () => {
    const sum = Annotation<number>({
      reducer: (left, right) => {
        if (Number.isNaN(right)) throw new RangeError("not a number");
        return left + right;
      },
      default: () => 0,
    });
    const graph = new StateGraph({ ...State.spec, sum })
      .addNode("bad", () => ({ sum: Number.NaN }))
      .addNode("ok", () => ({ log: ["ok"] }))
      .addEdge(START, "bad")
      .addEdge(START, "ok")
      .compile({ checkpointer: new MemorySaver() });
    await expect(graph.invoke({ log: ["in"] }, thread)).rejects.toMatchObject({
      name: "ReducerError",
      details: { channel: "sum" },
      cause: { message: "not a number" },
    });
    const state = await graph.getState(thread);
    expect(state.values).toEqual({ log: ["in"], sum: 0 });
    expect(state.next).toEqual(["bad", "ok"]);
    expect(state.tasks.map((task) => task.error)).toMatchObject([{ name: "ReducerError" }, undefined]);
    await graph.updateState(thread, { sum: 1 }, "bad");
    expect((await graph.invoke(null, thread)).sum).toBe(1);
  });
});

describe("routes", () => {
  it("a goto to an unknown node fails and names it", async () => {
    const graph = new StateGraph(State)
      .addNode("a", () => new Command({ goto: "nowhere" }))
      .addEdge(START, "a")
      .compile();
    await expect(graph.invoke({})).rejects.toMatchObject({
      name: "UnknownNodeError",
      details: { node: "nowhere" },
    });
    await expect(graph.invoke(new Command({ goto: "nowhere" }))).rejects.toMatchObject({
      code: "unknown_node",
    });
  });

  it.each(["nowhere", 7, new Send("nowhere", {}), new Send(END, {})])(
    "a conditional edge to %j fails and names it",
    async (route) => {
      const graph = new StateGraph(State)
        .addNode("a", () => ({}))
        .addEdge(START, "a")
        .addConditionalEdges("a", () => route)
        .compile();
      await expect(graph.invoke({})).rejects.toMatchObject({ name: "UnknownNodeError" });
    },
  );

  it("a node that an edge and a complete join start at once runs once, and nothing is left", async () => {
    const { graph } = evictable(
      parallel({ a: () => ({}), b: () => ({}) })
        .addNode("d", () => ({ log: ["d"] }))
        .addEdge("a", "d")
        .addEdge(["a", "b"], "d"),
    );
    expect((await graph().invoke({}, thread)).log).toEqual(["d"]);
    expect((await graph().getState(thread)).next).toEqual([]);
  });

  it("a saved node that the graph no longer has is a typed error; the thread stays readable", async () => {
    const { graph, saver } = evictable(chain({ a: () => ({}), old: () => ({ log: [interrupt("q")] }) }));
    await graph().invoke({ log: ["in"] }, thread);
    const renamed = chain({ a: () => ({}), renamed: () => ({ log: ["new"] }) }).compile({
      checkpointer: saver,
    });
    const state = await renamed.getState(thread);
    expect(state).toMatchObject({ values: { log: ["in"] }, next: ["old"] });
    await expect(renamed.invoke(null, thread)).rejects.toMatchObject({
      name: "UnknownNodeError",
      details: { node: "old" },
    });
  });
});

describe("failures", () => {
  it("a sibling that is still running ends and is stored", async () => {
    let runs = 0;
    const { graph } = evictable(
      parallel({
        bad: () => {
          if (runs === 0) throw new Error("at once");
          return { log: ["bad"] };
        },
        slow: async () => {
          await later(3);
          runs++;
          return { log: ["slow"] };
        },
      }),
    );
    await expect(graph().invoke({}, thread)).rejects.toThrow("at once");
    expect((await graph().getState(thread)).values.log).toEqual(["slow"]);
    expect((await graph().invoke(null, thread)).log).toEqual(["bad", "slow"]);
    expect(runs).toBe(1);
  });

  it("several failures are one AggregateError, whenever they come", async () => {
    const { graph } = evictable(
      parallel({
        a: () => {
          throw new Error("first");
        },
        b: async () => {
          await later(2);
          throw new TypeError("second");
        },
      }),
    );
    await expect(graph().invoke({}, thread)).rejects.toMatchObject({
      name: "AggregateError",
      errors: [{ message: "first" }, { message: "second" }],
    });
  });

  it("an error is kept with its name, code and causes", async () => {
    const { graph } = evictable(
      chain({
        a: () => {
          throw Object.assign(new TypeError("m", { cause: new Error("inner") }), { code: "E1" });
        },
      }),
    );
    await expect(graph().invoke({}, thread)).rejects.toThrow("m");
    const [task] = (await graph().getState(thread)).tasks;
    expect(task?.error).toEqual({
      name: "TypeError",
      message: "m",
      code: "E1",
      cause: { name: "Error", message: "inner" },
    });
  });

  it("an error of an earlier attempt is gone when the task has finished", async () => {
    let runs = 0;
    const { graph } = evictable(
      parallel({
        bad: () => {
          if (++runs === 1) throw new Error("once");
          return { log: ["bad"] };
        },
        ask: () => ({ log: [interrupt("q")] }),
      }),
    );
    await expect(graph().invoke({}, thread)).rejects.toThrow("once");
    await graph().invoke(null, thread);
    const { tasks } = await graph().getState(thread);
    expect(tasks.map((task) => task.error)).toEqual([undefined, undefined]);
  });

  it("a task shows what its last attempt came to: its question, or its error", async () => {
    let runs = 0;
    const { graph } = evictable(
      chain({
        a: () => {
          if (++runs === 1) throw new Error("before");
          const answer = interrupt("q");
          if (runs === 3) throw new Error("after");
          return { log: [answer] };
        },
      }),
    );
    const shown = async () =>
      (await graph().getState(thread)).tasks.map(({ error, interrupts }) => [error, interrupts]);
    await expect(graph().invoke({}, thread)).rejects.toThrow("before");
    expect(await shown()).toMatchObject([[{ message: "before" }, []]]);
    await graph().invoke(null, thread);
    expect(await shown()).toMatchObject([[undefined, [{ value: "q" }]]]);
    await expect(graph().invoke(new Command({ resume: "yes" }), thread)).rejects.toThrow("after");
    expect(await shown()).toMatchObject([[{ message: "after" }, []]]);
    expect((await historyOf(graph()))[0]?.tasks[0]?.interrupts).toEqual([]);
    expect((await graph().invoke(null, thread)).log).toEqual(["yes"]);
  });

  it("all chunks of a stream come before its error", async () => {
    const { graph } = evictable(
      new StateGraph(State)
        .addNode("a", () => ({ sum: 1 }))
        .addEdge(START, "a")
        .addEdge("a", "a"),
    );
    const seen: unknown[] = [];
    const drain = async (): Promise<void> => {
      const stream = graph().stream({}, { ...thread, streamMode: "values", recursionLimit: 3 });
      for await (const chunk of stream) seen.push(chunk);
    };
    await expect(drain()).rejects.toMatchObject({ lc_error_code: "GRAPH_RECURSION_LIMIT" });
    expect(seen).toMatchObject([{ sum: 1 }, { sum: 2 }, { sum: 3 }]);
  });
});

describe("commands and updates from outside", () => {
  it("at an older checkpoint, a Command makes one checkpoint; the older one stays as it was", async () => {
    const { graph } = evictable(chain({ a: () => ({ log: ["a"] }), b: () => ({ log: ["b"] }) }));
    await graph().invoke({}, thread);
    const [, middle] = await historyOf(graph());
    await graph().invoke(new Command({ update: { log: ["patched"] } }), at(middle));
    const history = await historyOf(graph());
    expect(history.map((snapshot) => snapshot.metadata?.source)).toEqual([
      "loop",
      "input",
      "loop",
      "loop",
      "loop",
      "input",
    ]);
    expect(history[1]?.parentConfig).toEqual(middle?.config);
    expect(history[3]).toEqual(middle);
    expect(history[0]?.values.log).toEqual(["a", "patched", "b"]);
  });

  it("an update as an unknown node is refused and changes nothing", async () => {
    const { graph } = evictable(chain({ a: () => ({}) }));
    await graph().invoke({}, thread);
    await expect(graph().updateState(thread, {}, "nobody")).rejects.toMatchObject({
      code: "unknown_node",
      details: { node: "nobody" },
    });
    expect(await historyOf(graph())).toHaveLength(3);
  });

  it("a checkpoint that does not exist is a typed error", async () => {
    const { graph } = evictable(chain({ a: () => ({}) }));
    await graph().invoke({}, thread);
    const missing = {
      configurable: { ...thread.configurable, checkpoint_id: "1ef00000-0000-6000-8000-000000000000" },
    };
    const calls = [
      () => graph().invoke({}, missing),
      () => graph().getState(missing),
      () => graph().updateState(missing, {}, "a"),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "checkpoint_not_found" });
  });

  it.each([0, -1, 1.5, Number.NaN])("a recursion limit of %d is refused", async (recursionLimit) => {
    const graph = chain({ a: () => ({}) }).compile();
    await expect(graph.invoke({}, { recursionLimit })).rejects.toMatchObject({
      code: "invalid_recursion_limit",
    });
  });
});

describe("deferred nodes", () => {
  const sending = () =>
    new StateGraph(State)
      .addNode("a", () => new Command({ goto: [new Send("w", { v: 1 }), "late"] }), { ends: ["w", "late"] })
      .addNode("w", () => ({ log: ["w"] }))
      .addNode("late", (state) => ({ log: [["late", ...state.log]] }), { defer: true })
      .addEdge(START, "a");

  it("wait for Sends", async () => {
    expect((await sending().compile().invoke({})).log).toEqual(["w", ["late", "w"]]);
  });

  it("run when a Command goes to them", async () => {
    const graph = sending().compile({ checkpointer: new MemorySaver() });
    await graph.updateState(thread, { log: ["in"] }, "w");
    expect((await graph.invoke(new Command({ goto: "late" }), thread)).log).toEqual(["in", ["late", "in"]]);
  });
});

it("the stream of checkpoints shows the one at which a run stops after a node", async () => {
  const graph = chain({ a: () => ({ log: ["a"] }), b: () => ({}) }).compile({
    checkpointer: new MemorySaver(),
    interruptAfter: ["a"],
  });
  const shown: unknown[] = [];
  for await (const chunk of graph.stream({}, { ...thread, streamMode: "checkpoints" })) shown.push(chunk);
  expect(shown).toMatchObject([{ next: ["__start__"] }, { next: ["a"] }, { next: ["b"] }]);
});

describe("values", () => {
  it("what LangGraph loses survives", async () => {
    const cyclic: Record<string, unknown> = {
      n: 10n,
      at: new Date(0),
      bytes: new Uint8Array([1, 2]),
      map: new Map([["k", new Set([1])]]),
    };
    cyclic["self"] = cyclic;
    const { graph } = evictable(chain({ a: () => ({ v: cyclic }) }));
    await graph().invoke({}, thread);
    const v = (await graph().getState(thread)).values.v as typeof cyclic;
    expect(v).toEqual(cyclic);
    expect(v["self"]).toBe(v);
  });

  it("an instance of a class without a codec is refused at the write, by channel and path", async () => {
    class Money {
      readonly amount = 1;
    }
    const { graph } = evictable(
      parallel({ a: () => ({ v: { paid: [new Money()] } }), ok: () => ({ log: ["ok"] }) }),
    );
    await expect(graph().invoke({}, thread)).rejects.toMatchObject({
      name: "UnserializableError",
      details: { channel: "v", path: ["paid", 0] },
    });
    const state = await graph().getState(thread);
    expect(state).toMatchObject({ next: ["a"], values: { log: ["ok"] } });
    expect(state.tasks[0]?.error).toMatchObject({ name: "UnserializableError" });
  });

  it("results are read-only", async () => {
    const { graph } = evictable(chain({ a: () => ({ log: ["a"], v: { deep: [1] } }) }));
    const result = await graph().invoke({}, thread);
    expect(Object.isFrozen(result.log)).toBe(true);
    const { values } = await graph().getState(thread);
    expect(Object.isFrozen((values.v as { deep: unknown[] }).deep)).toBe(true);
  });
});

describe("input", () => {
  it("without a single key of the state is refused, and an empty one is not", async () => {
    const { graph } = evictable(chain({ a: () => ({ log: ["a"] }) }));
    const typo: object = { lgo: ["in"] };
    await expect(graph().invoke(typo, thread)).rejects.toMatchObject({
      code: "invalid_input",
      details: { keys: ["log", "sum", "v"] },
    });
    expect((await graph().getState(thread)).config.configurable).not.toHaveProperty("checkpoint_id");
    expect((await graph().invoke({}, thread)).log).toEqual(["a"]);
    const partly: object = { log: ["in"], lgo: 1 };
    expect((await graph().invoke(partly, thread)).log).toEqual(["a", "in", "a"]);
  });
});
