import { describe, expect, it } from "vitest";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { holdBucket } from "../../support/bucket.ts";
import { Gate } from "../../support/gate.ts";
import { gated } from "../../support/gated.ts";
import { expectOneChain } from "../../support/history.ts";
import { Log } from "../../support/log.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

/** Logs after a moment, so that runs would get in each other's way if they could. */
const slow = new StateGraph(Log)
  .addNode("slow", async () => {
    await scheduler.wait(2);
    return { log: ["n"] };
  })
  .addEdge(START, "slow")
  .addEdge("slow", END)
  .compile();

describe("runs that are started at once", () => {
  it("follow one another: no input is lost and history is one chain (CON-01)", async () => {
    deploy({ slow });
    const thread = new TestThread();
    const [a, b] = await Promise.all([
      thread.invoke({ input: { log: ["a"] } }),
      thread.invoke({ input: { log: ["b"] } }),
    ]);
    expect(a.values).toEqual({ log: ["a", "n"] });
    expect(b.values).toEqual({ log: ["a", "n", "b", "n"] });
    await expectOneChain(thread);
  });

  it("of which the second is for another graph: that one is refused", async () => {
    const other = new StateGraph(Log)
      .addNode("other", () => ({ log: ["other"] }))
      .addEdge(START, "other")
      .addEdge("other", END)
      .compile();
    deploy({ slow, other });
    const thread = new TestThread();
    const upload = new Gate();
    holdBucket(({ operation }) => (operation === "put" ? upload.pass() : undefined));
    const large = "x".repeat(200_000);
    const answers = ["slow", "other"].map((graph) =>
      thread.invoke({ graph, input: { log: [large, graph] } }),
    );
    await upload.reached();
    await scheduler.wait(20);
    upload.open();
    holdBucket();
    const results = await Promise.allSettled(answers);
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const failure = results.find((result) => result.status === "rejected");
    expect(failure?.reason).toMatchObject({ status: 409, code: "graph_mismatch" });
    expect(await thread.rowCounts()).toMatchObject({ runs: 1 });
  });

  it("keep their order, ten of them as well", async () => {
    deploy({ slow });
    const thread = new TestThread();
    const names = Array.from({ length: 10 }, (_, n) => String(n));
    const answers = await Promise.all(names.map((name) => thread.invoke({ input: { log: [name] } })));
    expect(answers.at(-1)?.values).toEqual({ log: names.flatMap((name) => [name, "n"]) });
    expect(new Set(answers.map((answer) => answer.run_id)).size).toBe(10);
    await expectOneChain(thread);
    expect(await thread.alarm()).toBeNull();
    expect(await thread.rowCounts()).toMatchObject({ runs: 10, queue: 0 });
  });

  it("are all finished after a crash in the first", async () => {
    const { gate, graph } = gated();
    deploy({ graph });
    const thread = new TestThread();
    const answers = ["a", "b", "c"].map((name) => thread.invoke({ input: { log: [name] } }));
    await gate.reached();
    await thread.hasRuns(3);
    await thread.crash();
    gate.open();
    const last = (await Promise.all(answers)).at(-1);
    expect(last?.values).toEqual({ log: ["a", "n", "b", "n", "c", "n"] });
    await expectOneChain(thread);
  });
});

describe("while a run goes on", () => {
  it("the state can be read, but not edited", async () => {
    const { gate, graph } = gated();
    deploy({ graph });
    const thread = new TestThread();
    const answer = thread.invoke({ input: { log: ["a"] } });
    await gate.reached();
    expect(await thread.state()).toMatchObject({ values: { log: ["a"] }, next: ["wait"] });
    await expect(thread.update({ values: { log: ["x"] } })).rejects.toMatchObject({
      status: 409,
      code: "thread_busy",
    });
    gate.open();
    expect((await answer).values).toEqual({ log: ["a", "n"] });
    await thread.update({ values: { log: ["x"] } });
    expect((await thread.state()).values).toEqual({ log: ["a", "n", "x"] });
  });

  it("a run that comes while the state is edited waits for the edit", async () => {
    deploy({ slow });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["a"] } });
    const upload = new Gate();
    holdBucket(({ operation }) => (operation === "put" ? upload.pass() : undefined));
    const large = "x".repeat(200_000);
    const edit = thread.update({ values: { log: [large] } });
    await upload.reached();
    const answer = thread.invoke({ input: { log: ["b"] } });
    await thread.hasRuns(2);
    upload.open();
    holdBucket();
    await edit;
    expect((await answer).values).toEqual({ log: ["a", "n", large, "b", "n"] });
    await expectOneChain(thread);
  });

  it("the alarm is set again when it fires", async () => {
    const { gate, graph } = gated();
    deploy({ graph });
    const thread = new TestThread();
    const answer = thread.invoke({ input: { log: ["a"] } });
    await gate.reached();
    expect(await thread.fireAlarm()).toBe(true);
    expect(await thread.alarm()).toBeGreaterThan(Date.now());
    gate.open();
    expect((await answer).values).toEqual({ log: ["a", "n"] });
    expect(await thread.alarm()).toBeNull();
  });
});

describe("a queued run that finds a question", () => {
  it("ends with an error and leaves no trace, and the ones after it too", async () => {
    const gate = new Gate();
    const graph = new StateGraph(Log)
      .addNode("ask", async () => {
        await gate.pass();
        return { log: [String(interrupt("?"))] };
      })
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const first = thread.invoke({ input: { log: ["a"] } });
    await gate.reached();
    const later = ["b", "c"].map((name) => thread.invoke({ input: { log: [name] } }));
    const refusals = later.map((answer) =>
      expect(answer).rejects.toMatchObject({ status: 409, code: "thread_interrupted" }),
    );
    await thread.hasRuns(3);
    gate.open();
    const paused = await first;
    expect(paused.status).toBe("interrupted");
    await Promise.all(refusals);
    expect(await thread.rowCounts()).toMatchObject({ runs: 1, queue: 0 });
    expect(await thread.alarm()).toBeNull();
    const done = await thread.resume({ interrupt_id: paused.interrupts[0]?.id, value: "yes" });
    expect(done.values).toEqual({ log: ["a", "yes"] });
  });
});
