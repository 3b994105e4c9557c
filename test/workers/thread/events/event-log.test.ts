import { describe, expect, it, vi } from "vitest";
import { Annotation, END, interrupt, START, StateGraph } from "../../../../src/index.ts";
import { EncryptedSerializer, MsgpackSerializer } from "../../../../src/checkpoint/index.ts";
import { EventLog } from "../../../../src/thread/events/event-log.ts";
import { EventReader } from "../../../../src/thread/events/event-reader.ts";
import { plainTelling } from "../../../../src/thread/events/telling.ts";
import { crashAt } from "../../../support/crash-points.ts";
import { eventsOf, identifiedEvents, type IdentifiedEvent } from "../../../support/events.ts";
import { Gate, until } from "../../../support/gate.ts";
import { Log } from "../../../support/log.ts";
import { json, TestThread } from "../../../support/threads.ts";
import { deploy, deploySerde } from "../../graphs.ts";

const MODES = ["values", "updates", "custom"];

/** Says so many words in its first node, waits at the gate, and asks in its last. */
function talking(words: number, word = "wörd ") {
  const gate = new Gate();
  const graph = new StateGraph(Log)
    .addNode("talk", async (_, { writer }) => {
      for (let n = 0; n < words; n++) {
        if (n % 50 === 0) await scheduler.wait(1);
        writer(`${word}${n}`);
      }
      return { log: ["talked"] };
    })
    .addNode("wait", async () => {
      await gate.pass();
      return { log: ["waited"] };
    })
    .addNode("ask", () => ({ log: [interrupt<string, string>("go on?")] }))
    .addEdge(START, "talk")
    .addEdge("talk", "wait")
    .addEdge("wait", "ask")
    .addEdge("ask", END)
    .compile();
  return { gate, graph };
}

async function start(thread: TestThread, body: object = {}) {
  const response = await thread.post("/stream", { input: { log: [] }, stream_mode: MODES, ...body });
  const [runId = ""] = /[^/]+$/.exec(response.headers.get("content-location") ?? "") ?? [];
  return { response, runId };
}

const joined = async (thread: TestThread, runId: string, query = "", headers = {}) =>
  identifiedEvents(await thread.join(runId, query, headers));

/** The attempt's events are numbered from 1 on. */
function expectOrder(events: readonly IdentifiedEvent[], attempt = 1): void {
  const ids = events.map(({ id }) => id).filter((id) => id?.startsWith(`${attempt}-`));
  expect(ids).toEqual(ids.map((_, n) => `${attempt}-${n + 1}`));
}

describe("the events of a run", () => {
  it("are the same for everybody, whenever they come, and after any of them", async () => {
    const { gate, graph } = talking(120);
    deploy({ graph });
    const thread = new TestThread();
    const { response, runId } = await start(thread);
    expect(response.headers.get("location")).toBe(`${thread.path}/runs/${runId}/stream`);
    const first = identifiedEvents(response);
    const meanwhile = Array.from({ length: 8 }, async (_, n) => {
      await scheduler.wait(n);
      return joined(thread, runId);
    });
    await gate.reached();
    const waiting = joined(thread, runId, "", { "last-event-id": "-1" });
    gate.open();
    const events = await first;
    expect(events.map(({ event }) => event).filter((event) => event !== "custom")).toEqual([
      "metadata",
      "values",
      "updates",
      "values",
      "updates",
      "values",
      "updates",
      "values",
      "end",
    ]);
    expect(events[0]?.id).toBe("0-0");
    expect(events.at(-1)?.id).toBe("2-0");
    expectOrder(events);
    for (const reader of await Promise.all(meanwhile)) expect(reader).toEqual(events);
    expect(await waiting).toEqual(events);

    await thread.evict();
    expect(await joined(thread, runId)).toEqual(events);
    for (const n of [0, 1, 50, events.length - 3, events.length - 2, events.length - 1]) {
      const last = { "last-event-id": events[n]?.id ?? "" };
      expect(await joined(thread, runId, "", last)).toEqual(events.slice(n + 1));
    }
    expect(await joined(thread, runId, `?last_event_id=${events[5]?.id}`)).toEqual(events.slice(6));
  });

  it("are few rows: one of few events, and of a thousand tokens no more than their bytes need", async () => {
    const { gate, graph } = talking(1000, "t");
    gate.open();
    deploy({ graph });
    const thread = new TestThread();
    const { response } = await start(thread, { stream_mode: "values" });
    await identifiedEvents(response);
    expect((await thread.rowCounts())["events"]).toBe(1);
    const tokens = new TestThread();
    const events = await identifiedEvents((await start(tokens, { stream_mode: "custom" })).response);
    expect(events.filter(({ event }) => event === "custom")).toHaveLength(1000);
    const [stored] = await tokens.sql<{ rows: number; bytes: number }>(
      "SELECT count(*) AS rows, sum(length(body)) AS bytes FROM events",
    );
    expect(stored?.rows).toBeLessThanOrEqual(Math.ceil((stored?.bytes ?? 0) / 16_384) + 1);
    expect(stored?.rows).toBeLessThan(6);
  });

  it("are not kept of a run that nobody wants to stream", async () => {
    const { gate, graph } = talking(3);
    gate.open();
    deploy({ graph });
    const thread = new TestThread();
    const { run_id: runId } = await thread.invoke({ input: { log: [] } });
    expect((await thread.rowCounts())["events"]).toBe(0);
    expect((await joined(thread, runId)).map(({ event }) => event)).toEqual(["metadata", "end"]);
  });

  it("are only those of the modes that are asked for", async () => {
    const { gate, graph } = talking(3);
    gate.open();
    deploy({ graph });
    const thread = new TestThread();
    const { response, runId } = await start(thread);
    const events = await identifiedEvents(response);
    const others = ["metadata", "end"];
    const named = (...modes: string[]) => events.filter(({ event }) => [...modes, ...others].includes(event));
    expect(await joined(thread, runId, "?stream_mode=updates")).toEqual(named("updates"));
    const both = named("updates", "custom");
    expect(await joined(thread, runId, "?stream_mode=updates&stream_mode=custom")).toEqual(both);
    expect(await joined(thread, runId, "?stream_mode=updates,custom")).toEqual(both);
    const list = encodeURIComponent(JSON.stringify(["updates", "custom"]));
    expect(await joined(thread, runId, `?stream_mode=${list}&cancel_on_disconnect=0`)).toEqual(both);
  });

  it("cannot be had of what there is not, or after what is no id", async () => {
    const { gate, graph } = talking(1);
    gate.open();
    deploy({ graph });
    const thread = new TestThread();
    const join = (...args: Parameters<TestThread["join"]>) => json(thread.join(...args));
    await expect(join("r")).rejects.toMatchObject({ status: 404, code: "thread_not_found" });
    const { response, runId } = await start(thread);
    await identifiedEvents(response);
    await expect(join("r")).rejects.toMatchObject({ status: 404, code: "run_not_found" });
    const invalid = { status: 400, code: "invalid_request" };
    for (const id of ["x", "1", "1-", "-2", "1-1-1"]) {
      await expect(join(runId, "", { "last-event-id": id })).rejects.toMatchObject(invalid);
    }
    await expect(join(runId, "?stream_mode=nothing")).rejects.toMatchObject(invalid);
    await expect(join(runId, "?other=1")).rejects.toMatchObject(invalid);
  });
});

describe("a log that a reset has cut off", () => {
  it("has what was finished once, and goes on with the next attempt", async () => {
    const { gate, graph } = talking(5);
    deploy({ graph });
    const thread = new TestThread();
    const { response, runId } = await start(thread);
    const live = identifiedEvents(response);
    await gate.reached();
    await thread.crash();
    gate.open();
    const seen = await live;
    // The relay has gone on after the last one that it had passed on.
    expectOrder(seen, 1);
    expectOrder(seen, 2);
    const late = await joined(thread, runId);
    expectOrder(late, 2);
    const of = (events: readonly IdentifiedEvent[], name: string) =>
      events.filter(({ event }) => event === name).map(({ data }) => data);
    for (const events of [seen, late]) {
      expect(of(events, "metadata")).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
      expect(of(events, "custom")).toHaveLength(5);
      expect(of(events, "updates")).toEqual([
        { talk: { log: ["talked"] } },
        { wait: { log: ["waited"] } },
        { __interrupt__: [{ id: expect.any(String), value: "go on?" }] },
      ]);
      // Of the checkpoint where the second attempt begins they come once more.
      expect(of(events, "values")).toContainEqual({ log: ["talked"] });
      expect(events.at(-1)).toMatchObject({ event: "end", data: { status: "interrupted" }, id: "3-0" });
    }
  });
});

it("a log that is cut off when events were written by themselves goes on, and nothing in it is out of order", async () => {
  const { gate, graph } = talking(1000);
  gate.open();
  deploy({ graph });
  const thread = new TestThread();
  const hasCrashed = crashAt("run.events_written", thread.id);
  const { response, runId } = await start(thread);
  const events = await identifiedEvents(response);
  expect(hasCrashed()).toBe(true);
  expect(events.at(-1)).toMatchObject({ event: "end", data: { status: "interrupted" } });
  expectOrder(events, 1);
  expectOrder(events, 2);
  const said = events.filter(({ event, id }) => event === "custom" && id?.startsWith("2-"));
  expect(said).toHaveLength(1000);
  const late = await joined(thread, runId);
  const isOfSecond = ({ id }: IdentifiedEvent) => id?.startsWith("2-");
  expect(late.filter(isOfSecond)).toEqual(events.filter(isOfSecond));
});

describe("a log", () => {
  it("is removed an hour after the end of the run, with the alarm, and what is left says how the run ended", async () => {
    const { gate, graph } = talking(3);
    gate.open();
    deploy({ graph });
    const thread = new TestThread();
    const { response, runId } = await start(thread);
    const events = await identifiedEvents(response);
    const due = (await thread.alarm()) ?? 0;
    expect(due - Date.now()).toBeGreaterThan(59 * 60 * 1000);
    expect(due - Date.now()).toBeLessThanOrEqual(60 * 60 * 1000);
    await thread.inside((state) => {
      state.storage.sql.exec("UPDATE timers SET due = 1");
    });
    await thread.fireAlarm();
    expect(await thread.rowCounts()).toMatchObject({ events: 0, timers: 0 });
    expect(await thread.alarm()).toBeNull();
    // Under the id that it had.
    expect(await joined(thread, runId, "", { "last-event-id": events[3]?.id ?? "" })).toEqual(
      events.slice(-1),
    );
    expect(await joined(thread, runId)).toEqual([events.at(0), events.at(-1)]);
    expect(await joined(thread, runId, "", { "last-event-id": events.at(-1)?.id ?? "" })).toEqual([]);
  });

  it("ends with how the run ended, under one id for all: also of a run that was undone, or has not begun", async () => {
    const { gate, graph } = talking(3);
    deploy({ graph });
    const thread = new TestThread();
    const { response, runId } = await start(thread);
    const running = identifiedEvents(response);
    await gate.reached();
    const { runId: queued, response: waiting } = await start(thread, { multitask_strategy: "enqueue" });
    const never = identifiedEvents(waiting);
    await json(thread.post(`/runs/${queued}/cancel`, {}));
    expect((await never).map(({ id }) => id)).toEqual(["0-0", "1-0"]);
    expect(await joined(thread, queued)).toEqual(await never);
    await json(thread.post(`/runs/${runId}/cancel?action=rollback`, {}));
    const undone = (await running).at(-1);
    expect(undone).toMatchObject({ event: "error", data: { error: { code: "run_cancelled" } }, id: "2-0" });
    gate.open();
    await until(async () => (await thread.rowCounts())["queue"] === 0);
    expect((await joined(thread, runId)).at(-1)).toEqual(undone);
  });

  it("goes with its run, and is not moved with the thread", async () => {
    const { gate, graph } = talking(3);
    gate.open();
    deploy({ graph });
    const thread = new TestThread();
    await identifiedEvents((await start(thread)).response);
    const copy = (await json(thread.post("/copy", {}))) as { thread_id: string };
    expect((await new TestThread(copy.thread_id).rowCounts())["events"]).toBe(0);
    await thread.invoke({ input: { log: [] }, on_interrupted: "discard" });
    expect((await thread.rowCounts())["events"]).toBe(1);
    await json(thread.post("/prune", {}));
    expect(await thread.rowCounts()).toMatchObject({ runs: 1, events: 0 });
  });

  it("is encrypted where the thread is", async () => {
    const { gate, graph } = talking(200, "secret");
    gate.open();
    deploy({ graph });
    const keys = { k: new Uint8Array(32).fill(1) };
    deploySerde(new EncryptedSerializer({ current: "k", keys }));
    const thread = new TestThread();
    const { response, runId } = await start(thread);
    const events = await identifiedEvents(response);
    deploySerde(new MsgpackSerializer());
    expect(await joined(thread, runId)).toEqual(events);
    await thread.evict().catch(() => undefined);
    deploySerde(new EncryptedSerializer({ current: "k", keys }));
    expect(await joined(thread, runId)).toEqual(events);
    const rows = await thread.sql<{ body: ArrayBuffer }>("SELECT body FROM events");
    expect(rows.length).toBeGreaterThan(0);
    for (const { body } of rows) expect(new TextDecoder("latin1").decode(body)).not.toContain("secret");
    deploySerde(new MsgpackSerializer());
  });
});

describe("a reader that does not read", () => {
  it("holds up nothing, and is told what it has missed", async () => {
    const State = Annotation.Root({ n: Annotation<number>() });
    const graph = new StateGraph(State)
      .addNode("flood", async (_, { writer }) => {
        for (let n = 0; n < 18; n++) {
          writer({ n, text: "x".repeat(512 * 1024) });
          await scheduler.wait(1);
        }
        return { n: 1 };
      })
      .addEdge(START, "flood")
      .addEdge("flood", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const response = await thread.post("/stream", { input: { n: 0 }, stream_mode: "custom" });
    const events = eventsOf(response);
    await events.next();
    await until(async () => (await thread.sql("SELECT 1 FROM runs WHERE status = 'success'")).length === 1);
    const [stored] = await thread.sql<{ bytes: number }>("SELECT sum(length(body)) AS bytes FROM events");
    expect(stored?.bytes).toBeLessThanOrEqual(8 * 1024 * 1024);
    const rest: IdentifiedEvent[] = [];
    for await (const event of events) rest.push(event);
    const gap = rest.find(({ event }) => event === "gap");
    expect(gap).toMatchObject({ data: { next: expect.stringMatching(/^1-\d+$/) } });
    expect(rest.at(-1)).toMatchObject({ event: "end" });
    expect(rest.at(-2)).toMatchObject({ event: "custom", data: { n: 17 } });
  });

  it("is forgotten when it leaves a run that says nothing", async () => {
    const { gate, graph } = talking(0);
    deploy({ graph });
    const leave = vi.spyOn(EventReader.prototype, "leave");
    const { response } = await start(new TestThread());
    await gate.reached();
    expect(leave).not.toHaveBeenCalled();
    const read = response.body?.getReader();
    await read?.read();
    await read?.cancel();
    await expect.poll(() => leave).toHaveBeenCalledOnce();
    gate.open();

    const serde = new MsgpackSerializer();
    const limits = { size: 1000, keep: 1000, hasEnd: true };
    const nothing = () => undefined;
    const wait = () => Promise.resolve();
    const parts = { rows: nothing, keepUntil: nothing, now: () => 0, wait, sync: wait, report: nothing };
    const log = new EventLog({ ...parts, serde, limits });
    const end = new Promise<never>(() => undefined);
    const reader = new EventReader({ log, runId: "r", threadId: "t", telling: plainTelling(undefined), end });
    const body = reader.body.getReader();
    expect(new TextDecoder().decode((await body.read()).value)).toContain("event: metadata");
    reader.leave();
    await reader.done;
  });
});
