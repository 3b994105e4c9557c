import { describe, expect, it } from "vitest";
import { Annotation, Command, END, interrupt, MemorySaver, START, StateGraph } from "tidemark";
import { parseRunInput } from "../../../src/pregel/run-input.ts";
import { at, chain, evictable, historyOf, openQuestions, parallel, thread } from "./support.ts";

class Money {
  readonly amount = 1;
}

describe("a superstep that cannot be stored", () => {
  /** The reducer makes of the writes what no saver can keep. */
  const Unkept = Annotation.Root({
    kept: Annotation<string>(),
    v: Annotation<unknown>({
      reducer: (_left, right) => (right === "fine" ? right : new Money()),
      default: () => 0,
    }),
  });

  it("leaves the thread at its last checkpoint, says why, and can be mended", async () => {
    const runs = { a: 0 };
    const build = new StateGraph(Unkept)
      .addNode("a", () => ({ kept: "a", v: runs.a++ === 0 ? "money" : "fine" }))
      .addNode("b", () => ({ kept: "b" }))
      .addEdge(START, "a")
      .addEdge("a", "b");
    const graph = build.compile({ checkpointer: new MemorySaver() });
    await expect(graph.invoke({ kept: "in" }, thread)).rejects.toMatchObject({ code: "unserializable" });
    const state = await graph.getState(thread);
    expect(state).toMatchObject({ next: ["a"], values: { kept: "in" } });
    expect(state.tasks[0]?.error).toMatchObject({ code: "unserializable", details: { channel: "v" } });
    await expect(graph.invoke(null, thread)).rejects.toMatchObject({ code: "unserializable" });
    expect(runs.a).toBe(1);

    await graph.updateState(thread, { kept: "mended" }, START);
    expect(await graph.invoke(null, thread)).toMatchObject({ kept: "b", v: "fine" });
  });
});

describe("a resume without answers", () => {
  it("is refused at an older checkpoint too", async () => {
    const { graph } = evictable(
      chain({ ask: () => ({ log: [interrupt("q")] }), after: () => ({ log: ["after"] }) }),
    );
    await graph().invoke({}, thread);
    const before = await historyOf(graph());
    const oldest = before.at(-1);
    const answers = { kind: "answers", answers: new Map<string, unknown>() } as const;
    const outcome = await graph().run(answers, at(oldest));
    expect(outcome).toMatchObject({ status: "refused", error: { reason: "empty_map" } });
    expect(await historyOf(graph())).toEqual(before);
    expect(await openQuestions(graph())).toHaveLength(1);
  });
});

it("a default that throws is an error that names the channel, and leaves the thread as it was", async () => {
  let isBroken = false;
  const log = Annotation<string[]>({
    reducer: (left, right) => left.concat(right),
    default: () => {
      if (isBroken) throw new RangeError("broken");
      return [];
    },
  });
  const graph = new StateGraph(Annotation.Root({ log }))
    .addNode("a", () => ({ log: ["a"] }))
    .addEdge(START, "a")
    .compile({ checkpointer: new MemorySaver() });
  await graph.invoke({ log: ["in"] }, thread);
  isBroken = true;
  const failure = { code: "channel_load_failed", details: { channel: "log" }, cause: { name: "RangeError" } };
  await expect(graph.invoke({ log: ["again"] }, thread)).rejects.toMatchObject(failure);
  await expect(graph.getState(thread)).rejects.toMatchObject(failure);
  await expect(graph.updateState(thread, { log: ["edit"] })).rejects.toMatchObject(failure);
  isBroken = false;
  expect((await graph.getState(thread)).values.log).toEqual(["in", "a"]);
});

describe("an edit", () => {
  const Sum = Annotation.Root({
    sum: Annotation<number>({
      reducer: (left, right) => {
        if (right < 0) throw new RangeError("negative");
        return left + right;
      },
      default: () => 0,
    }),
  });
  const build = () =>
    new StateGraph(Sum)
      .addNode("a", () => ({ sum: 1 }))
      .addEdge(START, "a")
      .addConditionalEdges("a", ({ sum }) => {
        if (sum > 100) throw new RangeError("too much");
        return END;
      })
      .compile({ checkpointer: new MemorySaver() });

  it.each([
    ["a reducer", -1, "reducer_failed"],
    ["a conditional edge", 1000, undefined],
  ])("that %s refuses is an error of the update", async (_, sum, code) => {
    const compiled = build();
    await compiled.invoke({ sum: 1 }, thread);
    const before = await compiled.getState(thread);
    await expect(compiled.updateState(thread, { sum }, "a")).rejects.toMatchObject({
      name: "InvalidUpdateError",
      details: { node: "a" },
      cause: code === undefined ? { name: "RangeError" } : { code },
    });
    expect(await compiled.getState(thread)).toEqual(before);
  });

  it("at the head by its name keeps what finished beside a question", async () => {
    const { graph: paused } = evictable(
      parallel({ ask: () => ({ log: [interrupt("q")] }), done: () => ({ log: ["done"] }) }),
    );
    await paused().invoke({ log: ["in"] }, thread);
    const head = await paused().getState(thread);
    await paused().updateState(at(head), { log: ["edit"] }, "done");
    expect((await paused().getState(thread)).values.log).toEqual(["in", "done", "edit"]);
  });
});

describe("a run that is entered again", () => {
  it("keeps to the limit that it was started with", async () => {
    const saver = new MemorySaver();
    const loop = new StateGraph(Annotation.Root({ n: Annotation<number>() }))
      .addNode("a", ({ n }) => ({ n: n + 1 }))
      .addEdge(START, "a")
      .addConditionalEdges("a", () => "a")
      .compile({ checkpointer: saver });
    const config = { ...thread, recursionLimit: 10 };
    let lastStep = Number.NaN;
    const stopped = new AbortController();
    const first = await loop.run(parseRunInput({ n: 0 }), {
      ...config,
      signal: stopped.signal,
      onInputApplied: (step) => (lastStep = step),
      modes: new Set(["values"]),
      emit: ({ payload }) => {
        if (JSON.stringify(payload) === '{"n":8}') stopped.abort();
      },
    });
    expect(first.status).toBe("cancelled");
    const second = await loop.run({ kind: "continue" }, { ...config, lastStep });
    expect(second).toMatchObject({ status: "failed", error: { code: "graph_recursion_limit" } });
    expect((await loop.getState(thread)).values.n).toBe(10);
  });
});

describe("going on at the newest checkpoint by its name", () => {
  it("keeps the answers that were given there, also when it is a fork", async () => {
    const ask = (name: string) => () => ({ log: [name, interrupt(name)] });
    const { graph } = evictable(parallel({ a: ask("a"), b: ask("b") }));
    await graph().invoke({}, thread);
    await graph().invoke(null, at((await historyOf(graph())).at(-1)));
    const [first] = await openQuestions(graph());
    await graph().invoke(new Command({ resume: { [first?.id ?? ""]: "yes" } }), thread);
    const head = await graph().getState(thread);
    await graph().invoke(null, at(head));
    expect((await openQuestions(graph())).map((question) => question.value)).toEqual(["b"]);
    expect((await graph().getState(thread)).values.log).toEqual(["a", "yes"]);
  });
});
