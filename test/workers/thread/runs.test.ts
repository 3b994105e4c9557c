import { describe, expect, it } from "vitest";
import { assistantIdOf } from "../../../src/assistant-id.ts";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { holdBucket } from "../../support/bucket.ts";
import { Gate, until } from "../../support/gate.ts";
import { gated } from "../../support/gated.ts";
import { expectOneChain } from "../../support/history.ts";
import { Log } from "../../support/log.ts";
import { reports } from "../../support/reports.ts";
import { HttpError, json, request, TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

interface WireRun {
  readonly run_id: string;
  readonly status: string;
  readonly attempts: number;
  readonly cancelled: string | null;
  readonly kwargs: unknown;
  readonly error: { readonly code: string } | null;
  readonly progress: { readonly supersteps: number; readonly checkpoint_id: string | null };
  readonly timings: Record<string, unknown>;
}

async function start(thread: TestThread, body: object): Promise<WireRun> {
  return (await json(thread.post("/runs", body))) as WireRun;
}

async function read(thread: TestThread, { run_id: id }: WireRun): Promise<WireRun> {
  return (await thread.get(`/runs/${id}`)) as WireRun;
}

function cancel(
  thread: TestThread,
  { run_id: id }: { readonly run_id: string },
  query = "",
): Promise<Response> {
  return thread.post(`/runs/${id}/cancel${query}`, {});
}

function wait(thread: TestThread, body: object): Promise<unknown> {
  return json(thread.post("/runs/wait", body));
}

async function log(thread: TestThread): Promise<unknown> {
  return (await thread.state()).values["log"];
}

/** Waits at the gate when its input says so; the signal of each visit is kept. */
function waiting() {
  const gate = new Gate();
  const signals: AbortSignal[] = [];
  const graph = new StateGraph(Log)
    .addNode("before", () => ({ log: ["before"] }))
    .addNode("wait", async ({ log: entries }, { signal }) => {
      signals.push(signal);
      if (entries.includes("wait")) await gate.pass();
      return { log: ["after"] };
    })
    .addEdge(START, "before")
    .addEdge("before", "wait")
    .addEdge("wait", END)
    .compile();
  return { gate, graph, signals };
}

const asks = new StateGraph(Log)
  .addNode("ask", () => ({ log: [String(interrupt("ok?"))] }))
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();

describe("a run in the background", () => {
  it("is answered at once, and is read, listed and joined while it goes on and afterwards", async () => {
    const { gate, graph } = waiting();
    deploy({ graph });
    const thread = new TestThread();
    const response = await thread.post("/runs", {
      input: { log: ["wait"] },
      metadata: { a: 1 },
      config: { tags: ["t"], recursion_limit: 9, configurable: { secret: 1 } },
      stream_mode: ["messages-tuple", "values"],
      interrupt_after: ["nobody"],
      checkpoint: null,
    });
    const started = (await json(response.clone())) as WireRun;
    expect(response.headers.get("content-location")).toBe(`${thread.path}/runs/${started.run_id}`);
    await gate.reached();
    const head = (await thread.state()).checkpoint.checkpoint_id;
    expect(await read(thread, started)).toMatchObject({
      run_id: started.run_id,
      thread_id: thread.id,
      assistant_id: assistantIdOf("graph"),
      status: "running",
      metadata: { a: 1 },
      multitask_strategy: "enqueue",
      attempts: 1,
      progress: { supersteps: 2, checkpoint_id: head },
      timings: { starts_at: null, started_at: expect.any(String), ended_at: null, limit_seconds: null },
      cancelled: null,
      cancel_reason: null,
      error: null,
    });
    expect((await read(thread, started)).kwargs).toEqual({
      input: { log: ["wait"] },
      command: null,
      config: { tags: ["t"], recursion_limit: 9, metadata: { a: 1 } },
      stream_mode: ["messages-tuple", "values"],
      subgraphs: false,
      resumable: true,
      interrupt_before: null,
      interrupt_after: ["nobody"],
      webhook: null,
      checkpoint_id: null,
      on_interrupted: "discard",
    });
    const joined = thread.get(`/runs/${started.run_id}/join`);
    gate.open();
    expect(await joined).toEqual({ log: ["wait", "before", "after"] });
    expect(await thread.get(`/runs/${started.run_id}/join`)).toEqual(await joined);
    await thread.evict();
    const ended = await read(thread, started);
    expect(ended).toMatchObject({ status: "success", progress: { supersteps: 3 } });
    expect(ended.timings["ended_at"]).not.toBeNull();

    const second = await start(thread, { input: { log: ["again"] } });
    await thread.get(`/runs/${second.run_id}/join`);
    expect(await thread.get("/runs")).toMatchObject([{ run_id: second.run_id }, { run_id: started.run_id }]);
    expect(await thread.get("/runs?limit=1&offset=1")).toMatchObject([{ run_id: started.run_id }]);
    expect(await thread.get("/runs?status=pending")).toEqual([]);
    const selected = await thread.get("/runs?select=run_id&select=status&limit=1");
    expect(selected).toEqual([{ run_id: second.run_id, status: "success" }]);
  });

  it("that is refused when its turn comes says so in its row, and its question can be answered", async () => {
    deploy({ asks });
    const thread = new TestThread();
    const paused = await thread.invoke({ input: { log: [] } });
    const refused = await start(thread, { input: { log: ["x"] }, on_interrupted: "refuse" });
    await until(async () => (await read(thread, refused)).status === "error");
    expect(await read(thread, refused)).toMatchObject({ error: { code: "thread_interrupted" } });
    expect(await thread.get(`/runs/${refused.run_id}/join`)).toMatchObject({
      __error__: { error: "ThreadInterruptedError", code: "thread_interrupted" },
    });
    const streamed = await thread.post("/runs/stream", { input: { log: ["x"] }, on_interrupted: "refuse" });
    const path = streamed.headers.get("content-location") ?? "";
    expect(await streamed.text()).toContain("thread_interrupted");
    expect(await json(request(path))).toMatchObject({ error: { code: "thread_interrupted" } });
    const [question] = paused.interrupts;
    const answer = { command: { resume: { [question?.id ?? ""]: "yes" } } };
    expect(await wait(thread, answer)).toEqual({ log: ["yes"] });
  });

  it("is deleted when it has ended, and not before", async () => {
    const { gate, graph } = gated();
    deploy({ graph });
    const thread = new TestThread();
    const run = await start(thread, { input: { log: ["a"] } });
    await gate.reached();
    const path = `${thread.path}/runs/${run.run_id}`;
    await expect(json(request(path, { method: "DELETE" }))).rejects.toMatchObject({
      status: 409,
      code: "run_not_ended",
    });
    gate.open();
    await thread.get(`/runs/${run.run_id}/join`);
    expect((await request(path, { method: "DELETE" })).status).toBe(204);
    await expect(read(thread, run)).rejects.toMatchObject({ status: 404, code: "run_not_found" });
    expect(await log(thread)).toEqual(["a", "n"]);
  });

  it("needs a thread when it says so, and runs that are not there are not found", async () => {
    deploy({ asks });
    const thread = new TestThread();
    const missing = thread.post("/runs", { input: { log: [] }, if_not_exists: "reject" });
    await expect(json(missing)).rejects.toMatchObject({ status: 404, code: "thread_not_found" });
    expect(await thread.tables()).toEqual([]);
    await expect(thread.get("/runs")).rejects.toMatchObject({ code: "thread_not_found" });
    await thread.invoke({ input: { log: [] } });
    for (const path of ["", "/join"])
      await expect(thread.get(`/runs/nothing${path}`)).rejects.toMatchObject({ code: "run_not_found" });
    await expect(json(cancel(thread, { run_id: "nothing" }))).rejects.toBeInstanceOf(HttpError);
  });
});

describe("waiting for a run", () => {
  it("answers with its values, with its questions among them, or with its error", async () => {
    const fails = new StateGraph(Log)
      .addNode("fail", () => {
        throw new Error("no luck");
      })
      .addEdge(START, "fail")
      .compile();
    deploy({ asks, fails });
    const thread = new TestThread();
    const response = await thread.post("/runs/wait", { assistant_id: "asks", input: { log: ["in"] } });
    expect(response.headers.get("location")).toMatch(/^\/threads\/[^/]+\/runs\/[^/]+\/join$/);
    expect(await json(response)).toMatchObject({ log: ["in"], __interrupt__: [{ value: "ok?" }] });
    // Python's client says it to the server, too.
    const body = { assistant_id: "fails", input: { log: [] }, raise_error: true };
    const failed = await wait(new TestThread(), body);
    expect(failed).toEqual({
      __error__: { error: "Error", message: "no luck", code: "node_failed" },
    });
  });

  it("are the error's name, message and code of a run whose command goes nowhere, however its end is heard of", async () => {
    deploy({ asks });
    const thread = new TestThread();
    const body = { command: { goto: "nobody" } };
    const error = {
      error: "UnknownNodeError",
      message: 'The Command goes to "nobody", which this graph does not have.',
      code: "unknown_node",
    };
    expect(await wait(thread, body)).toEqual({ __error__: error });
    const started = await start(thread, body);
    expect(await thread.get(`/runs/${started.run_id}/join`)).toEqual({ __error__: error });
    const streamed = await thread.post("/runs/stream", body);
    const last = (await streamed.text()).split("event: error\n")[1] ?? "";
    expect(JSON.parse(/^data: (.*)$/m.exec(last)?.[1] ?? "null")).toEqual(error);
  });
});

it("a caller that waits or joins is answered when the object is stopped underway", async () => {
  const { gate, graph } = waiting();
  deploy({ graph });
  const thread = new TestThread();
  const waited = wait(thread, { input: { log: ["wait"] } });
  await gate.reached();
  const [run] = (await thread.get("/runs")) as WireRun[];
  const joined = thread.get(`/runs/${run?.run_id}/join`);
  await scheduler.wait(5);
  await thread.crash();
  gate.open();
  expect(await waited).toEqual({ log: ["wait", "before", "after"] });
  expect(await joined).toEqual(await waited);
  expect(await thread.get("/runs")).toMatchObject([{ status: "success", attempts: 2 }]);
});

describe("cancel", () => {
  it("ends a run that goes on: its node is told, what it does then is not stored, its siblings' work is (CON-07)", async () => {
    const gate = new Gate();
    const signals: AbortSignal[] = [];
    let runs = 0;
    const graph = new StateGraph(Log)
      .addNode("fast", () => {
        runs += 1;
        return { log: ["fast"] };
      })
      .addNode("slow", async (_, { signal }) => {
        signals.push(signal);
        await gate.pass();
        return { log: ["slow"] };
      })
      .addEdge(START, "fast")
      .addEdge(START, "slow")
      .addEdge("fast", END)
      .addEdge("slow", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const caller = thread.invoke({ input: { log: ["in"] } });
    const failure = expect(caller).rejects.toMatchObject({ status: 409, code: "run_cancelled" });
    await gate.reached();
    const [{ run_id: id } = { run_id: "" }] = (await thread.get("/runs")) as WireRun[];
    const answers = [await cancel(thread, { run_id: id }), await cancel(thread, { run_id: id })];
    const [first, second] = await Promise.all(answers.map(json));
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(first).toMatchObject({ status: "interrupted", cancelled: "interrupt", attempts: 1 });
    expect(second).toEqual(first);
    await failure;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect((await cancel(thread, { run_id: id }, "?wait=1")).status).toBe(204);
    gate.open();
    await scheduler.wait(10);
    expect(await log(thread)).toEqual(["in", "fast"]);
    expect(await thread.timerKinds()).toEqual([]);
    expect((await thread.invoke()).values).toEqual({ log: ["in", "fast", "slow"] });
    expect(runs).toBe(1);
    await expectOneChain(thread);
  });

  it("keeps a run from starting that waits its turn", async () => {
    const { gate, graph } = gated();
    deploy({ graph });
    const thread = new TestThread();
    const first = await start(thread, { input: { log: ["a"] } });
    await gate.reached();
    const second = await start(thread, { input: { log: ["b"] } });
    const third = await start(thread, { input: { log: ["c"] } });
    expect(await json(cancel(thread, second))).toMatchObject({
      status: "interrupted",
      attempts: 0,
      cancel_reason: "interrupt",
    });
    await expect(json(cancel(thread, third, "?reason=taken&action=rollback"))).rejects.toMatchObject({
      code: "invalid_request",
    });
    expect(await json(cancel(thread, third, "?reason=taken"))).toMatchObject({
      status: "interrupted",
      cancelled: "interrupt",
      cancel_reason: "taken:interrupt",
    });
    gate.open();
    await thread.get(`/runs/${first.run_id}/join`);
    expect(await log(thread)).toEqual(["a", "n"]);
    expect((await thread.rowCounts())["queue"]).toBe(0);
    expect(await thread.timerKinds()).toEqual([]);
  });

  it("says of a run that has ended how it did, and changes nothing", async () => {
    deploy({ asks });
    const thread = new TestThread();
    const { run_id: id } = await thread.invoke({ input: { log: [] } });
    for (const query of ["", "?wait=1", "?action=rollback"]) {
      const response = await cancel(thread, { run_id: id }, query);
      expect(response.status).toBe(200);
      expect(await json(response)).toMatchObject({ status: "success", cancelled: null });
    }
    expect((await thread.state()).interrupts).toHaveLength(1);
  });

  it("and the end of a run that come together: one of them happens, and both say which", async () => {
    const graph = new StateGraph(Log)
      .addNode("n", async () => {
        await scheduler.wait(1);
        return { log: ["n"] };
      })
      .addEdge(START, "n")
      .addEdge("n", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    for (let delay = 0; delay < 4; delay++) {
      const run = await start(thread, { input: { log: [] } });
      await scheduler.wait(delay / 2);
      const answer = (await json(cancel(thread, run))) as WireRun;
      const end = (await thread.get(`/runs/${run.run_id}/join`)) as Record<string, unknown>;
      expect("__error__" in end).toBe(answer.status === "interrupted");
      expect((await read(thread, run)).status).toBe(answer.status);
    }
    await expectOneChain(thread);
  });

  it("holds when the object is stopped right after it, and what it ended is not entered again", async () => {
    const { gate, graph, signals } = waiting();
    deploy({ graph });
    const thread = new TestThread();
    const run = await start(thread, { input: { log: ["wait"] } });
    await gate.reached();
    await json(cancel(thread, run));
    await thread.crash();
    expect(await read(thread, run)).toMatchObject({ status: "interrupted", progress: { supersteps: 2 } });
    await thread.fireAlarm();
    expect(signals).toHaveLength(1);
    expect(await log(thread)).toEqual(["wait", "before"]);
  });

  it("of a run that waits after a fault of the storage lets the runs behind it go on", async () => {
    const graph = new StateGraph(Log)
      .addNode("n", ({ log: entries }) => ({ log: entries.includes("big") ? ["b".repeat(200_000)] : ["n"] }))
      .addEdge(START, "n")
      .addEdge("n", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const before = reports().length;
    holdBucket(({ operation }) => (operation === "put" ? Promise.reject(new Error("outage")) : undefined));
    const run = await start(thread, { input: { log: ["big"] } });
    await until(() => reports().length > before);
    holdBucket();
    const behind = thread.invoke({ input: { log: [] }, on_interrupted: "discard" });
    await thread.hasRuns(2);
    expect((await cancel(thread, run, "?wait=1")).status).toBe(204);
    expect((await behind).status).toBe("success");
  });

  it("with rollback and wait is answered when all that the run has written is gone", async () => {
    const { gate, graph } = waiting();
    deploy({ graph });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["first"] } });
    const before = await thread.history();
    const run = await start(thread, { input: { log: ["wait"] } });
    await gate.reached();
    expect((await cancel(thread, run, "?action=rollback&wait=true")).status).toBe(204);
    expect(await thread.history()).toEqual(before);
    gate.open();
  });

  it("with rollback removes what the run has written, also after a crash, and the run is not started again", async () => {
    const { gate, graph } = waiting();
    deploy({ graph });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["first"] } });
    const before = await thread.history();
    const call = thread.invoke({ input: { log: ["wait"] } });
    const failure = expect(call).rejects.toMatchObject({
      code: "run_cancelled",
      details: { action: "rollback" },
    });
    await gate.reached();
    const [run] = (await thread.get("/runs?status=running")) as WireRun[];
    if (run === undefined) throw new Error("There is no run.");
    expect((await cancel(thread, run, "?action=rollback")).status).toBe(202);
    await thread.crash();
    await failure;
    await until(async () => (await thread.history()).length === before.length);
    expect(await thread.history()).toEqual(before);
    await expect(read(thread, run)).rejects.toMatchObject({ code: "run_not_found" });
    await expect(thread.startAgain(run.run_id)).rejects.toThrow("run_cancelled");
    gate.open();
    expect((await thread.invoke({ input: { log: ["next"] } })).values["log"]).toEqual([
      "first",
      "before",
      "after",
      "next",
      "before",
      "after",
    ]);
    await expectOneChain(thread);
  });
});

describe("multitask_strategy", () => {
  it("reject refuses the run while another one is under way, on every way of starting", async () => {
    const { gate, graph } = gated();
    deploy({ graph });
    const thread = new TestThread();
    const first = await start(thread, { input: { log: ["a"] } });
    await gate.reached();
    for (const path of ["/invoke", "/stream", "/runs", "/runs/wait", "/runs/stream"]) {
      const second = thread.post(path, { input: { log: ["b"] }, multitask_strategy: "reject" });
      await expect(json(second)).rejects.toMatchObject({ status: 409, code: "thread_busy" });
    }
    gate.open();
    await thread.get(`/runs/${first.run_id}/join`);
    expect(await thread.rowCounts()).toMatchObject({ runs: 1 });
    const last = await thread.invoke({ input: { log: ["c"] }, multitask_strategy: "reject" });
    expect(last.values).toEqual({ log: ["a", "n", "c", "n"] });
  });

  it("interrupt ends what is under way, and the run goes on from the last checkpoint", async () => {
    const { gate, graph } = waiting();
    deploy({ graph });
    const thread = new TestThread();
    const first = await start(thread, { input: { log: ["wait"] } });
    await gate.reached();
    const second = await start(thread, { input: { log: ["queued"] } });
    const third = thread.invoke({ input: { log: ["new"] }, multitask_strategy: "interrupt" });
    await gate.reached(2);
    gate.open();
    expect((await third).values["log"]).toEqual(["wait", "before", "new", "before", "after"]);
    for (const run of [first, second])
      expect(await read(thread, run)).toMatchObject({ status: "interrupted", cancelled: "interrupt" });
    await expectOneChain(thread);
  });

  it("rollback undoes what is under way first", async () => {
    const { gate, graph } = waiting();
    deploy({ graph });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["first"] } });
    const undone = await start(thread, { input: { log: ["wait"] } });
    await gate.reached();
    const answer = await thread.invoke({ input: { log: ["new"] }, multitask_strategy: "rollback" });
    expect(answer.values["log"]).toEqual(["first", "before", "after", "new", "before", "after"]);
    await expect(read(thread, undone)).rejects.toMatchObject({ code: "run_not_found" });
    await expectOneChain(thread);
    gate.open();
  });
});

describe("after_seconds", () => {
  it("lets a run wait for its time, in memory or not, while others go on and edits are refused", async () => {
    const { graph } = waiting();
    deploy({ graph });
    const thread = new TestThread();
    const late = await start(thread, { input: { log: ["late"] }, after_seconds: 3600 });
    expect(late).toMatchObject({ status: "pending", timings: { starts_at: expect.any(String) } });
    expect(Math.abs(((await thread.alarm()) ?? 0) - Date.now() - 3_600_000)).toBeLessThan(10_000);
    await thread.invoke({ input: { log: ["now"] } });
    await expect(thread.update({ values: { log: ["edit"] } })).rejects.toMatchObject({ code: "thread_busy" });
    await thread.evict();
    expect(await thread.fireAlarm()).toBe(true);
    await thread.get(`/runs/${late.run_id}/join`);
    expect(await log(thread)).toEqual(["now", "before", "after", "late", "before", "after"]);
    expect(await thread.timerKinds()).toEqual([]);
  });

  it("is over when the run is cancelled", async () => {
    deploy({ asks });
    const thread = new TestThread();
    const late = await start(thread, { input: { log: [] }, after_seconds: 3600 });
    expect(await json(cancel(thread, late))).toMatchObject({ status: "interrupted" });
    expect(await thread.timerKinds()).toEqual([]);
    expect((await thread.rowCounts())["queue"]).toBe(0);
  });
});

describe("timeout_seconds", () => {
  it("ends a run that takes longer: its node is told, and the thread stays at its last checkpoint", async () => {
    const { gate, graph, signals } = waiting();
    deploy({ graph });
    const thread = new TestThread();
    const call = thread.invoke({ input: { log: ["wait"] }, timeout_seconds: 3600 });
    const failure = expect(call).rejects.toMatchObject({ status: 504, code: "run_timed_out" });
    await gate.reached();
    await thread.sql("UPDATE timers SET due = 1 WHERE kind = 'time_limit'");
    await thread.fireAlarm();
    await failure;
    expect(signals[0]?.aborted).toBe(true);
    expect(await thread.get("/runs")).toMatchObject([
      { status: "timeout", error: { code: "run_timed_out" } },
    ]);
    expect(await log(thread)).toEqual(["wait", "before"]);
    await until(async () => (await thread.timerKinds()).length === 0);
    gate.open();
    expect((await thread.invoke()).values["log"]).toEqual(["wait", "before", "after"]);
  });

  it("comes by itself, and leaves nothing behind when the run ends before", async () => {
    const { gate, graph } = waiting();
    deploy({ graph });
    const thread = new TestThread();
    expect(await wait(thread, { input: { log: ["a"] }, timeout_seconds: 60 })).toHaveProperty("log");
    expect(await thread.timerKinds()).toEqual([]);
    const late = await wait(thread, { input: { log: ["wait"] }, timeout_seconds: 0.05 });
    expect(late).toMatchObject({ __error__: { error: "RunTimedOutError", code: "run_timed_out" } });
    gate.open();
  });
});

describe("on_disconnect", () => {
  it.for(["/runs/stream", "/runs/wait"])("cancel ends the run of %s when its client goes", async (path) => {
    let isCancelled = false;
    const graph = new StateGraph(Log)
      .addNode("talk", async (_, { writer, signal }) => {
        while (!signal.aborted) {
          await scheduler.wait(5);
          writer("more");
        }
        isCancelled = true;
        return {};
      })
      .addEdge(START, "talk")
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const body = { input: { log: [] }, on_disconnect: "cancel", stream_mode: "custom" };
    const response = await thread.post(path, body);
    await response.body?.cancel();
    await until(() => isCancelled);
    expect(await thread.get("/runs")).toMatchObject([{ status: "interrupted", cancelled: "interrupt" }]);
  });
});

describe("a run that is accepted for its values", () => {
  it("brings them along when it ends at once, and leaves them to be joined for when it does not", async () => {
    const { gate, graph } = gated();
    deploy({ graph });
    const thread = new TestThread();
    const asked = { config: {}, input: { kind: "input", value: { log: ["in"] } }, modes: [] } as const;
    const accept = (runId: string) =>
      thread.stub.acceptRun({
        tenant: "",
        threadId: thread.id,
        runId,
        isAcknowledged: true,
        request: { ...asked, onInterrupted: "refuse" },
      });
    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
    expect(await accept(first)).toEqual({ ok: true, value: { runId: first } });
    gate.open();
    expect(await thread.get(`/runs/${first}/join`)).toEqual({ log: ["in", "n"] });
    const reply = await accept(second);
    const values = "value" in reply ? reply.value.values : undefined;
    expect(await new Response(values ?? null).json()).toEqual({ log: ["in", "n", "in", "n"] });
  });
});
