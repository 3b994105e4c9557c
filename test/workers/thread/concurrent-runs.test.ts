import { afterEach, describe, expect, it } from "vitest";
import { Annotation, END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { Gate } from "../../support/gate.ts";
import { expectOneChain } from "../../support/history.ts";
import { Log } from "../../support/log.ts";
import { json, TestThread } from "../../support/threads.ts";
import { deploy, retain } from "../graphs.ts";

interface ListedRun {
  readonly run_id: string;
  readonly status: string;
}

const WAYS = ["/invoke", "/stream", "/runs", "/runs/wait", "/runs/stream"];

afterEach(() => retain({}));

/** The first run waits, the others do not. */
function slowFirst() {
  const gate = new Gate();
  const graph = new StateGraph(Log)
    .addNode("n", async ({ log }) => {
      if (log.at(-1) === "first") await gate.pass();
      return { log: ["n"] };
    })
    .addEdge(START, "n")
    .addEdge("n", END)
    .compile();
  return { gate, graph };
}

async function list(thread: TestThread): Promise<readonly ListedRun[]> {
  return (await thread.get("/runs")) as readonly ListedRun[];
}

describe("CON-03: a multitask strategy holds on every way of starting", () => {
  it.each([
    ["reject", ["first", "n"], ["success"]],
    ["enqueue", ["first", "n", "second", "n"], ["success", "success"]],
    ["interrupt", ["first", "second", "n"], ["success", "interrupted"]],
    ["rollback", ["second", "n"], ["success"]],
  ])("%s", async (multitask_strategy, log, statuses) => {
    for (const way of WAYS) {
      const { gate, graph } = slowFirst();
      deploy({ graph });
      const thread = new TestThread();
      const first = (await json(thread.post("/runs", { input: { log: ["first"] } }))) as ListedRun;
      await gate.reached();
      const second = thread.post(way, { input: { log: ["second"] }, multitask_strategy });
      if (multitask_strategy === "enqueue") await thread.hasRuns(2);
      if (multitask_strategy === "enqueue" || multitask_strategy === "reject") gate.open();
      const response = await second;
      expect(response.status).toBe(multitask_strategy === "reject" ? 409 : 200);
      await response.text();
      for (const { run_id: id } of await list(thread)) await thread.get(`/runs/${id}/join`);
      expect({ way, ...(await thread.state()).values }).toEqual({ way, log });
      expect((await list(thread)).map(({ status }) => status)).toEqual(statuses);
      expect((await list(thread)).some(({ run_id: id }) => id === first.run_id)).toBe(
        multitask_strategy !== "rollback",
      );
      await expectOneChain(thread);
      gate.open();
    }
  });
});

it("CON-05: what one run is configured with reaches no other", async () => {
  const State = Annotation.Root({ user: Annotation<unknown>() });
  const graph = new StateGraph(State)
    .addNode("who", async (_, config) => {
      await scheduler.wait(Math.random() * 5);
      return { user: [config.configurable?.["user"], config.context] };
    })
    .addEdge(START, "who")
    .addEdge("who", END)
    .compile();
  deploy({ graph });
  const users = Array.from({ length: 12 }, (_, n) => `user ${n}`);
  const answers = await Promise.all(
    users.map((user) =>
      new TestThread().invoke({
        input: { user: "" },
        config: { configurable: { user } },
        context: { of: user },
      }),
    ),
  );
  expect(answers.map(({ values }) => values["user"])).toEqual(users.map((user) => [user, { of: user }]));
});

it("CON-09: of two runs that start only when no other is under way one starts", async () => {
  const { gate, graph } = slowFirst();
  deploy({ graph });
  const thread = new TestThread();
  const body = { input: { log: ["first"] }, multitask_strategy: "reject" };
  const responses = await Promise.all([thread.post("/runs", body), thread.post("/runs", body)]);
  const statuses = responses.map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409]);
  expect(await thread.rowCounts()).toMatchObject({ runs: 1 });
  gate.open();
});

it("HTT-05: a run that failed or was cancelled never looks like one that came to values", async () => {
  const gate = new Gate();
  const graph = new StateGraph(Log)
    .addNode("n", async ({ log }) => {
      const [mode] = log;
      if (mode === "fail") throw new Error("no luck");
      if (mode === "wait") await gate.pass();
      return { log: [mode === "ask" ? String(interrupt("?")) : "done"] };
    })
    .addEdge(START, "n")
    .addEdge("n", END)
    .compile();
  deploy({ graph });
  const joined = async (mode: string, isCancelled = false): Promise<unknown> => {
    const thread = new TestThread();
    const { run_id: id } = (await json(thread.post("/runs", { input: { log: [mode] } }))) as ListedRun;
    if (isCancelled) await json(thread.post(`/runs/${id}/cancel`, {}));
    const end = await thread.get(`/runs/${id}/join`);
    expect(await thread.get(`/runs/${id}/join`)).toEqual(end);
    return end;
  };
  expect(await joined("go")).toEqual({ log: ["go", "done"] });
  expect(await joined("ask")).toMatchObject({ log: ["ask"], __interrupt__: [{ value: "?" }] });
  expect(await joined("fail")).toMatchObject({ __error__: { error: "Error", code: "node_failed" } });
  expect(await joined("wait", true)).toMatchObject({
    __error__: { error: "RunCancelledError", code: "run_cancelled" },
  });
  gate.open();
});

it("ALA-01, ALA-05: timers do not pile up when the object starts again, and none is left when nothing is due", async () => {
  const { graph } = slowFirst();
  deploy({ graph });
  retain({ deleteAfter: 86_400_000 });
  const thread = new TestThread();
  await thread.invoke({ input: { log: [] } });
  const due = await thread.alarm();
  for (let restart = 0; restart < 10; restart++) {
    await thread.evict();
    await thread.state();
  }
  expect(await thread.rowCounts()).toMatchObject({ timers: 1 });
  expect(await thread.alarm()).toBe(due);
  retain({});
  await thread.fireAlarm();
  expect(await thread.alarm()).toBeNull();
});

it("EVI-03: the object knows its thread however it is woken", async () => {
  const graph = new StateGraph(Log)
    .addNode("who", (_, { executionInfo }) => ({ log: [String(executionInfo.threadId)] }))
    .addEdge(START, "who")
    .addEdge("who", END)
    .compile();
  deploy({ graph });
  const thread = new TestThread("a thread / of its own");
  await thread.invoke({ input: { log: [] } });
  await thread.evict();
  await thread.invoke({ input: { log: [] } });
  const late = await json(thread.post("/runs", { input: { log: [] }, after_seconds: 3600 }));
  await thread.evict();
  await thread.fireAlarm();
  await thread.get(`/runs/${(late as ListedRun).run_id}/join`);
  expect((await thread.state()).values["log"]).toEqual([thread.id, thread.id, thread.id]);
});

it("EVI-07: a thread that waits for a person is not taken for dead", async () => {
  const graph = new StateGraph(Log)
    .addNode("ask", () => ({ log: [String(interrupt("?"))] }))
    .addEdge(START, "ask")
    .addEdge("ask", END)
    .compile();
  deploy({ graph });
  const thread = new TestThread();
  const paused = await thread.invoke({ input: { log: [] } });
  for (let wake = 0; wake < 5; wake++) {
    await thread.evict();
    await thread.inside(({ storage }) => storage.setAlarm(Date.now() + 60_000));
    await thread.fireAlarm();
    expect(await thread.alarm()).toBeNull();
  }
  expect(await list(thread)).toMatchObject([{ status: "success", attempts: 1 }]);
  const answer = await thread.resume({ interrupt_id: paused.interrupts[0]?.id, value: "yes" });
  expect(answer.values["log"]).toEqual(["yes"]);
});
