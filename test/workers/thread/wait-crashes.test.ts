import { expect, it } from "vitest";
import { END, sleep, START, StateGraph, waitForEvent } from "../../../src/index.ts";
import type { CrashPoint } from "../../../src/thread/crash-points.ts";
import { crashAt } from "../../support/crash-points.ts";
import { until } from "../../support/gate.ts";
import { STOPPED } from "../../support/instances.ts";
import { Log } from "../../support/log.ts";
import { json, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

/** Points of a run that the thread itself takes in, in the order in which it reaches them. */
const OF_RUN = [
  "run.staged",
  "run.admitted",
  "wait.answered",
  "run.claimed",
  "run.task_written",
  "run.committed",
  "run.outcome_staged",
  "run.ended",
] as const satisfies readonly CrashPoint[];

const graph = new StateGraph(Log)
  .addNode("nap", () => {
    sleep(300);
    return { log: ["slept"] };
  })
  .addNode("listen", () => ({ log: [String(waitForEvent("n").payload)] }))
  .addEdge(START, "nap")
  .addEdge("nap", "listen")
  .addEdge("listen", END)
  .compile();

function unlessStopped(error: unknown): false {
  if (error instanceof Error && error.message.includes(STOPPED)) return false;
  throw error;
}

async function ended(thread: TestThread, next: readonly string[]): Promise<void> {
  const hasEnded = async (): Promise<boolean> => {
    await thread.fireAlarm();
    return (await thread.state()).next.join() === next.join() && (await thread.rowCounts())["queue"] === 0;
  };
  await until(() => hasEnded().catch(unlessStopped));
}

it.each(["timer.held", ...OF_RUN] as const)(
  "a sleep is over once when the object ends at %s",
  async (point) => {
    deploy({ graph });
    const thread = new TestThread();
    await thread.invoke({ input: { log: [] } });
    const hasCrashed = crashAt(point, thread.id);
    await ended(thread, ["listen"]);
    expect(hasCrashed()).toBe(true);
    expect((await thread.state()).values["log"]).toEqual(["slept"]);
    expect(await thread.rowCounts()).toMatchObject({ runs: 2, answers: 1 });
  },
);

it.each(["event.kept", ...OF_RUN] as const)(
  "an event is taken once when the object ends at %s",
  async (point) => {
    deploy({ graph });
    const thread = new TestThread();
    await thread.invoke({ input: { log: [] } });
    // The one that comes first is kept while the node before sleeps.
    if (point !== "event.kept") await ended(thread, ["listen"]);
    const hasCrashed = crashAt(point, thread.id);
    const receipt = await json(thread.post("/events/n", 7));
    await ended(thread, []);
    expect(hasCrashed()).toBe(true);
    expect(receipt).toMatchObject({ event_id: expect.any(String) });
    expect((await thread.state()).values["log"]).toEqual(["slept", "7"]);
    expect(await thread.rowCounts()).toMatchObject({ runs: 3, answers: 2, received_events: 1 });
  },
);
