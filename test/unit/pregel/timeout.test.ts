import { expect, it } from "vitest";
import { MemorySaver, START, type NodeConfig, type StreamMode, type TimeoutPolicy } from "tidemark";
import type { StreamEvent } from "tidemark/pregel";
import { ManualClock } from "./manual-clock.ts";
import { chain, thread, type Graph, type State } from "./support.ts";

type Update = typeof State.Update;

function graphOf(
  clock: ManualClock,
  timeout: number | TimeoutPolicy,
  action: (config: NodeConfig) => Promise<Update> | Update,
): Graph {
  return chain({})
    .addNode("a", (_, config) => action(config), { timeout })
    .addEdge(START, "a")
    .compile({ checkpointer: new MemorySaver() })
    .withOptions({ environment: clock });
}

it("an attempt that takes too long fails with the time it took", async () => {
  const clock = new ManualClock();
  const graph = graphOf(clock, 50, async () => {
    await clock.sleep(80);
    return { log: ["late"] };
  });
  await expect(clock.during(graph.invoke({}, thread))).rejects.toMatchObject({
    name: "NodeTimeoutError",
    code: "node_timeout",
    node: "a",
    kind: "run",
    timeout: 50,
    elapsed: 50,
    runTimeout: 50,
  });
});

it("what an attempt does after its time is ignored; its signal tells it", async () => {
  const clock = new ManualClock();
  const chunks: unknown[] = [];
  let signal: AbortSignal | undefined;
  const graph = graphOf(clock, 50, async (config) => {
    ({ signal } = config);
    config.writer("early");
    await clock.sleep(80);
    config.writer("late");
    return { log: ["late"] };
  });
  const outcome = await clock.during(
    graph.run(
      { kind: "input", value: {} },
      {
        ...thread,
        modes: new Set<StreamMode>(["custom", "updates"]),
        emit: (event: StreamEvent) => void chunks.push(event.payload),
      },
    ),
  );
  expect(outcome).toMatchObject({ status: "failed", failures: [{ node: "a" }] });
  expect(signal?.reason).toMatchObject({ name: "NodeTimeoutError" });
  await clock.during(clock.sleep(100));
  expect(chunks).toEqual(["early"]);
  const state = await graph.getState(thread);
  expect(state.next).toEqual(["a"]);
  expect(state.tasks[0]?.error).toMatchObject({ name: "NodeTimeoutError", code: "node_timeout" });
});

it("what an attempt says while the next one runs is not heard", async () => {
  const clock = new ManualClock();
  const graph = chain({})
    .addNode(
      "a",
      async (_, config) => {
        const { nodeAttempt } = config.executionInfo;
        await clock.sleep(nodeAttempt === 1 ? 60 : 40);
        config.writer(nodeAttempt);
        return { log: [nodeAttempt] };
      },
      { timeout: 50, retryPolicy: { initialInterval: 1, jitter: false } },
    )
    .addEdge(START, "a")
    .compile()
    .withOptions({ environment: clock });
  const chunks: unknown[] = [];
  const emit = (event: StreamEvent): void => void chunks.push(event.payload);
  const modes = new Set<StreamMode>(["custom", "updates"]);
  await clock.during(graph.run({ kind: "input", value: { v: 1 } }, { modes, emit }));
  expect(chunks).toEqual([2, { a: { log: [2] } }]);
});

it.each<[string, TimeoutPolicy, (config: NodeConfig) => void, boolean]>([
  ["a heartbeat keeps an idle node alive", { idleTimeout: 50 }, (config) => config.heartbeat(), true],
  ["so does a chunk", { idleTimeout: 50 }, (config) => config.writer("x"), true],
  [
    "a chunk does not, where only heartbeats count",
    { idleTimeout: 50, refreshOn: "heartbeat" },
    (config) => config.writer("x"),
    false,
  ],
  [
    "nothing keeps it alive beyond its runTimeout",
    { idleTimeout: 50, runTimeout: 100 },
    (config) => config.heartbeat(),
    false,
  ],
])("%s", async (_, policy, sign, isAlive) => {
  const clock = new ManualClock();
  const graph = graphOf(clock, policy, async (config) => {
    for (let count = 0; count < 4; count++) {
      await clock.sleep(40);
      sign(config);
    }
    return { log: ["done"] };
  });
  const run = clock.during(graph.invoke({}, thread));
  if (isAlive) expect((await run).log).toEqual(["done"]);
  else await expect(run).rejects.toMatchObject({ name: "NodeTimeoutError" });
});

it("a node without a timeout sets no timer, one with leaves none behind", async () => {
  const clock = new ManualClock();
  const plain = chain({ a: () => ({ log: ["a"] }) })
    .compile()
    .withOptions({ environment: clock });
  await plain.invoke({ v: 1 });
  expect(clock.asked).toEqual([]);
  const graph = graphOf(clock, { runTimeout: 50, idleTimeout: 20 }, async () => ({ log: ["a"] }));
  expect((await graph.invoke({}, thread)).log).toEqual(["a"]);
  expect(clock.sleeping).toBe(0);
});

it("a node that keeps the event loop to itself fails by the clock", async () => {
  const clock = new ManualClock();
  const graph = graphOf(clock, 50, () => {
    clock.time += 51;
    return { log: ["a"] };
  });
  await expect(graph.invoke({}, thread)).rejects.toMatchObject({ name: "NodeTimeoutError", elapsed: 51 });
});

it("the run's own signal reaches a node with a timeout", async () => {
  const clock = new ManualClock();
  const controller = new AbortController();
  let seen: AbortSignal | undefined;
  const graph = graphOf(clock, 50, (config) => {
    seen = config.signal;
    controller.abort(new Error("stop"));
    return {};
  });
  await expect(graph.invoke({}, { ...thread, signal: controller.signal })).rejects.toThrow("stop");
  expect(seen?.aborted).toBe(true);
});

it.each([0, -1, Number.NaN])("a limit of %d is refused", (timeout) => {
  const build = (policy: number | TimeoutPolicy) => () =>
    chain({})
      .addNode("a", () => ({}), { timeout: policy })
      .addEdge(START, "a")
      .compile();
  expect(build(timeout)).toThrow("runTimeout must be greater than 0");
  expect(build({ idleTimeout: timeout })).toThrow("idleTimeout must be greater than 0");
});
