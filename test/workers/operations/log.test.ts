import { afterEach, describe, expect, it } from "vitest";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { objectName } from "../../../src/http/object-name.ts";
import { crashAt } from "../../support/crash-points.ts";
import { injectFaults } from "../../support/faults.ts";
import { until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { notedText, recordsOf } from "../../support/records.ts";
import { placeOfReport, reports } from "../../support/reports.ts";
import { json, request, TestThread } from "../../support/threads.ts";
import { answerLink, ToldThread } from "../../support/told-thread.ts";
import { deploy } from "../graphs.ts";

const asking = new StateGraph(Log)
  .addNode("ask", () => ({ log: [String(interrupt("Name?"))] }))
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();

const failing = new StateGraph(Log)
  .addNode("fail", ({ log }, { context, configurable }) => {
    throw new Error(`Failed with ${JSON.stringify([log, context, configurable])}`);
  })
  .addEdge(START, "fail")
  .addEdge("fail", END)
  .compile();

/** Its first steps are durable before it ends. */
const slow = new StateGraph(Log)
  .addNode("wait", () => scheduler.wait(5).then(() => ({ log: ["waited"] })))
  .addEdge(START, "wait")
  .addEdge("wait", END)
  .compile();

const start = { input: { log: [] } };

function events(thread: TestThread): string[] {
  return recordsOf(thread.id).map(({ event }) => event);
}

afterEach(() => injectFaults());

describe("the log", () => {
  it("has a record of each request and each step of a run, with the ids of both", async () => {
    deploy({ asking });
    const thread = new TestThread();
    const asked = await thread.invoke(start);
    await thread.resume({ interrupt_id: asked.interrupts[0]?.id, value: "Ann" });
    expect(events(thread)).toEqual([
      "run.started",
      "run.parked",
      "request",
      "run.started",
      "run.ended",
      "request",
    ]);
    const [started, parked, asking_] = recordsOf(thread.id);
    const ids = { tenant: "", thread_id: thread.id, run_id: asked.run_id };
    expect(started).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      level: "info",
      event: "run.started",
      ...ids,
      attempt: 1,
      queued_ms: expect.any(Number),
    });
    expect(parked).toMatchObject({ ...ids, checkpoint_id: asked.checkpoint_id, questions: 1, waits: 0 });
    expect(asking_).toMatchObject({
      ...ids,
      method: "POST",
      route: "/threads/:thread_id/invoke",
      status: 200,
      duration_ms: expect.any(Number),
    });
  });

  it("says by which code a run has failed, and a request was refused", async () => {
    deploy({ failing });
    const thread = new TestThread();
    await expect(thread.invoke(start)).rejects.toThrow("500");
    await expect(thread.resume({ interrupt_id: "x", value: 1 })).rejects.toThrow("409");
    expect(recordsOf(thread.id)).toMatchObject([
      { event: "run.started" },
      { event: "run.failed", level: "warn", code: "node_failed" },
      { event: "request", level: "warn", status: 500, code: "node_failed" },
      { event: "run.started" },
      { event: "run.refused", level: "info", code: "interrupt_not_pending" },
      { event: "request", level: "info", status: 409, code: "interrupt_not_pending" },
    ]);
  });

  it("tells that a run was taken up again", async () => {
    deploy({ slow });
    const thread = new TestThread();
    crashAt("run.outcome_staged", thread.id);
    await thread.invoke(start);
    expect(events(thread)).toEqual(["run.started", "run.recovered", "run.ended", "request"]);
  });

  it("tells that a fault has put off a run, and reports it with the ids of where it was", async () => {
    const fault = new Error("The disk is full. (disconnected: operation canceled)");
    const thread = new TestThread();
    let isBroken = false;
    const breaking = new StateGraph(Log)
      .addNode("break", () => {
        isBroken = reports().length === before;
        return { log: ["broken"] };
      })
      .addEdge(START, "break")
      .compile();
    const before = reports().length;
    deploy({ breaking });
    injectFaults(({ name, operation, when }) => {
      if (!isBroken || name !== objectName("", thread.id) || operation !== "transaction" || when !== "before")
        return undefined;
      isBroken = false;
      return fault;
    });
    const { run_id: runId } = await thread.invoke(start);
    const ids = { tenant: "", thread_id: thread.id, run_id: runId };
    expect(placeOfReport(fault)).toEqual(ids);
    expect(recordsOf(thread.id)).toMatchObject([
      { event: "run.started", ...ids },
      { event: "run.postponed", level: "warn", code: "internal", ...ids },
      { event: "timer.due", kind: "queue" },
      { event: "run.recovered", attempt: 2 },
      { event: "run.ended" },
      { event: "request" },
    ]);
  });

  it("tells of deliveries, each attempt of them", async () => {
    deploy({ asking });
    const thread = new ToldThread();
    await thread.tell("ok");
    await thread.messages(1);
    await until(() => events(thread).includes("delivery.taken"));
    expect(recordsOf(thread.id).find(({ event }) => event === "delivery.taken")).toMatchObject({
      level: "info",
      attempt: 1,
      status: 204,
    });
  });

  it("never has what runs were given or have said, nor what callers prove themselves by", async () => {
    deploy({ failing, asking });
    const secrets = [
      "an-input",
      "a-context",
      "a-configured",
      "a-bearer",
      "an-api-key",
      "an-answer",
      "a-query",
    ];
    const [input, context, configured, bearer, key, answer, query] = secrets;
    const headers = { authorization: `Bearer ${bearer}`, "x-api-key": key ?? "" };
    const body = { graph: "failing", input: { log: [input] }, context: { key: context } };
    const thread = crypto.randomUUID();
    const told = new ToldThread();
    await request(`/threads/${thread}/invoke?q=${query}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ ...body, config: { configurable: { key: configured } } }),
    });
    await told.invoke({ ...start, graph: "asking", webhook: told.webhook() });
    const link = await told.link();
    await json(answerLink(link, answer));
    expect(recordsOf(thread).map(({ event }) => event)).toContain("run.failed");
    expect(recordsOf(told.id).map(({ route }) => route)).toContain("/hooks/:token");
    for (const secret of [...secrets, link.split("/").at(-1) ?? ""])
      expect(notedText()).not.toContain(secret);
  });
});
