import { z } from "zod";
import { describe, expect, it } from "vitest";
import { Annotation, Command, END, interrupt, MemorySaver, Send, START, StateGraph } from "tidemark";
import { chain, evictable, historyOf, later, parallel, State, thread } from "../pregel/support.ts";
import { graphOf } from "../oracle/policy-cases.ts";
import { both } from "./both.ts";

/** docs/differences.md: supersteps. */

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

it("a conditional edge that throws fails its node", async () => {
  const seen = await both(async (library) => {
    const record: unknown[] = [];
    for (const options of [{}, { errorHandler: () => ({ log: ["handled"] }) }]) {
      let calls = 0;
      const graph = graphOf(library)
        .addNode("a", () => ({ log: ["a"] }), options)
        .addNode("b", () => ({ log: ["b"] }))
        .addEdge(START, "a")
        .addConditionalEdges("a", () => {
          if (calls++ === 0) throw new Error("no way");
          return "b";
        })
        .compile({ checkpointer: new library.MemorySaver() });
      const first = await graph.invoke({}, thread).catch((error: Error) => error.message);
      const { next, tasks } = await graph.getState(thread);
      const again = (await graph.invoke(null, thread))["log"];
      record.push([first, next, tasks.map(({ result }) => result), again]);
    }
    return record;
  });
  const handled = { log: ["handled"], sum: 0 };
  expect(seen).toEqual({
    here: [
      ["no way", ["a"], [undefined], ["a", "b"]],
      [handled, [], [], ["handled"]],
    ],
    there: [
      ["no way", [], [{ log: ["a"] }], ["a"]],
      [{ ...handled, log: ["a", "handled"] }, [], [], ["a", "handled"]],
    ],
  });
});

it("a Send is an object of the class: data of its form, as from outside, is none", async () => {
  const forged: unknown = { lg_name: "Send", node: "a", args: {} };
  const graph = new StateGraph(State)
    .addNode("a", () => ({ v: forged }))
    .addEdge(START, "a")
    .addConditionalEdges("a", (state) => state.v as Send)
    .compile();
  await expect(graph.invoke({ sum: 1 })).rejects.toMatchObject({ name: "UnknownNodeError" });
});

it("an error stays as it was thrown", async () => {
  const seen = await both(async (library) => {
    const error = new Error("no");
    const graph = graphOf(library)
      .addNode("a", () => {
        throw error;
      })
      .addEdge(START, "a")
      .compile();
    await expect(graph.invoke({})).rejects.toBe(error);
    return Object.keys(error);
  });
  expect(seen).toEqual({ here: [], there: ["pregelTaskId"] });
});

it("a Send without arguments is run", async () => {
  const seen = await both(async (library) => {
    const graph = graphOf(library)
      .addNode("w", (args) => ({ log: [typeof args] }))
      .addConditionalEdges(START, () => [new library.Send("w", undefined)], ["w"])
      .compile();
    return (await graph.invoke({ log: ["in"] }))["log"];
  });
  expect(seen).toEqual({ here: ["in", "undefined"], there: ["in"] });
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

it("a node gets all that a Send brings, also after a restart", async () => {
  const seen = await both(async (library) => {
    const state = new library.StateSchema({
      got: z.string().optional(),
      secret: new library.UntrackedValue(z.string().optional()),
    });
    const checkpointer = new library.MemorySaver();
    const graph = () =>
      new library.StateGraph(state)
        .addNode("plan", () => ({ secret: "s" }))
        .addNode("w", (args) => ({ got: JSON.stringify(args) }))
        .addEdge(START, "plan")
        .addConditionalEdges("plan", () => [new library.Send("w", { i: 1, secret: "s" })], ["w"])
        .compile({ checkpointer, interruptBefore: ["w"] });
    await graph().invoke({ secret: "s" }, thread);
    const written: string[] = [];
    for await (const { pendingWrites = [] } of checkpointer.list(thread))
      for (const [, channel, value] of pendingWrites)
        if (channel === "__pregel_tasks") written.push(JSON.stringify(value));
    return [written.map((packet) => packet.includes("secret")), (await graph().invoke(null, thread))["got"]];
  });
  const got = '{"i":1,"secret":"s"}';
  expect(seen).toEqual({ here: [[true], got], there: [[false], got] });
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
