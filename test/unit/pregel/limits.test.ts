import { describe, expect, it } from "vitest";
import {
  Annotation,
  Command,
  entrypoint,
  interrupt,
  isLimitReached,
  LimitReachedError,
  MemorySaver,
  reportUsage,
  type RunLimits,
  START,
  StateGraph,
  task,
  type Usage,
} from "tidemark";
import type { RunInput, RunOptions } from "tidemark/pregel";
import { ManualClock } from "./manual-clock.ts";
import { chain, historyOf, openQuestions, State, thread } from "./support.ts";

const INPUT = { kind: "input", value: { log: [] } } as const;
const GO_ON = { kind: "continue" } as const;

const Count = Annotation.Root({ n: Annotation<number>() });

/** Uses so much, so many times. */
function loop(times: number, use: (turn: number) => Usage = () => ({ tokens: 10 })) {
  return new StateGraph(Count)
    .addNode("work", ({ n }, config) => {
      config.reportUsage(use(n));
      return { n: n + 1 };
    })
    .addEdge(START, "work")
    .addConditionalEdges("work", ({ n }) => (n < times ? "work" : "__end__"));
}

/** A graph of one thread, with a clock that stands still. */
function on<T extends { compile(options: { checkpointer: MemorySaver }): unknown }>(builder: T) {
  const saver = new MemorySaver();
  const clock = new ManualClock();
  const graph = builder.compile({ checkpointer: saver }) as ReturnType<T["compile"]>;
  return { saver, clock, graph };
}

type Runnable = { run(input: RunInput, options: RunOptions): Promise<{ readonly status: string }> };

function starter(graph: Runnable, clock?: ManualClock) {
  const environment = clock === undefined ? {} : { environment: clock };
  return (limits: RunLimits | undefined, input: RunInput = GO_ON, options: RunOptions = {}) =>
    graph.run(input, { ...thread, ...environment, ...(limits && { limits }), ...options });
}

async function usageOf(graph: { getState(config: typeof thread): Promise<{ metadata?: object }> }) {
  const { metadata = {} } = await graph.getState(thread);
  return "usage" in metadata ? metadata.usage : undefined;
}

describe("limits of a run", () => {
  it("pause it before the superstep that goes beyond, and each run counts anew", async () => {
    const { graph } = on(loop(6));
    const run = starter(graph);
    const limits = { supersteps: 2 };
    expect(await run(limits, { kind: "input", value: { n: 0 } })).toMatchObject({
      status: "limited",
      limit: "supersteps",
      used: 2,
      allowed: 2,
      checkpointId: (await graph.getState(thread)).config.configurable?.checkpoint_id,
    });
    expect(await graph.getState(thread)).toMatchObject({ values: { n: 2 }, next: ["work"] });
    expect(await run(limits)).toMatchObject({ status: "limited", used: 2 });
    expect((await graph.getState(thread)).values).toEqual({ n: 4 });
    expect(await run(limits)).toMatchObject({ status: "success" });
  });

  it("count what nodes report, and say which of two was reached first", async () => {
    const { graph } = on(loop(9, (turn) => ({ tokens: 10, usd: turn / 100 })));
    const run = starter(graph);
    const limits = { supersteps: 3, usage: { tokens: 1000, usd: 0.03 } };
    expect(await run({ usage: { tokens: 20 } }, { kind: "input", value: { n: 0 } })).toMatchObject({
      limit: "usage.tokens",
      used: 20,
      allowed: 20,
    });
    expect(await run(limits)).toMatchObject({ limit: "usage.usd", used: 0.05 });
    expect(await run({ ...limits, usage: { usd: 100 } })).toMatchObject({ limit: "supersteps", used: 3 });
    expect(await usageOf(graph)).toEqual({ tokens: 70, usd: expect.closeTo(0.21) });
  });

  it("count time from the start of the run", async () => {
    const { graph, clock } = on(
      chain({
        a: () => {
          clock.time += 1500;
          return {};
        },
        b: () => ({}),
      }),
    );
    const run = starter(graph, clock);
    expect(await run({ seconds: 1.5 }, INPUT)).toMatchObject({ limit: "seconds", used: 1.5, allowed: 1.5 });
    expect(await run({ seconds: 1.5 })).toMatchObject({ status: "success" });
  });

  it("reject invoke with what was reached, from where null goes on", async () => {
    const { graph } = on(loop(3));
    const limited = graph.invoke({ n: 0 }, { ...thread, limits: { supersteps: 1 } });
    const error: unknown = await limited.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(LimitReachedError);
    expect(isLimitReached(error) && error.reached).toEqual({ limit: "supersteps", used: 1, allowed: 1 });
    expect(await graph.invoke(null, thread)).toEqual({ n: 3 });
  });

  it.each([
    [[]],
    [{ tokens: 1 }],
    [{ supersteps: 0 }],
    [{ supersteps: 1.5 }],
    [{ seconds: Number.NaN }],
    [{ usage: { tokens: 0 } }],
    [{ usage: { "": 1 } }],
    [{ usage: 5 }],
  ])("are refused where they are none: %j", async (limits) => {
    const { graph } = on(loop(3));
    const refused = graph.invoke({ n: 0 }, { ...thread, limits: limits as RunLimits });
    await expect(refused).rejects.toMatchObject({ code: "invalid_limits" });
  });
});

describe("usage", () => {
  it("is counted where a node fails, tries again, asks, or is called", async () => {
    let attempts = 0;
    const called = task("called", () => reportUsage({ called: 1 }));
    const { graph } = on(
      new StateGraph(State)
        .addNode(
          "retried",
          (_, config) => {
            config.reportUsage({ tries: 1 });
            if (++attempts < 3) throw new Error("not yet");
            return {};
          },
          { retryPolicy: { maxAttempts: 3, initialInterval: 0, jitter: false, retryOn: () => true } },
        )
        .addNode("asks", async (_, config) => {
          config.reportUsage({ asked: 1 });
          await called();
          return { log: [interrupt("?")] };
        })
        .addNode("fails", (_, config) => {
          config.reportUsage({ failed: 1 });
          if (attempts++ < 10) throw new Error("broken");
          return {};
        })
        .addEdge(START, "retried")
        .addEdge("retried", "asks")
        .addEdge("asks", "fails"),
    );
    const run = starter(graph);
    expect(await run(undefined, INPUT)).toMatchObject({ status: "interrupted" });
    expect(await usageOf(graph)).toEqual({ tries: 3 });
    const [question] = await openQuestions(graph);
    const answers = new Map([[question?.id ?? "", "yes"]]);
    expect(await run(undefined, { kind: "answers", answers })).toMatchObject({ status: "failed" });
    // The node has run twice, the task that it calls once.
    expect(await usageOf(graph)).toEqual({ tries: 3, asked: 2, called: 1 });
    attempts = 10;
    expect(await run({ usage: { failed: 2 } })).toMatchObject({ status: "success" });
    expect(await usageOf(graph)).toEqual({ tries: 3, asked: 2, called: 1, failed: 2 });
    expect((await graph.getState(thread)).values).toEqual({ log: ["yes"], sum: 0 });
  });

  it("is shown nowhere among values, results and updates", async () => {
    const { graph } = on(
      chain({
        a: () => (reportUsage({ tokens: 1 }), { log: ["a"] }),
        b: () => ({ log: [interrupt("?")] }),
      }),
    );
    const chunks = [];
    for await (const chunk of graph.stream({ log: [] }, { ...thread, streamMode: ["updates", "tasks"] }))
      chunks.push(chunk);
    expect(JSON.stringify(chunks)).not.toMatch(/tokens|__scheduled__/);
    expect(JSON.stringify((await graph.getState(thread)).tasks)).not.toMatch(/tokens|__scheduled__/);
  });

  it("of a finished task is not lost when the superstep is not", async () => {
    const { graph } = on(
      new StateGraph(State)
        .addNode("a", (_, config) => (config.reportUsage({ tokens: 7 }), {}))
        .addNode("b", () => ({ log: [interrupt("?")] }))
        .addEdge(START, "a")
        .addEdge(START, "b"),
    );
    await graph.invoke({ log: [] }, thread);
    expect(await usageOf(graph)).toBeUndefined();
    await graph.invoke(new Command({ resume: "yes" }), thread);
    expect(await usageOf(graph)).toEqual({ tokens: 7 });
  });

  it("goes on with edits and forks, and counts nothing twice there", async () => {
    const { graph } = on(
      new StateGraph(State)
        .addNode("a", (_, config) => (config.reportUsage({ tokens: 7 }), { log: ["a"] }))
        .addNode("b", () => ({ log: [interrupt("?")] }))
        .addEdge(START, "a")
        .addEdge(START, "b"),
    );
    await graph.invoke({ log: [] }, thread);
    const [asking] = await historyOf(graph);
    await graph.updateState(thread, { v: 1 }, "a");
    expect(await usageOf(graph)).toEqual({ tokens: 7 });
    await graph.invoke(new Command({ resume: "yes" }), thread);
    expect(await usageOf(graph)).toEqual({ tokens: 7 });
    const named = { configurable: { ...thread.configurable, ...asking?.config.configurable } };
    await graph.invoke(new Command({ resume: "no" }), named);
    expect(await graph.getState(thread)).toMatchObject({ values: { log: ["a", "no"] } });
    expect(await usageOf(graph)).toEqual({ tokens: 7 });
  });

  it.each([[{ tokens: -1 }], [{ tokens: Infinity }], [{ "": 1 }], [[1]], [null], [7]])(
    "must be amounts by name, not %j",
    async (used) => {
      const { graph } = on(
        new StateGraph(State).addNode("a", () => (reportUsage(used as never), {})).addEdge(START, "a"),
      );
      await expect(graph.invoke({ log: [] }, thread)).rejects.toMatchObject({ code: "invalid_usage" });
    },
  );

  it("is reported by entrypoints too, and by nobody outside of a task", async () => {
    const spend = task("spend", (tokens: number) => reportUsage({ tokens }));
    const saver = new MemorySaver();
    const work = entrypoint({ checkpointer: saver, name: "work" }, async () => {
      await Promise.all([spend(1), spend(2)]);
      return "done";
    });
    expect(await work.invoke(null, thread).catch(String)).toMatch(/nothing to continue/);
    expect(await work.invoke("go", thread)).toBe("done");
    expect((await saver.getTuple(thread))?.metadata?.["usage"]).toEqual({ tokens: 3 });
    expect(() => reportUsage({ tokens: 1 })).toThrow(/outside of a running node/);
  });
});

describe("a graph inside a node", () => {
  function nested(checkpointer: boolean | undefined, times = 6) {
    let visits = 0;
    const inner = loop(times).compile(checkpointer === undefined ? {} : { checkpointer });
    const builder = new StateGraph(Count)
      .addNode(
        "outer",
        async (_, config) => {
          visits += 1;
          config.reportUsage({ visits: 1 });
          return inner.invoke({ n: 0 });
        },
        { subgraphs: [inner] },
      )
      .addNode("again", async () => (checkpointer === true ? inner.invoke({ n: 0 }) : {}), {
        subgraphs: [inner],
      })
      .addEdge(START, "outer")
      .addEdge("outer", "again");
    return { ...on(builder), visits: () => visits };
  }

  it.each([[undefined], [true]])("uses what its run may use, and goes on where it was (%s)", async (kind) => {
    const { graph, visits } = nested(kind);
    const run = starter(graph);
    const limits = { usage: { tokens: 20 } };
    const input = { kind: "input", value: { n: 0 } } as const;
    for (const each of [input, GO_ON]) {
      expect(await run(limits, each)).toMatchObject({ status: "limited", limit: "usage.tokens", used: 20 });
      expect((await graph.getState(thread)).next).toEqual(["outer"]);
    }
    expect(await run({ supersteps: 1 })).toMatchObject({ status: "limited", limit: "supersteps" });
    expect(visits()).toBe(3);
    expect(await usageOf(graph)).toEqual({ tokens: 60, visits: 3 });
    expect(await run(undefined)).toMatchObject({ status: "success" });
    // What it keeps of earlier visits is not used again.
    expect(await usageOf(graph)).toEqual({ tokens: kind === true ? 120 : 60, visits: 3 });
  });

  it("that keeps nothing begins anew, and what it has used stays used", async () => {
    const { graph } = nested(false);
    const run = starter(graph);
    expect(await run({ usage: { tokens: 20 } }, { kind: "input", value: { n: 0 } })).toMatchObject({
      status: "limited",
      used: 20,
    });
    expect(await run(undefined)).toMatchObject({ status: "success" });
    expect(await usageOf(graph)).toEqual({ tokens: 80, visits: 2 });
  });

  it("has no limits of its own", async () => {
    const inner = loop(2).compile();
    const { graph } = on(
      new StateGraph(Count)
        .addNode("outer", () => inner.invoke({ n: 0 }, { limits: { supersteps: 1 } }))
        .addEdge(START, "outer"),
    );
    await expect(graph.invoke({ n: 0 }, thread)).rejects.toMatchObject({ code: "invalid_limits" });
  });
});

describe("an attempt that goes on with a run", () => {
  it("has what is left of its limits", async () => {
    let crashes = 1;
    const { graph, clock } = on(
      loop(20, (turn) => {
        if (turn === 3 && crashes-- > 0) throw new Error("crash");
        clock.time += 100;
        return { tokens: 10 };
      }),
    );
    await starter(graph, clock)({ supersteps: 1 }, { kind: "input", value: { n: 0 } });
    const startedAt = clock.time;
    let start: Parameters<NonNullable<RunOptions["onInputApplied"]>>[1];
    const onInputApplied: RunOptions["onInputApplied"] = (_, given) => void (start = given);
    const limits: RunLimits = { supersteps: 9, seconds: 0.9, usage: { tokens: 80 } };
    const first = starter(graph, clock)(limits, GO_ON, { onInputApplied });
    expect(await first).toMatchObject({ status: "failed" });
    expect(start).toEqual({ step: 1, usage: { tokens: 10 } });
    const again = (over: RunLimits) =>
      starter(graph, clock)({ ...limits, ...over }, GO_ON, { limitOptions: { start, startedAt } });
    expect(await again({})).toMatchObject({ limit: "usage.tokens", used: 80 });
    expect(await again({ usage: {} })).toMatchObject({ limit: "supersteps", used: 9 });
    expect(await again({ usage: {}, supersteps: 99, seconds: 1 })).toMatchObject({ limit: "seconds" });
  });
});
