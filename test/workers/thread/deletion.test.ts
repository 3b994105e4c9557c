import { afterEach, describe, expect, it, vi } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import { holdBucket } from "../../support/bucket.ts";
import { Gate, until } from "../../support/gate.ts";
import { gated } from "../../support/gated.ts";
import { Log } from "../../support/log.ts";
import { json, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const large = "x".repeat(200_000);

/** A thread that has rows, and an object in the bucket. */
async function finishedThread(): Promise<TestThread> {
  const { gate, graph } = gated();
  gate.open();
  deploy({ graph });
  const thread = new TestThread();
  await thread.invoke({ input: { log: ["a", large] } });
  expect(await thread.objects()).toHaveLength(1);
  return thread;
}

async function expectNothing(thread: TestThread): Promise<void> {
  expect(await thread.tables()).toEqual([]);
  expect(await thread.objects()).toEqual([]);
  expect(await thread.alarm()).toBeNull();
}

/** Calls of this kind wait. */
function gateOfBucket(operation: string): Gate {
  const gate = new Gate();
  holdBucket((call) => (call.operation === operation ? gate.pass() : undefined));
  return gate;
}

/** Who gives a run the rest of its turn waits for it for as long as it takes. */
function holdNextTurn(): Gate {
  const gate = new Gate();
  const { setTimeout } = globalThis;
  vi.spyOn(globalThis, "setTimeout").mockImplementation((callback, delay, ...values) => {
    if (delay !== 0 || values.length === 0) return setTimeout(callback, delay, ...values);
    void gate.pass();
    return setTimeout(callback, 2 ** 31 - 1, ...values);
  });
  return gate;
}

afterEach(() => {
  vi.restoreAllMocks();
  holdBucket();
});

describe("deleting a thread", () => {
  it("removes its rows, its objects in the bucket and its alarm", async () => {
    const thread = await finishedThread();
    const other = await finishedThread();
    expect(await thread.delete()).toBe(204);
    await expectNothing(thread);
    const notFound = { status: 404, code: "thread_not_found" };
    await expect(thread.state()).rejects.toMatchObject(notFound);
    await expect(thread.delete()).rejects.toMatchObject(notFound);
    await thread.evict();
    await expectNothing(thread);
    expect((await other.state()).values).toEqual({ log: ["a", large, "n"] });
    expect(await other.objects()).toHaveLength(1);
  });

  it("leaves the id free for a new thread, of another graph too", async () => {
    const thread = await finishedThread();
    await thread.delete();
    const graph = new StateGraph(Log)
      .addNode("other", () => ({ log: ["other"] }))
      .addEdge(START, "other")
      .addEdge("other", END)
      .compile();
    deploy({ other: graph });
    await thread.evict();
    const answer = await thread.invoke({ input: { log: ["b"] } });
    expect(answer.values).toEqual({ log: ["b", "other"] });
    expect(await thread.history()).toHaveLength(3);
  });

  it("ends the run that goes on and those that wait, with an error for their callers", async () => {
    const { gate, graph } = gated();
    deploy({ graph });
    const thread = new TestThread();
    const callers = ["a", "b"].map((name) => thread.invoke({ input: { log: [name, large] } }));
    const gone = callers.map((caller) =>
      expect(caller).rejects.toMatchObject({
        status: 410,
        code: "thread_deleted",
        details: { thread_id: thread.id },
      }),
    );
    const stream = thread.stream({ input: { log: ["c"] } });
    await gate.reached();
    await thread.hasRuns(3);
    expect(await thread.delete()).toBe(204);
    await Promise.all(gone);
    expect((await stream).at(-1)).toMatchObject({
      event: "error",
      data: { error: { code: "thread_deleted" } },
    });
    await expectNothing(thread);

    gate.open();
    const answer = await thread.invoke({ input: { log: ["d"] } });
    expect(answer.values).toEqual({ log: ["d", "n"] });
    await scheduler.wait(20);
    expect((await thread.state()).values).toEqual({ log: ["d", "n"] });
    expect(await thread.rowCounts()).toMatchObject({ runs: 1, queue: 0, thread: 1 });
  });

  it("refuses a run whose input is being stored meanwhile", async () => {
    const thread = await finishedThread();
    const upload = gateOfBucket("put");
    const answer = thread.invoke({ input: { log: ["late", "y".repeat(200_000)] } });
    const outcome = expect(answer).rejects.toMatchObject({ status: 410, code: "thread_deleted" });
    await upload.reached();
    const deletion = thread.delete();
    await until(async () => (await thread.sql("SELECT 1 FROM thread WHERE deleting = 1")).length === 1);
    upload.open();
    expect(await deletion).toBe(204);
    await outcome;
    await expectNothing(thread);
  });

  it("answers who has just put a run behind another one, and waits for it", async () => {
    const { gate, graph } = gated();
    deploy({ graph });
    const thread = new TestThread();
    await json(thread.post("/runs", { input: { log: ["a"] } }));
    await gate.reached();
    const nextTurn = holdNextTurn();
    const answer = thread.post("/runs/wait", { assistant_id: "graph", input: { log: ["b"] } });
    await nextTurn.reached();
    expect(await thread.delete()).toBe(204);
    await expect(json(answer)).rejects.toMatchObject({ status: 410, code: "thread_deleted" });
  });

  it("leaves nothing in memory either: a new thread in the same object is stored in full", async () => {
    const thread = await finishedThread();
    await thread.delete();
    await thread.invoke({ input: { log: ["b", large] } });
    await thread.evict();
    expect((await thread.state()).values).toEqual({ log: ["b", large, "n"] });
    expect(await thread.objects()).toHaveLength(1);
  });

  it.for(["list", "delete"])(
    "that the bucket does not let be finished (%s) goes on by itself",
    async (operation) => {
      const thread = await finishedThread();
      holdBucket((call) => (call.operation === operation ? Promise.reject(new Error("outage")) : undefined));
      const unavailable = { status: 503, code: "blob_unavailable" };
      await expect(thread.delete()).rejects.toMatchObject(unavailable);
      await expect(thread.state()).rejects.toMatchObject(unavailable);
      await thread.fireAlarm();
      expect(await thread.alarm()).toBeGreaterThan(Date.now());
      holdBucket();
      await until(async () => (await thread.tables()).length === 0);
      await expectNothing(thread);
    },
  );

  it("is done once when it is asked for twice at once", async () => {
    const thread = await finishedThread();
    expect(await Promise.all([thread.delete(), thread.delete()])).toEqual([204, 204]);
    await expectNothing(thread);
  });
});

describe("a deletion that was stopped after it had begun", () => {
  /** As a crash leaves it right after the mark. */
  async function halfDeleted(): Promise<TestThread> {
    const thread = await finishedThread();
    await thread.inside((state) => {
      state.storage.sql.exec("UPDATE thread SET deleting = 1");
      return state.storage.setAlarm(Date.now() + 60_000);
    });
    await thread.evict();
    return thread;
  }

  it("is finished by the next request, whatever it is for", async () => {
    const thread = await halfDeleted();
    await expect(thread.state()).rejects.toMatchObject({ status: 404, code: "thread_not_found" });
    await expectNothing(thread);

    const again = await halfDeleted();
    expect(await again.delete()).toBe(204);
    await expectNothing(again);

    const reused = await halfDeleted();
    expect((await reused.invoke({ input: { log: ["new"] } })).values).toEqual({ log: ["new", "n"] });
  });

  it("is finished by the alarm", async () => {
    const thread = await halfDeleted();
    expect(await thread.fireAlarm()).toBe(true);
    await expectNothing(thread);
  });

  it("is finished without a request also when it had to end a run", { timeout: 12_000 }, async () => {
    const { gate, graph } = gated();
    deploy({ graph });
    const thread = new TestThread();
    const caller = thread.post("/invoke", { input: { log: ["a"] } }).catch(() => undefined);
    await gate.reached();
    const listing = gateOfBucket("list");
    const stopped = thread.stub.deleteThread({ tenant: "", threadId: thread.id }).then(
      () => "done",
      () => "stopped",
    );
    await listing.reached();
    await thread.crash();
    expect(await stopped).toBe("stopped");
    await caller;
    listing.open();
    // The platform runs an alarm again after two seconds when it was cut off.
    await until(async () => (await thread.tables()).length === 0, 10_000);
    await expectNothing(thread);
  });
});
