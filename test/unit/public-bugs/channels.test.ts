import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  Annotation,
  Command,
  interrupt,
  MemorySaver,
  Overwrite,
  START,
  StateGraph,
  StateSchema,
} from "tidemark";
import { chain, evictable, later, parallel, State, thread } from "../pregel/support.ts";

/** Faults that users met in systems like this one, by their ids in the collection of cases: channels. */

describe("CHA-02: a reducer that returns undefined", () => {
  function graphWith(reducer: (left: unknown, right: unknown) => unknown) {
    const channels = Annotation.Root({
      x: Annotation<unknown>({ reducer, default: () => "d" }),
      log: State.spec.log,
    });
    return new StateGraph(channels)
      .addNode("a", () => ({ x: "b" }))
      .addNode("show", (state) => ({ log: [state.x] }))
      .addEdge(START, "a")
      .addEdge("a", "show")
      .compile({ checkpointer: new MemorySaver() });
  }

  it("is called for every write, and its undefined is the value", async () => {
    const calls: unknown[] = [];
    const graph = graphWith((left, right) => {
      calls.push([left, right]);
      return undefined;
    });
    await graph.invoke({ x: "a" }, thread);
    const expected = [
      ["d", "a"],
      [undefined, "b"],
    ];
    expect(calls).toEqual(expected);
    expect((await graph.getState(thread)).values).toEqual({ log: [undefined], x: undefined });
  });

  it("goes on from there when it did so once", async () => {
    const graph = graphWith((left, right) =>
      right === "a" ? undefined : `${String(left)}+${String(right)}`,
    );
    expect((await graph.invoke({ x: "a" }, thread)).x).toBe("undefined+b");
    expect((await graph.invoke({ x: "c" }, thread)).x).toBe("undefined+b+c+b");
  });
});

it("CHA-03: defaults count, for a reducer and for a key that nobody writes", async () => {
  const graph = new StateGraph(
    new StateSchema({ unwritten: z.string().default("x"), n: z.number().optional() }),
  )
    .addNode("a", () => ({ n: 1 }))
    .addEdge(START, "a")
    .compile({ checkpointer: new MemorySaver() });
  expect(await graph.invoke({}, thread)).toEqual({ unwritten: "x", n: 1 });
  expect((await graph.getState(thread)).values).toEqual({ unwritten: "x", n: 1 });

  const sum = Annotation<number>({ reducer: (left, right) => left + right, default: () => 10 });
  const adding = new StateGraph(Annotation.Root({ sum }))
    .addNode("a", () => ({ sum: 5 }))
    .addEdge(START, "a")
    .compile({ checkpointer: new MemorySaver() });
  expect(await adding.invoke({}, thread)).toEqual({ sum: 15 });
  expect((await adding.getState(thread)).values).toEqual({ sum: 15 });
});

it("CHA-06: the update of a Command leaves what it does not name as it was saved", async () => {
  const state = z.object({ a: z.number().default(0), b: z.string().default("x") });
  const saver = new MemorySaver();
  const graph = () =>
    new StateGraph(state)
      .addNode("ask", () => {
        interrupt("q");
        return {};
      })
      .addEdge(START, "ask")
      .compile({ checkpointer: saver });
  await graph().invoke({ a: 5 }, thread);
  const result = await graph().invoke(new Command({ resume: 1, update: { b: "y" } }), thread);
  expect(result).toEqual({ a: 5, b: "y" });
  expect((await graph().getState(thread)).values).toEqual({ a: 5, b: "y" });
});

it("CHA-08: an Overwrite counts alone among writes of its superstep, in whatever order they come", async () => {
  for (let round = 0; round < 50; round++) {
    const writes = (log: unknown[] | Overwrite<unknown[]>) => async () => {
      await later(Math.random() * 3);
      return { log };
    };
    const { graph } = evictable(
      parallel({ a: writes(["a"]), m: writes(new Overwrite<unknown[]>(["Z"])), z: writes(["z"]) }),
    );
    expect((await graph().invoke({ log: ["in"] }, thread)).log).toEqual(["Z"]);
    expect((await graph().getState(thread)).values.log).toEqual(["Z"]);
  }
});

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
