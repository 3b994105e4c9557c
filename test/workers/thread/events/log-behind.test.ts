import { env, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Annotation, END, START, StateGraph } from "../../../../src/index.ts";
import { RunnableGraph } from "../../../../src/pregel/runnable-graph.ts";
import { objectName } from "../../../../src/http/object-name.ts";
import { plan } from "../../../support/crash-points.ts";
import { eventsOf, identifiedEvents, type IdentifiedEvent } from "../../../support/events.ts";
import { injectFaults, platformFaults } from "../../../support/faults.ts";
import { Gate, until } from "../../../support/gate.ts";
import { json, TestThread } from "../../../support/threads.ts";
import { deploy } from "../../graphs.ts";

/** Time stands still: only the first supersteps are told at once, and the others wait. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});

afterEach(() => {
  injectFaults();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const SUPERSTEPS = 14;

/** Where the run is held up. */
const HELD = 4;

const State = Annotation.Root({ left: Annotation<number>(), text: Annotation<string>() });

type Write = (chunk: unknown) => void;

/** `before`: what the node does first, and what else it returns. */
function countdown(before: (left: number, write: Write) => unknown) {
  return new StateGraph(State)
    .addNode("count", async ({ left }, { writer }) => {
      const text = await before(left, writer);
      return { left: left - 1, ...(typeof text === "string" && { text }) };
    })
    .addEdge(START, "count")
    .addConditionalEdges("count", ({ left }) => (left > 0 ? "count" : END))
    .compile();
}

const COUNTED = Array.from({ length: SUPERSTEPS }, (_, n) => ({ count: { left: SUPERSTEPS - 1 - n } }));
const FINISHED = COUNTED.slice(0, SUPERSTEPS - HELD);

async function start(thread: TestThread, body: object): Promise<string> {
  const config = { recursion_limit: 2000 };
  const run = await json(
    thread.post("/runs", { assistant_id: "graph", input: { left: SUPERSTEPS }, config, ...body }),
  );
  return (run as { run_id: string }).run_id;
}

/** The object stops while the run is held up: what it wrote before that is durable. */
async function stop(thread: TestThread, gate: Gate): Promise<void> {
  await gate.reached();
  await thread.inside(({ storage }) => storage.sync());
  await thread.crash();
}

async function told(thread: TestThread, runId: string): Promise<IdentifiedEvent[]> {
  return identifiedEvents(await thread.join(runId));
}

const ofMode = (events: readonly IdentifiedEvent[], mode: string): unknown[] =>
  events.filter(({ event }) => event === mode).map(({ data }) => data);

describe("a log that is behind", () => {
  it("is completed though each attempt ends in the turn in which it begins", async () => {
    const thread = new TestThread();
    const gate = new Gate();
    const fall = async (left: number): Promise<void> => {
      if (left > HELD) return scheduler.wait(1);
      if (left < HELD) return;
      await gate.pass();
      plan(objectName("", thread.id), { point: "run.task_written", time: 1, loss: "lost" });
    };
    deploy({ graph: countdown(fall) });
    const runId = await start(thread, { stream_mode: "updates" });
    await gate.reached();
    await thread.inside(({ storage }) => storage.sync());
    gate.open();
    await until(async () => {
      const [run] = await thread.sql<{ status: string }>("SELECT status FROM runs").catch(() => []);
      if (run?.status === "error") return true;
      await thread.sql("UPDATE timers SET due = 1 WHERE kind = 'queue'").catch(() => undefined);
      await runDurableObjectAlarm(thread.stub).catch(() => undefined);
      return false;
    });
    const events = await told(thread, runId);
    expect(ofMode(events, "updates")).toEqual(FINISHED);
    expect(events.at(-1)?.data).toMatchObject({ error: "RunStalledError", code: "run_stalled" });
  });

  const stops: Readonly<Record<string, (thread: TestThread, runId: string) => Promise<unknown>>> = {
    "it is cancelled": (thread, runId) => json(thread.post(`/runs/${runId}/cancel`, {})),
    "another run takes its place": (thread) =>
      start(thread, { input: { left: 2 }, multitask_strategy: "interrupt" }),
    "its time is up": async (thread) => {
      await thread.sql("UPDATE timers SET due = 1 WHERE kind = 'time_limit'");
      await runDurableObjectAlarm(thread.stub);
    },
  };

  it.for(Object.keys(stops))(
    "is completed when that is the first that a new object hears: %s",
    async (name) => {
      const gate = new Gate();
      let held = 0;
      deploy({
        graph: countdown(async (left) => {
          if (left !== HELD) return;
          held += 1;
          await gate.pass();
        }),
      });
      const thread = new TestThread();
      const runId = await start(thread, { stream_mode: "updates", timeout_seconds: 3600 });
      await gate.reached();
      await thread.inside(({ storage }) => storage.sync());
      await thread.crash();
      await stops[name]?.(thread, runId);
      gate.open();
      const events = await told(thread, runId);
      expect(ofMode(events, "updates")).toEqual(FINISHED);
      const [run] = await thread.sql<{ status: string }>("SELECT status FROM runs ORDER BY id LIMIT 1");
      expect(run?.status).toBe(name === "its time is up" ? "timeout" : "interrupted");
      // Nothing of it has gone on.
      expect(held).toBe(1);
    },
  );

  it("has a bound: a next attempt looks at few of many supersteps that said nothing", async () => {
    const gate = new Gate();
    let left = 300;
    const quiet = new StateGraph(State)
      .addNode("count", async () => {
        left -= 1;
        if (left === HELD) await gate.pass();
        return {};
      })
      .addEdge(START, "count")
      .addConditionalEdges("count", () => (left > 0 ? "count" : END))
      .compile();
    deploy({ graph: quiet });
    const looked = vi.spyOn(RunnableGraph.prototype, "finishedSupersteps");
    const thread = new TestThread();
    const runId = await start(thread, { stream_mode: "values" });
    await stop(thread, gate);
    gate.open();
    expect(ofMode(await told(thread, runId), "values")).toContainEqual({ left: SUPERSTEPS });
    const [line = []] = looked.mock.calls[0] ?? [];
    expect(line.length).toBeGreaterThan(1);
    expect(line.length).toBeLessThan(36);
  });

  it("has a bound: supersteps that wait are written when there are many", async () => {
    const gate = new Gate();
    deploy({ graph: countdown((left) => (left === HELD ? gate.pass() : undefined)) });
    const thread = new TestThread();
    const runId = await start(thread, { stream_mode: "updates", input: { left: 100 } });
    await gate.reached();
    const events = vi.spyOn(RunnableGraph.prototype, "finishedSupersteps");
    await stop(thread, gate);
    gate.open();
    expect(ofMode(await told(thread, runId), "updates")).toHaveLength(100);
    expect(events.mock.results[0]?.value.length).toBeLessThan(33);
  });

  it("is not looked for where no superstep could say anything", async () => {
    const gate = new Gate();
    deploy({
      graph: countdown((left, write) => {
        if (left === SUPERSTEPS) write("begun");
        return left === HELD ? gate.pass() : undefined;
      }),
    });
    const looked = vi.spyOn(RunnableGraph.prototype, "finishedSupersteps");
    const thread = new TestThread();
    const runId = await start(thread, { stream_mode: "custom" });
    await stop(thread, gate);
    gate.open();
    expect(ofMode(await told(thread, runId), "custom")).toEqual(["begun"]);
    expect(looked).not.toHaveBeenCalled();
  });

  it("stops no run whose value is gone that only the log needs", async () => {
    const gate = new Gate();
    const thread = new TestThread();
    const texts = async (left: number): Promise<string> => {
      if (left === HELD) await gate.pass();
      return left === 8 ? "y".repeat(300_000) : "short";
    };
    deploy({ graph: countdown(texts) });
    const runId = await start(thread, { stream_mode: "updates", input: { left: SUPERSTEPS, text: "" } });
    await gate.reached();
    const objects = await thread.objects();
    expect(objects.length).toBeGreaterThan(0);
    for (const key of objects) await env.BLOBS.delete(key);
    await stop(thread, gate);
    gate.open();
    const updates = ofMode(await told(thread, runId), "updates");
    expect(updates.at(-1)).toEqual({ count: { left: 0, text: "short" } });
    expect(updates).toContainEqual({ count: { left: HELD, text: "short" } });
    expect(await thread.sql("SELECT attempt, status FROM runs")).toEqual([{ attempt: 2, status: "success" }]);
  });

  it("is written when the storage serves again that failed at its time", async () => {
    const gate = new Gate();
    deploy({ graph: countdown((left) => (left === HELD ? gate.pass() : undefined)) });
    const thread = new TestThread();
    const heard: unknown[] = [];
    const runId = await start(thread, { stream_mode: "updates" });
    const reading = (async () => {
      for await (const { event, data } of eventsOf(await thread.join(runId)))
        if (event === "updates") heard.push(data);
    })();
    await gate.reached();
    let faults = 0;
    injectFaults(({ name, operation, when }) => {
      const isMeant = name === objectName("", thread.id) && operation === "transaction" && when === "before";
      if (!isMeant || faults > 0) return undefined;
      faults += 1;
      return platformFaults.connection();
    });
    vi.setSystemTime(Date.now() + 300);
    await until(() => faults > 0);
    await until(() => heard.length >= FINISHED.length);
    expect(heard).toEqual(FINISHED);
    gate.open();
    await reading;
    expect(heard).toEqual(COUNTED);
  });

  it("holds up nothing that a node says", async () => {
    const gate = new Gate();
    deploy({
      graph: countdown(async (left, write) => {
        if (left !== HELD) return;
        write("first");
        await gate.pass();
      }),
    });
    const thread = new TestThread();
    const runId = await start(thread, { stream_mode: ["updates", "custom"] });
    const heard: unknown[] = [];
    const reading = (async () => {
      for await (const { event, data } of eventsOf(await thread.join(runId)))
        if (event !== "metadata" && event !== "end") heard.push(data);
    })();
    await gate.reached();
    // Time stands still.
    await until(() => heard.length > FINISHED.length);
    expect(heard).toEqual([...FINISHED, "first"]);
    gate.open();
    await reading;
    expect(heard).toEqual([...FINISHED, "first", ...COUNTED.slice(FINISHED.length)]);
  });
});
