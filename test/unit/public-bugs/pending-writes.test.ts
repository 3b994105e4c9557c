import { describe, expect, it } from "vitest";
import { Command, INTERRUPT, interrupt, MemorySaver, START, StateGraph } from "tidemark";
import { evictable, openQuestions, parallel, State, thread } from "../pregel/support.ts";

/** Faults that users met in systems like this one, by their ids in the collection of cases: pending writes. */

describe("PEN-01: a question beside what a task has written", () => {
  it("has a place of its own in the saver", async () => {
    const saver = new MemorySaver();
    const graph = parallel({ a: () => ({}) }).compile({ checkpointer: saver });
    await graph.updateState(thread, {}, "a");
    const { config } = await graph.getState(thread);
    const at = { configurable: { thread_id: "t", checkpoint_ns: "", ...config.configurable } };
    await saver.putWrites(at, [["log", "x"]], "task");
    await saver.putWrites(at, [[INTERRUPT, [{ id: "i", value: "q" }]]], "task");
    const writes = (await saver.getTuple(at))?.pendingWrites ?? [];
    expect(writes.map(([, channel, value]) => [channel, value])).toEqual(
      expect.arrayContaining([
        ["log", "x"],
        [INTERRUPT, [{ id: "i", value: "q" }]],
      ]),
    );
  });

  it("does not lose a chunk that its task has written before", async () => {
    const { graph } = evictable(
      new StateGraph(State)
        .addNode("ask", (_, { writer }) => {
          writer?.("before");
          return { log: [interrupt("q")] };
        })
        .addEdge(START, "ask"),
    );
    const chunks: unknown[] = [];
    for await (const chunk of graph().stream({}, { ...thread, streamMode: "custom" })) chunks.push(chunk);
    expect(chunks).toEqual(["before"]);
    expect(await openQuestions(graph())).toMatchObject([{ value: "q" }]);
    expect((await graph().invoke(new Command({ resume: "yes" }), thread)).log).toEqual(["yes"]);
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

it("PEN-07: an error handler whose result is stored does not run again", async () => {
  const runs = { a: 0, handler: 0, b: 0 };
  const { graph } = evictable(
    new StateGraph(State)
      .addNode(
        "a",
        () => {
          runs.a++;
          throw new Error("a");
        },
        { errorHandler: () => ({ log: [`handled${++runs.handler}`] }) },
      )
      .addNode("b", () => {
        if (++runs.b === 1) throw new Error("b");
        return { log: ["b"] };
      })
      .addEdge(START, "a")
      .addEdge(START, "b"),
  );
  await expect(graph().invoke({}, thread)).rejects.toThrow("b");
  expect((await graph().invoke(null, thread)).log).toEqual(["handled1", "b"]);
  expect(runs).toEqual({ a: 1, handler: 1, b: 2 });
});
