import { expect, it } from "vitest";
import { interrupt, MemorySaver, START, type RetryPolicy } from "tidemark";
import { ManualClock } from "./manual-clock.ts";
import { chain, thread, type Action, type Graph } from "./support.ts";

function graphOf(clock: ManualClock, action: Action, retryPolicy: RetryPolicy): Graph {
  return chain({})
    .addNode("a", action, { retryPolicy })
    .addEdge(START, "a")
    .compile({ checkpointer: new MemorySaver() })
    .withOptions({ environment: clock });
}

const fails = (): never => {
  throw new Error("x");
};

it.each<[string, RetryPolicy, number[]]>([
  ["by default", { jitter: false }, [500, 1000]],
  [
    "up to the longest pause",
    { jitter: false, maxAttempts: 6, maxInterval: 3000 },
    [500, 1000, 2000, 3000, 3000],
  ],
  [
    "with another start and factor",
    { jitter: false, initialInterval: 10, backoffFactor: 1, maxAttempts: 4 },
    [10, 10, 10],
  ],
  ["with jitter", {}, [750, 1250]],
  ["with a single attempt", { maxAttempts: 1 }, []],
])("pauses %s", async (_, policy, pauses) => {
  const clock = new ManualClock();
  clock.chance = 0.25;
  await expect(clock.during(graphOf(clock, fails, policy).invoke({}, thread))).rejects.toThrow("x");
  expect(clock.asked).toEqual(pauses);
});

it("a run that is cancelled during a pause ends, and its node is called no more", async () => {
  const clock = new ManualClock();
  const controller = new AbortController();
  let calls = 0;
  const graph = graphOf(
    clock,
    () => {
      calls++;
      return fails();
    },
    {},
  );
  const run = graph.invoke({}, { ...thread, signal: controller.signal });
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect(clock.sleeping).toBe(1);
  controller.abort(new Error("stop"));
  await expect(run).rejects.toThrow("stop");
  expect(clock.sleeping).toBe(0);
  expect(calls).toBe(1);
});

it("the first attempt's time stays", async () => {
  const clock = new ManualClock();
  const seen: unknown[] = [];
  const graph = chain({})
    .addNode(
      "a",
      (_, { executionInfo }) => {
        seen.push([executionInfo.nodeAttempt, executionInfo.nodeFirstAttemptTime, clock.now()]);
        return seen.length < 3 ? fails() : {};
      },
      { retryPolicy: { jitter: false } },
    )
    .addEdge(START, "a")
    .compile()
    .withOptions({ environment: clock });
  await clock.during(graph.invoke({ v: 1 }));
  expect(seen).toEqual([
    [1, 1000, 1000],
    [2, 1000, 1500],
    [3, 1000, 2500],
  ]);
});

it("a question is no failure", async () => {
  const clock = new ManualClock();
  let calls = 0;
  const graph = graphOf(
    clock,
    () => {
      calls++;
      return { log: [interrupt("q")] };
    },
    { retryOn: () => true },
  );
  await clock.during(graph.invoke({}, thread));
  expect(calls).toBe(1);
  expect(clock.asked).toEqual([]);
});

it("a change of frozen state, which cannot go better the next time, is not tried again", async () => {
  const clock = new ManualClock();
  const graph = graphOf(
    clock,
    (state) => {
      state.log.push("x");
      return {};
    },
    {},
  );
  await expect(clock.during(graph.invoke({ log: [1] }, thread))).rejects.toThrow("read-only");
  expect(clock.asked).toEqual([]);
});
