import { describe, expect, it } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import { allEvents, eventsOf } from "../../support/events.ts";
import { Gate, until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

/** A graph of two nodes side by side: one is done at once, the other waits at a gate; then both are joined. */
function fastAndSlow() {
  const gate = new Gate();
  const runs = { fast: 0, slow: 0, join: 0 };
  const graph = new StateGraph(Log)
    .addNode("fast", () => {
      runs.fast += 1;
      return { log: ["fast"] };
    })
    .addNode("slow", async () => {
      runs.slow += 1;
      await gate.pass();
      return { log: ["slow"] };
    })
    .addNode("join", () => {
      runs.join += 1;
      return { log: ["join"] };
    })
    .addEdge(START, "fast")
    .addEdge(START, "slow")
    .addEdge(["fast", "slow"], "join")
    .addEdge("join", END)
    .compile();
  return { gate, runs, graph };
}

async function fastIsStored(thread: TestThread): Promise<boolean> {
  const [row] = await thread.sql<{ n: number }>(
    "SELECT count(*) AS n FROM writes WHERE checkpoint = (SELECT max(id) FROM checkpoints)",
  );
  return row?.n === 1;
}

describe("an object that is stopped in the middle of a superstep", () => {
  it("does not run again what had finished, and answers the caller who waits", async () => {
    const { gate, runs, graph } = fastAndSlow();
    deploy({ graph });
    const thread = new TestThread();
    const answer = thread.invoke({ input: { log: ["in"] } });
    await gate.reached();
    await until(() => fastIsStored(thread));
    await thread.crash();
    gate.open();

    expect(await answer).toMatchObject({
      status: "success",
      values: { log: ["in", "fast", "slow", "join"] },
    });
    expect(runs).toEqual({ fast: 1, slow: 2, join: 1 });
    expect(await thread.alarm()).toBeNull();
  });

  it("goes on streaming to the client that listens", async () => {
    const { gate, runs, graph } = fastAndSlow();
    deploy({ graph });
    const thread = new TestThread();
    const response = await thread.post("/stream", { input: { log: ["in"] }, stream_mode: "updates" });
    await gate.reached();
    await until(() => fastIsStored(thread));
    await thread.crash();
    gate.open();

    const events = await allEvents(response);
    expect(events.at(0)).toMatchObject({ event: "metadata", data: { thread_id: thread.id } });
    const entered = events.filter(({ event }) => event === "metadata").map(({ data }) => data);
    expect(entered).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
    expect(events.slice(-3)).toMatchObject([
      { event: "updates", data: { slow: { log: ["slow"] } } },
      { event: "updates", data: { join: { log: ["join"] } } },
      { event: "end", data: { status: "success", next: [], interrupts: [] } },
    ]);
    expect(runs).toEqual({ fast: 1, slow: 2, join: 1 });
  });

  it("finishes the run by its alarm when nobody asks any more (EVI-01)", async () => {
    const { gate, runs, graph } = fastAndSlow();
    deploy({ graph });
    const thread = new TestThread();
    const response = await thread.post("/stream", { input: { log: ["in"] } });
    const events = eventsOf(response);
    await events.next();
    await gate.reached();
    await events.return();
    expect(await thread.alarm()).toBeGreaterThan(Date.now());
    await thread.crash();
    expect(runs.slow).toBe(1);

    gate.open();
    expect(await thread.fireAlarm()).toBe(true);
    await until(async () => (await thread.sql("SELECT 1 FROM queue")).length === 0);
    expect(runs).toEqual({ fast: 1, slow: 2, join: 1 });
    expect((await thread.state()).values).toEqual({ log: ["in", "fast", "slow", "join"] });
  });
});
