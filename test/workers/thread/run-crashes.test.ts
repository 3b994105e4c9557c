import { afterEach, describe, expect, it } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import type { CrashPoint } from "../../../src/thread/crash-points.ts";
import { holdBucket } from "../../support/bucket.ts";
import { crashAt } from "../../support/crash-points.ts";
import { until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const LARGE = "x".repeat(150_000);

/** Two nodes side by side, then one that takes its time when its input says so, until its signal is aborted. */
const graph = new StateGraph(Log)
  .addNode("left", () => ({ log: ["left"] }))
  .addNode("right", async () => {
    await scheduler.wait(2);
    return { log: ["right"] };
  })
  .addNode("last", async ({ log }, { signal }) => {
    while (log.at(-3) === "long" && !signal.aborted) await scheduler.wait(2);
    return { log: ["last"] };
  })
  .addEdge(START, "left")
  .addEdge(START, "right")
  .addEdge(["left", "right"], "last")
  .addEdge("last", END)
  .compile();

interface Scenario {
  readonly points: readonly CrashPoint[];
  /** Before the point can be reached. */
  readonly prepare?: (thread: TestThread) => Promise<unknown>;
  readonly act: (thread: TestThread) => Promise<unknown>;
}

const OF_RUN = [
  "run.claimed",
  "run.input_applied",
  "run.task_written",
  "run.committed",
  "run.outcome_staged",
  "run.ended",
] as const satisfies readonly CrashPoint[];

async function start(thread: TestThread, body: object): Promise<string> {
  const run = (await json(thread.post("/runs", body))) as { run_id: string };
  return run.run_id;
}

/** A run that goes on until it is stopped. */
async function long(thread: TestThread, options: object = {}): Promise<string> {
  const id = await start(thread, { input: { log: ["long"] }, ...options });
  await until(async () => (await thread.state()).next.join() === "last");
  return id;
}

const runs = new WeakMap<TestThread, string>();

function cancel(thread: TestThread, action: string): Promise<unknown> {
  return json(thread.post(`/runs/${runs.get(thread)}/cancel?wait=1&action=${action}`, {}));
}

const scenarios: Readonly<Record<string, Scenario>> = {
  "a run": {
    points: ["run.staged", "run.admitted", ...OF_RUN],
    act: (thread) => thread.invoke({ input: { log: [LARGE] } }),
  },
  "a run that waits for its time": {
    points: ["run.admitted", "timer.held", "run.start_due", ...OF_RUN],
    act: (thread) => start(thread, { input: { log: ["late"] }, after_seconds: 3600 }),
  },
  "a cancel": {
    points: ["run.stopped"],
    prepare: async (thread) => runs.set(thread, await long(thread)),
    act: (thread) => cancel(thread, "interrupt"),
  },
  "a rollback": {
    points: ["run.stopped", "run.claimed", "run.rolled_back", "run.ended"],
    prepare: async (thread) => runs.set(thread, await long(thread)),
    act: (thread) => cancel(thread, "rollback").catch(ifNotFound),
  },
  "a time limit": {
    points: ["timer.held", "run.stopped"],
    prepare: (thread) => long(thread, { timeout_seconds: 3600 }),
    act: (thread) => thread.sql("UPDATE timers SET due = 1 WHERE kind = 'time_limit'"),
  },
  "a run that takes the place of another": {
    points: ["run.admitted", ...OF_RUN],
    prepare: (thread) => long(thread),
    act: (thread) => thread.invoke({ input: { log: ["new"] }, multitask_strategy: "interrupt" }),
  },
  "a run that undoes another": {
    points: ["run.admitted", "run.claimed", "run.rolled_back", ...OF_RUN],
    prepare: (thread) => long(thread),
    act: (thread) => thread.invoke({ input: { log: ["new"] }, multitask_strategy: "rollback" }),
  },
  "an edit": {
    points: ["edit.key_stored"],
    act: (thread) =>
      json(
        request(`${thread.path}/state`, {
          method: "POST",
          headers: { "content-type": "application/json", "idempotency-key": thread.id },
          body: JSON.stringify({ values: { log: ["edit"] }, as_node: "last" }),
        }),
      ),
  },
};

/** Of a rollback whose answer was lost. */
function ifNotFound(error: unknown): void {
  expect(error).toMatchObject({ code: "run_not_found" });
}

interface Seen {
  readonly values: unknown;
  readonly next: unknown;
  readonly runs: unknown;
  readonly history: number;
  readonly rows: unknown;
}

/** What there is when all has come to its end. */
async function seen(thread: TestThread): Promise<Seen> {
  await until(async () => {
    await thread.fireAlarm().catch(() => false);
    const { queue, timers } = await thread.rowCounts();
    return queue === 0 && timers === 0;
  }, 8000);
  const { values, next } = await thread.state();
  const list = (await thread.get("/runs?select=status&select=cancelled&select=error")) as object[];
  const rows = await thread.rowCounts();
  const history = (await thread.history("?limit=100")).map(
    ({ parent_checkpoint: parent }) => parent?.checkpoint_id,
  );
  expect(new Set(history).size).toBe(history.length);
  return { values, next, history: history.length, runs: JSON.parse(withoutIds(list)) as unknown, rows };
}

function withoutIds(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "id");
}

async function play({ prepare, act }: Scenario, point?: CrashPoint): Promise<[Seen, boolean]> {
  deploy({ graph });
  const thread = new TestThread();
  await thread.invoke({ input: { log: ["first"] } });
  await prepare?.(thread);
  const hasCrashed = point === undefined ? () => false : crashAt(point, thread.id);
  await act(thread);
  return [await seen(thread), hasCrashed()];
}

afterEach(() => holdBucket());

describe.each(Object.entries(scenarios))("%s", (_, scenario) => {
  it("comes to the same when the object ends at any of its points", async () => {
    const [expected] = await play(scenario);
    for (const point of new Set(scenario.points)) {
      const [is, hasCrashed] = await play(scenario, point);
      expect({ point, hasCrashed, ...is }).toEqual({ point, hasCrashed: true, ...expected });
    }
  }, 20_000);
});
