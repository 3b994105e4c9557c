import { describe, expect, it } from "vitest";
import {
  Command,
  END,
  interrupt,
  sleep,
  sleepUntil,
  START,
  StateGraph,
  waitForEvent,
} from "../../../src/index.ts";
import { LATEST_ALARM } from "../../../src/latest-alarm.ts";
import { holdBucket } from "../../support/bucket.ts";
import { Gate, until } from "../../support/gate.ts";
import { Log } from "../../support/log.ts";
import { HttpError, json, request, type RunAnswer, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

interface Receipt {
  readonly event_id: string;
  readonly status: "delivered" | "kept";
  readonly run_id?: string;
}

const HOUR = 3_600_000;

type Node = () => { log: readonly string[] } | Command;

/** Nodes that start side by side, and one that follows them. */
function side(nodes: Readonly<Record<string, Node>>) {
  const builder = new StateGraph(Log) as StateGraph<typeof Log, typeof Log.State, typeof Log.Update, string>;
  builder.addNode("end", () => ({ log: ["end"] })).addEdge("end", END);
  for (const [name, node] of Object.entries(nodes)) builder.addNode(name, node).addEdge(START, name);
  builder.addEdge(Object.keys(nodes), "end");
  return builder.compile();
}

async function send(
  thread: TestThread,
  key: string,
  payload: unknown,
  headers: Record<string, string> = {},
): Promise<Receipt> {
  const sent = request(`${thread.path}/events/${encodeURIComponent(key)}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(payload),
  });
  return (await json(sent)) as Receipt;
}

async function started(nodes: Readonly<Record<string, Node>>): Promise<[TestThread, RunAnswer]> {
  deploy({ graph: side(nodes) });
  const thread = new TestThread();
  return [thread, await thread.invoke({ input: { log: [] } })];
}

async function log(thread: TestThread): Promise<unknown> {
  return (await thread.state()).values["log"];
}

async function refusal(pending: Promise<unknown>): Promise<Pick<HttpError, "status" | "code" | "details">> {
  const error: unknown = await pending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof HttpError)) throw new Error("The call was not refused.");
  return { status: error.status, code: error.code, details: error.details };
}

const timers = (thread: TestThread) =>
  thread.sql<{ kind: string; due: number }>("SELECT kind, due FROM timers");

describe("a sleep", () => {
  it("ends its run, holds no queue, and is over by itself, whatever becomes of the object", async () => {
    let starts = 0;
    const [thread, answer] = await started({
      nap: () => {
        starts++;
        sleep(300);
        return { log: ["slept"] };
      },
    });
    const wait = { id: expect.any(String), kind: "sleep", until: expect.any(String) };
    expect(answer).toMatchObject({ status: "interrupted", interrupts: [], waiting: [wait], next: ["nap"] });
    expect(await thread.state()).toMatchObject({
      interrupts: [],
      waiting: [wait],
      tasks: [{ waiting: [wait] }],
    });
    await thread.crash();
    await until(async () => starts === 2);
    await until(async () => (await thread.state()).next.length === 0);
    expect(await log(thread)).toEqual(["slept", "end"]);
    expect(await timers(thread)).toEqual([]);
    expect(await thread.alarm()).toBeNull();
    const [run] = await thread.sql<{ answered_by: string }>("SELECT answered_by FROM answers");
    expect(run).toEqual({ answered_by: "timer" });
  });

  it("is answered once, however often the alarm comes, and not before its time", async () => {
    const due = Date.now() + HOUR;
    const [thread] = await started({
      nap: () => {
        sleepUntil(due);
        return { log: ["slept"] };
      },
    });
    expect(await timers(thread)).toEqual([{ kind: "wait", due }]);
    expect(await thread.alarm()).toBe(due);
    await thread.fireAlarm();
    expect(await timers(thread)).toEqual([{ kind: "wait", due }]);
    // The time comes: as if an hour had passed when the question was asked.
    await thread.sql("UPDATE timers SET due = 0");
    await thread.fireAlarm();
    await thread.fireAlarm();
    expect(await timers(thread)).toEqual([{ kind: "wait", due }]);
    expect(await thread.rowCounts()).toMatchObject({ runs: 1, answers: 0 });
    const [{ id } = { id: "" }] = (
      (await thread.state()) as unknown as RunAnswer & { waiting: { id: string }[] }
    ).waiting;
    // Whoever may answer may end it early.
    const end = await thread.resume({ interrupt_id: id, value: null });
    expect(end.values).toEqual({ log: ["slept", "end"] });
    expect(await timers(thread)).toEqual([]);
  });

  it("until a time that no alarm can be set for has one that comes early, and is set again", async () => {
    const end = "2300-01-01T00:00:00.000Z";
    const [thread, answer] = await started({
      nap: () => {
        sleepUntil(end);
        return { log: ["slept"] };
      },
    });
    expect(answer).toMatchObject({ status: "interrupted", waiting: [{ until: end }] });
    expect(await thread.alarm()).toBe(LATEST_ALARM);
    await thread.fireAlarm();
    expect(await thread.alarm()).toBe(LATEST_ALARM);
    expect(await timers(thread)).toEqual([{ kind: "wait", due: Date.parse(end) }]);
  });

  it("goes when the thread goes elsewhere: by new input, by an edit, by a branch, by deletion", async () => {
    const nodes = {
      nap: () => {
        sleep(HOUR);
        return { log: ["slept"] };
      },
    };
    const [discarded] = await started(nodes);
    expect(await refusal(discarded.invoke({ input: { log: ["x"] } }))).toMatchObject({
      code: "thread_interrupted",
    });
    const [first] = await timers(discarded);
    await discarded.invoke({ input: { log: ["x"] }, on_interrupted: "discard" });
    const [second] = await timers(discarded);
    expect(second?.due).toBeGreaterThanOrEqual(first?.due ?? Infinity);
    await discarded.update({ values: { log: ["by hand"] }, as_node: "nap" });
    await until(async () => (await timers(discarded)).length === 0);
    expect(await discarded.alarm()).toBeNull();
    // Back to where it waited: the time that was fixed then counts again.
    const history = await discarded.history();
    const waited = history.find(({ next, values }) => next[0] === "nap" && values["log"] !== undefined);
    await discarded.update({ values: { log: [] }, checkpoint_id: waited?.checkpoint.checkpoint_id });
    await until(async () => (await timers(discarded))[0]?.due !== undefined);
    await discarded.delete();
    expect(await discarded.alarm()).toBeNull();
  });
});

describe("a question beside waits", () => {
  it("is answered without touching them, and they without touching it", async () => {
    const [thread, answer] = await started({
      ask: () => ({ log: [interrupt<string, string>("who?")] }),
      listen: () => ({ log: [JSON.stringify(waitForEvent("note", { timeout: HOUR }))] }),
      nap: () => {
        sleep(HOUR);
        return { log: ["slept"] };
      },
    });
    const waiting = (answer as RunAnswer & { waiting: { id: string; kind: string }[] }).waiting;
    expect(waiting.map(({ kind }) => kind)).toEqual(["event", "sleep"]);
    const [before] = await timers(thread);
    const after = await thread.resume({
      interrupt_id: answer.interrupts[0]?.id,
      value: "me",
      answered_by: "ann",
    });
    expect(after).toMatchObject({ interrupts: [], waiting });
    expect(await timers(thread)).toEqual([before]);
    expect(await send(thread, "note", { n: 1 })).toMatchObject({ status: "delivered" });
    await until(async () => (await thread.rowCounts())["queue"] === 0);
    expect(await thread.state()).toMatchObject({ waiting: [waiting[1]] });
    await thread.resume({ interrupt_id: waiting[1]?.id, value: null });
    expect(await log(thread)).toEqual(["me", '{"timedOut":false,"payload":{"n":1}}', "slept", "end"]);
  });

  it("answers itself when it expires; whoever comes late is told", async () => {
    const [thread, answer] = await started({
      ask: () => ({ log: [interrupt<string, string>("ok?", { expiresIn: 50, default: "no" })] }),
    });
    const [question] = answer.interrupts;
    expect(question).toMatchObject({ default: "no", expires_at: expect.any(String) });
    await until(async () => (await thread.state()).next.length === 0);
    expect(await log(thread)).toEqual(["no", "end"]);
    expect(await refusal(thread.resume({ interrupt_id: question?.id, value: "yes" }))).toMatchObject({
      status: 409,
      code: "interrupt_answered",
      details: { answered: [{ answered_by: "expiry" }] },
    });
    const early = await started({
      ask: () => ({
        log: [interrupt<string, string>("ok?", { expiresAt: Date.now() + HOUR, default: "no" })],
      }),
    });
    await early[0].resume({ interrupt_id: early[1].interrupts[0]?.id, value: "yes" });
    expect(await timers(early[0])).toEqual([]);
  });
});

describe("what a run has the answer to that has not begun", () => {
  const later = (thread: TestThread, id: string | undefined) =>
    json(
      thread.post("/runs", {
        assistant_id: "graph",
        command: { resume: { [id ?? ""]: "later" } },
        after_seconds: 3600,
      }),
    ) as Promise<{ run_id: string }>;

  it("is not answered by its time, is seldom looked at, and is answered when that run leaves", async () => {
    const [thread, { interrupts }] = await started({
      ask: () => ({ log: [String(interrupt("?", { expiresIn: 100, default: "late" }))] }),
    });
    const { run_id } = await later(thread, interrupts[0]?.id);
    await scheduler.wait(100);
    await thread.sql("UPDATE timers SET due = 0 WHERE kind = 'wait'");
    await thread.fireAlarm();
    const [{ due } = { due: 0 }] = await thread.sql<{ due: number }>(
      "SELECT due FROM timers WHERE kind = 'wait'",
    );
    expect(due).toBeGreaterThan(Date.now() + HOUR / 2);
    await thread.post(`/runs/${run_id}/cancel`, {});
    await until(async () => (await thread.state()).next.length === 0);
    expect(await log(thread)).toEqual(["late", "end"]);
  });

  it("keeps an event for when that run leaves", async () => {
    const [thread, answer] = await started({
      wait: () => {
        waitForEvent("go");
        return { log: ["went"] };
      },
    });
    const { waiting } = answer as RunAnswer & { waiting: { id: string }[] };
    const { run_id } = await later(thread, waiting[0]?.id);
    expect(await send(thread, "go", {})).toMatchObject({ status: "kept" });
    await thread.post(`/runs/${run_id}/cancel`, {});
    await until(async () => (await thread.state()).next.length === 0);
    expect(await log(thread)).toEqual(["went", "end"]);
  });
});

describe("an event", () => {
  it("waits for its readers, first come first served, and is there after an eviction", async () => {
    const [thread] = await started({
      ask: () => ({ log: [interrupt<string, string>("go?")] }),
    });
    const kept = [];
    for (const n of [1, 2, 3]) kept.push(await send(thread, "step", n));
    expect(kept.map(({ status }) => status)).toEqual(["kept", "kept", "kept"]);
    await send(thread, "other", 0);
    const step = () => JSON.stringify(waitForEvent("step").payload);
    deploy({ graph: side({ ask: () => ({ log: [interrupt("go?"), step(), step()] }) }) });
    await thread.evict();
    const { interrupts } = await thread.state();
    await thread.resume({ interrupt_id: interrupts[0]?.id, value: "go" });
    await until(async () => (await thread.state()).next.length === 0);
    expect(await log(thread)).toEqual(["go", "1", "2", "end"]);
    const rows = await thread.sql(
      "SELECT key, payload, run IS NULL AS kept FROM received_events ORDER BY seq",
    );
    expect(rows).toMatchObject([
      { key: "step", payload: null, kept: 0 },
      { key: "step", payload: null, kept: 0 },
      { key: "step", kept: 1 },
      { key: "other", kept: 1 },
    ]);
  });

  it("that comes while a call that is then refused is in the queue is not forgotten", async () => {
    const [thread] = await started({
      wait: () => {
        waitForEvent("go");
        return { log: ["went"] };
      },
    });
    const gate = new Gate();
    holdBucket(({ operation }) => (operation === "get" ? gate.pass() : undefined));
    // So large that it is read from the bucket; and no answer at all.
    const refused = thread.post("/invoke", { input: { log: ["n".repeat(2_500_000)] } });
    await gate.reached();
    expect(await send(thread, "go", {})).toMatchObject({ status: "kept" });
    gate.open();
    holdBucket();
    expect((await refused).status).toBe(409);
    await until(async () => (await thread.state()).next.length === 0);
    expect(await log(thread)).toEqual(["went", "end"]);
    expect(await timers(thread)).toEqual([]);
  });

  it("is taken once, however often and by whatever key it is sent again", async () => {
    const [thread] = await started({ listen: () => ({ log: [String(waitForEvent<number>("n").payload)] }) });
    const header = { "idempotency-key": "k" };
    const receipts = await Promise.all(Array.from({ length: 5 }, () => send(thread, "n", 1, header)));
    const [first] = receipts;
    expect(first).toMatchObject({ status: "delivered", run_id: expect.any(String) });
    expect(receipts).toEqual(receipts.map(() => first));
    expect(await refusal(send(thread, "n", 2, header))).toMatchObject({ code: "idempotency_key_reused" });
    await until(async () => (await thread.state()).next.length === 0);
    expect(await log(thread)).toEqual(["1", "end"]);
    expect(await send(thread, "n", 3)).toMatchObject({ status: "kept" });
    expect(await thread.rowCounts()).toMatchObject({ received_events: 2, runs: 2 });
  });

  it("that was delivered is forgotten in time, and never makes those that come later slow", async () => {
    const [thread] = await started({
      wait: () => {
        waitForEvent("go");
        return { log: ["went"] };
      },
    });
    await thread.makeTables("received_events");
    await thread.sql(
      "INSERT INTO received_events (id, key, received_at, run) VALUES ('old', 'go', 1, 'gone')",
    );
    expect(await send(thread, "go", {})).toMatchObject({ status: "delivered" });
    expect(await thread.sql("SELECT id FROM received_events WHERE id = 'old'")).toEqual([]);
    for (const condition of [
      "run IS NULL AND key = 'go' AND received_at > 1 ORDER BY seq LIMIT 1",
      "run IS NULL",
      "run = 'r' AND payload_type IS NOT NULL",
      "received_at <= 2 AND (received_at <= 1 OR (run IS NOT NULL AND payload_type IS NULL))",
    ]) {
      const plan = await thread.sql<{ detail: string }>(
        `EXPLAIN QUERY PLAN SELECT * FROM received_events WHERE ${condition}`,
      );
      expect(plan.map(({ detail }) => detail).join()).toMatch(/INDEX received_events_/u);
    }
  });

  it("that does not fit, has no thread, or is too large, is refused, and changes nothing", async () => {
    const [thread] = await started({ listen: () => ({ log: [JSON.stringify(waitForEvent("paid"))] }) });
    const before = await thread.rowCounts();
    expect(await refusal(send(thread, "paid", { amount: "much" }))).toMatchObject({
      status: 400,
      code: "invalid_event",
      details: { key: "paid", issues: [{ path: "amount", message: "must be a number" }] },
    });
    expect(await refusal(send(new TestThread(), "paid", { amount: 1 }))).toMatchObject({
      code: "thread_not_found",
    });
    expect(await refusal(send(thread, "a\nb", 1))).toMatchObject({ code: "invalid_event_key" });
    expect(await refusal(send(thread, "large", "x".repeat(300_000)))).toMatchObject({
      status: 413,
      code: "event_too_large",
    });
    expect(await thread.rowCounts()).toEqual(before);
    await send(thread, "paid", { amount: 3 });
    await until(async () => (await thread.state()).next.length === 0);
  });

  it("that does not come is a value, at its time", async () => {
    const [thread] = await started({
      listen: () => ({ log: [JSON.stringify(waitForEvent("never", { timeout: 50 }))] }),
    });
    await until(async () => (await thread.state()).next.length === 0);
    expect(await log(thread)).toEqual(['{"timedOut":true}', "end"]);
    expect(await thread.alarm()).toBeNull();
  });

  it("goes with a copy of the thread, which waits for itself", async () => {
    const [thread] = await started({
      listen: () => ({ log: [String(waitForEvent<number>("n", { timeout: HOUR }).timedOut)] }),
    });
    const copy = new TestThread();
    await json(thread.post("/copy", { thread_id: copy.id }));
    expect(await timers(copy)).toEqual(await timers(thread));
    await send(copy, "n", 1);
    await until(async () => (await copy.state()).next.length === 0);
    expect(await log(copy)).toEqual(["false", "end"]);
    expect((await thread.state()).next).toEqual(["listen"]);
  });
});
