import { describe, expect, it } from "vitest";
import {
  entrypoint,
  GraphDrained,
  INTERRUPT,
  interrupt,
  MemorySaver,
  RunControl,
  Send,
  START,
  StateGraph,
  task,
} from "tidemark";
import { ManualClock } from "./manual-clock.ts";
import { chain, evictable, later, parallel, State, thread } from "./support.ts";

describe("stepTimeout", () => {
  const slow = (clock: ManualClock, signals: AbortSignal[] = []) =>
    parallel({ quick: () => ({ log: ["quick"] }) })
      .addNode("slow", async (_, { signal }) => {
        signals.push(signal);
        await clock.sleep(100);
        return { log: ["slow"] };
      })
      .addEdge(START, "slow");

  it("ends a superstep that takes too long; finished tasks are kept, late ones are not", async () => {
    const clock = new ManualClock();
    const signals: AbortSignal[] = [];
    const graph = slow(clock, signals)
      .compile({ checkpointer: new MemorySaver() })
      .withOptions({ environment: clock, stepTimeout: 50 });
    await expect(clock.during(graph.invoke({}, thread))).rejects.toMatchObject({
      name: "StepTimeoutError",
      details: { step: 1, timeout: 50 },
    });
    expect(signals[0]?.reason).toMatchObject({ name: "StepTimeoutError" });
    await clock.during(clock.sleep(100));
    const state = await graph.getState(thread);
    expect([state.values.log, state.next]).toEqual([["quick"], ["slow"]]);
  });

  it("what a node returns when it hears of it comes too late", async () => {
    const clock = new ManualClock();
    const graph = chain({})
      .addNode("a", async (_, { signal }) => {
        await new Promise((resolve) => {
          signal.addEventListener("abort", resolve);
        });
        return { log: ["late"] };
      })
      .addEdge(START, "a")
      .compile({ checkpointer: new MemorySaver() })
      .withOptions({ environment: clock, stepTimeout: 50 });
    await expect(clock.during(graph.invoke({}, thread))).rejects.toThrow("more than 50 ms");
    await later();
    expect((await graph.getState(thread)).next).toEqual(["a"]);
  });

  it("leaves others alone, and no timer behind", async () => {
    const clock = new ManualClock();
    const graph = slow(clock).compile().withOptions({ environment: clock });
    graph.stepTimeout = 101;
    expect((await clock.during(graph.invoke({ v: 1 }))).log).toEqual(["quick", "slow"]);
    expect(clock.sleeping).toBe(0);
  });
});

describe("maxConcurrency", () => {
  const workers = (running: { now: number; most: number }) =>
    new StateGraph(State)
      .addNode("w", async (state) => {
        running.most = Math.max(running.most, ++running.now);
        await later(Number(state.v) % 3);
        running.now--;
        if (state.v === 5) throw new Error("five");
        return { log: [state.v] };
      })
      .addConditionalEdges(START, () => Array.from({ length: 12 }, (_, v) => new Send("w", { v })), ["w"]);

  it.each([1, 3, 12, 50])("%d tasks at a time", async (maxConcurrency) => {
    const running = { now: 0, most: 0 };
    const graph = workers(running).compile({ checkpointer: new MemorySaver() });
    await expect(graph.invoke({}, { ...thread, maxConcurrency })).rejects.toThrow("five");
    expect(running.most).toBe(Math.min(maxConcurrency, 12));
    expect((await graph.getState(thread)).values.log).toEqual([0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11]);
  });

  const counted = (running: { now: number; most: number }) =>
    task("counted", async (value: number) => {
      running.most = Math.max(running.most, ++running.now);
      await later();
      running.now--;
      return value;
    });

  it.each([1, 2, 4])("%d of the tasks that an entrypoint calls at a time", async (maxConcurrency) => {
    const running = { now: 0, most: 0 };
    const work = counted(running);
    const outer = task("outer", async (value: number) => (await work(value)) + (await work(value)));
    const flow = entrypoint({ name: "flow" }, () => Promise.all([1, 2, 3, 4, 5, 6].map(outer)));
    expect(await flow.invoke("", { maxConcurrency })).toEqual([2, 4, 6, 8, 10, 12]);
    expect(running.most).toBe(maxConcurrency);
  });

  it("counts what nodes call beside the nodes, also what an error handler calls", async () => {
    const running = { now: 0, most: 0 };
    const work = counted(running);
    const calling = async (): Promise<{ log: number[] }> => ({ log: await Promise.all([work(1), work(2)]) });
    const graph = parallel({ a: calling, b: calling, c: calling })
      .addNode(
        "d",
        () => {
          throw new Error("d");
        },
        { errorHandler: calling },
      )
      .addEdge(START, "d")
      .compile();
    const { log } = await graph.invoke({}, { maxConcurrency: 2 });
    expect(log).toEqual([1, 2, 1, 2, 1, 2, 1, 2]);
    expect(running.most).toBe(2);
    running.most = 0;
    await graph.invoke({}, { maxConcurrency: 1 });
    expect(running.most).toBe(1);
  });

  it("starts nothing more when the run is cancelled", async () => {
    const controller = new AbortController();
    let started = 0;
    const graph = parallel(
      Object.fromEntries(
        ["a", "b", "c"].map((name) => [
          name,
          async () => {
            started++;
            controller.abort(new Error("stop"));
            await later();
            return {};
          },
        ]),
      ),
    ).compile();
    const options = { maxConcurrency: 1, signal: controller.signal };
    await expect(graph.invoke({ v: 1 }, options)).rejects.toThrow("stop");
    await later(5);
    expect(started).toBe(1);
  });

  it("refuses less than one", async () => {
    const graph = chain({ a: () => ({}) }).compile();
    await expect(graph.invoke({ v: 1 }, { maxConcurrency: 0 })).rejects.toMatchObject({
      code: "invalid_max_concurrency",
    });
  });
});

describe("drain", () => {
  const drains = () =>
    chain({})
      .addNode("a", (_, config) => {
        config.control?.requestDrain("deploy");
        return { log: ["a"] };
      })
      .addNode("b", () => ({ log: ["b"] }))
      .addEdge(START, "a")
      .addEdge("a", "b");

  it("stops after the superstep, and the thread goes on from there", async () => {
    const { graph } = evictable(drains());
    const control = new RunControl();
    const run = graph().invoke({}, { ...thread, control });
    await expect(run).rejects.toMatchObject({ name: "GraphDrained", reason: "deploy" });
    await expect(run).rejects.toBeInstanceOf(GraphDrained);
    expect((await graph().getState(thread)).next).toEqual(["b"]);
    expect((await graph().invoke(null, thread)).log).toEqual(["a", "b"]);
  });

  it("a run that has nothing left to do ends as a success", async () => {
    const { graph } = evictable(
      chain({})
        .addNode("a", (_, config) => {
          config.control?.requestDrain();
          return { log: ["a"] };
        })
        .addEdge(START, "a"),
    );
    const control = new RunControl();
    expect((await graph().invoke({}, { ...thread, control })).log).toEqual(["a"]);
    expect(control.drainReason).toBe("shutdown");
  });

  it("a run inside a node that stops, stops the run around it; the node is not tried again", async () => {
    let calls = 0;
    const inner = drains().compile();
    const { graph } = evictable(
      chain({})
        .addNode(
          "outer",
          async (_, { control }) => {
            return ++calls === 1 && control !== undefined
              ? { log: (await inner.invoke({ v: 1 }, { control })).log }
              : { log: ["second"] };
          },
          { retryPolicy: { initialInterval: 1, jitter: false }, errorHandler: () => ({ log: ["handled"] }) },
        )
        .addEdge(START, "outer"),
    );
    await expect(graph().invoke({}, { ...thread, control: new RunControl() })).rejects.toBeInstanceOf(
      GraphDrained,
    );
    expect(calls).toBe(1);
    const state = await graph().getState(thread);
    expect([state.next, state.tasks[0]?.error]).toEqual([["outer"], undefined]);
    expect((await graph().invoke(null, thread)).log).toEqual(["second"]);
  });

  it("a breakpoint and a question go before", async () => {
    const control = new RunControl();
    control.requestDrain();
    const { graph } = evictable(chain({ a: () => ({ log: [interrupt("q")] }) }));
    const stopped = await graph().invoke({}, { ...thread, control, interruptBefore: ["__start__"] });
    expect(stopped[INTERRUPT]).toEqual([]);
  });
});

describe("withConfig", () => {
  it("gives every call a config that the call's own words go before", async () => {
    const seen: unknown[] = [];
    const graph = chain({})
      .addNode("a", (_, { tags, metadata, configurable, context }) => {
        seen.push([tags, metadata["x"], metadata["y"], configurable?.["z"], context]);
        return {};
      })
      .addEdge(START, "a")
      .compile({ checkpointer: new MemorySaver() });
    const bound = graph.withConfig({
      ...thread,
      tags: ["t1"],
      metadata: { x: 1, y: 1 },
      context: "base",
    });
    await bound.invoke({ v: 1 }, { tags: ["t2"], metadata: { y: 2 }, configurable: { z: 3 } });
    await bound.withConfig({ tags: ["t3"], context: "more" }).invoke({ v: 1 });
    expect(seen).toEqual([
      [["t1", "t2"], 1, 2, 3, "base"],
      [["t1", "t3"], 1, 1, undefined, "more"],
    ]);
    expect((await bound.getState({})).values.v).toBe(1);
    expect(bound).toBeInstanceOf(graph.constructor);
    await expect(graph.invoke({ v: 1 })).rejects.toThrow("thread_id");
  });

  it("either signal cancels", async () => {
    const graph = chain({ a: () => ({}) }).compile();
    for (const [base, call] of [
      [AbortSignal.abort(new Error("base")), new AbortController().signal],
      [new AbortController().signal, AbortSignal.abort(new Error("call"))],
    ] as const) {
      const run = graph.withConfig({ signal: base }).invoke({ v: 1 }, { signal: call });
      await expect(run).rejects.toThrow(base.aborted ? "base" : "call");
    }
  });
});
