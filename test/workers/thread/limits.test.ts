import { beforeEach, describe, expect, it } from "vitest";
import { Annotation, END, interrupt, START, StateGraph } from "../../../src/index.ts";
import type { CrashPoint } from "../../../src/thread/crash-points.ts";
import { crashAt } from "../../support/crash-points.ts";
import { Gate, until } from "../../support/gate.ts";
import { expectOneChain } from "../../support/history.ts";
import { Log } from "../../support/log.ts";
import { json, request, TestThread, type Question, type RunAnswer } from "../../support/threads.ts";
import { announcing, deploy } from "../graphs.ts";

const Count = Annotation.Root({ n: Annotation<number>() });

/** Counts up to 6; each time it uses 10 tokens. */
const counting = new StateGraph(Count)
  .addNode("work", ({ n }, config) => {
    config.reportUsage({ tokens: 10 });
    return { n: n + 1 };
  })
  .addEdge(START, "work")
  .addConditionalEdges("work", ({ n }) => (n < 6 ? "work" : END))
  .compile();

beforeEach(() => deploy({ graph: counting }));

function limited(limits: object, more: object = {}): Promise<RunAnswer> {
  return new TestThread().invoke({ input: { n: 0 }, limits, ...more });
}

const SUPERSTEPS = { type: "limit_reached", limit: "supersteps", used: 2, allowed: 2 };

function onlyQuestion({ interrupts }: { readonly interrupts: readonly Question[] }): Question {
  expect(interrupts).toHaveLength(1);
  return interrupts[0] as Question;
}

describe("a run that reaches a limit", () => {
  it("pauses with a question, and goes on as it is answered", async () => {
    const first = await limited({ supersteps: 2 });
    const thread = new TestThread(first.thread_id);
    expect(first).toMatchObject({ status: "interrupted", values: { n: 2 }, next: ["work"] });
    const question = onlyQuestion(first);
    expect(question).toEqual({ id: expect.stringMatching(/^[0-9a-f]{32}$/), value: SUPERSTEPS });
    const again = await thread.resume({ interrupt_id: question.id, value: true });
    expect(again).toMatchObject({
      status: "interrupted",
      values: { n: 4 },
      interrupts: [{ value: SUPERSTEPS }],
    });
    expect(onlyQuestion(again).id).not.toBe(question.id);
    const other = { interrupt_id: onlyQuestion(again).id, value: { usage: { tokens: 10 } } };
    const third = await thread.resume(other);
    expect(onlyQuestion(third).value).toMatchObject({ limit: "usage.tokens", used: 10, allowed: 10 });
    const last = await thread.resume({ interrupt_id: onlyQuestion(third).id, value: {} });
    expect(last).toMatchObject({ status: "success", values: { n: 6 }, interrupts: [] });
    expect((await thread.state()).metadata).toMatchObject({ usage: { tokens: 60 } });
    await expectOneChain(thread);
  });

  it("is told of wherever questions are", async () => {
    announcing.isOn = true;
    try {
      const thread = new TestThread();
      const events = await thread.stream({
        input: { n: 0 },
        limits: { supersteps: 2 },
        stream_mode: ["updates"],
      });
      const state = await thread.state();
      const question = onlyQuestion(state);
      const told = (await thread.get("")) as { status: string; interrupts: Record<string, unknown> };
      const [run] = (await thread.get("/runs")) as { run_id: string; status: string; limits: object }[];
      expect(run).toMatchObject({ status: "success", limits: { supersteps: 2 } });
      expect(told).toMatchObject({ status: "interrupted", interrupts: { [run?.run_id ?? ""]: [question] } });
      const asking = events.filter(({ data }) => JSON.stringify(data).includes("__interrupt__"));
      expect(asking).toMatchObject([{ event: "updates", data: { __interrupt__: [question] } }]);
      expect(events.at(-1)).toMatchObject({ event: "end", data: { interrupts: [question], next: ["work"] } });
      expect(await thread.get(`/runs/${run?.run_id}/join`)).toEqual({ n: 2, __interrupt__: [question] });
      expect((await thread.state(state.checkpoint.checkpoint_id)).interrupts).toEqual([question]);
      const asked = (await thread.history()).map(({ interrupts }) => interrupts);
      expect(asked).toEqual([[question], ...asked.slice(1).map(() => [])]);
      const found = async () => {
        const { interrupts } = (await json(request("/interrupts?limit=1000"))) as {
          interrupts: { thread_id: string }[];
        };
        return interrupts.filter(({ thread_id }) => thread_id === thread.id);
      };
      // After a reset the directory hears of it by the alarm.
      await until(async () => (await found()).length > 0 || !(await thread.fireAlarm()));
      expect(await found()).toMatchObject([{ interrupt_id: question.id, value: SUPERSTEPS }]);
      await thread.resume({ interrupt_id: question.id, value: false });
      expect(await thread.get("")).toMatchObject({ status: "interrupted", interrupts: {} });
      expect((await thread.history())[0]?.interrupts).toEqual([]);
    } finally {
      announcing.isOn = false;
    }
  });

  it("is started in every way, also with seconds, and refuses limits that are none", async () => {
    const thread = new TestThread();
    const body = { input: { n: 0 }, assistant_id: "graph", limits: { supersteps: 1 } };
    expect(await json(thread.post("/runs/wait", body))).toMatchObject({
      n: 1,
      __interrupt__: [{ value: { limit: "supersteps", allowed: 1 } }],
    });
    const late = await limited({ seconds: 0.000_001, usage: { tokens: 1 } });
    expect(["seconds", "usage.tokens"]).toContain((onlyQuestion(late).value as { limit: string }).limit);
    for (const limits of [[], { supersteps: 0 }, { seconds: "1" }, { usage: { tokens: 0 } }, { tokens: 1 }])
      await expect(limited(limits)).rejects.toMatchObject({ status: 400, code: "invalid_request" });
  });
});

describe("the answer to a limit", () => {
  it("false leaves the thread where it is, and any other comes too late", async () => {
    const { thread_id: id, ...first } = await limited({ supersteps: 2 });
    const thread = new TestThread(id);
    const answer = { interrupt_id: onlyQuestion(first).id, value: false, answered_by: "ann" };
    const stopped = await thread.resume(answer);
    expect(stopped).toMatchObject({
      status: "interrupted",
      interrupts: [],
      next: ["work"],
      values: { n: 2 },
      checkpoint_id: first.checkpoint_id,
    });
    expect(await thread.state()).toMatchObject({ interrupts: [], next: ["work"], values: { n: 2 } });
    expect(await thread.resume(answer)).toEqual(stopped);
    await expect(thread.resume({ ...answer, value: true })).rejects.toMatchObject({
      status: 409,
      code: "interrupt_answered",
      details: { answered: [{ run_id: stopped.run_id, answered_by: "ann" }] },
    });
    expect(await thread.invoke()).toMatchObject({ status: "success", values: { n: 6 } });
  });

  it("counts once, however often it comes, and another one is told who was first", async () => {
    const { thread_id: id, ...first } = await limited({ supersteps: 2 });
    const thread = new TestThread(id);
    const question = onlyQuestion(first).id;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => thread.resume({ interrupt_id: question, value: true })),
    );
    expect(new Set(answers.map(({ run_id }) => run_id)).size).toBe(1);
    expect(answers[0]?.values).toEqual({ n: 4 });
    const late = thread.resume({ interrupt_id: question, value: { supersteps: 1 } });
    await expect(late).rejects.toMatchObject({ status: 409, code: "interrupt_answered" });
    expect((await thread.rowCounts())["runs"]).toBe(2);
  });

  it("that is none is refused, and changes nothing", async () => {
    const { thread_id: id, ...first } = await limited({ supersteps: 2 });
    const thread = new TestThread(id);
    const question = onlyQuestion(first).id;
    for (const value of [null, "yes", [], { tokens: 1 }, { supersteps: -1 }])
      await expect(thread.resume({ interrupt_id: question, value })).rejects.toMatchObject({
        status: 400,
        code: "invalid_limits",
      });
    const both = thread.resume({ interrupt_id: question, value: true, limits: { supersteps: 1 } });
    await expect(both).rejects.toMatchObject({ status: 400, code: "invalid_limits" });
    expect(await thread.rowCounts()).toMatchObject({ runs: 1, answers: 0 });
    expect(onlyQuestion(await thread.state()).id).toBe(question);
  });

  it("is needed: a run without it takes the thread no further", async () => {
    const { thread_id: id, ...first } = await limited({ supersteps: 2 });
    const thread = new TestThread(id);
    const question = onlyQuestion(first);
    expect(await thread.invoke()).toMatchObject({ interrupts: [question], values: { n: 2 } });
    const input = { input: { n: 0 } };
    await expect(thread.invoke(input)).rejects.toMatchObject({
      status: 409,
      code: "thread_interrupted",
      details: { pending: [question.id] },
    });
    const discarding = await thread.invoke({ ...input, on_interrupted: "discard" });
    expect(discarding).toMatchObject({ status: "success", values: { n: 6 } });
    const gone = thread.resume({ interrupt_id: question.id, value: true });
    await expect(gone).rejects.toMatchObject({ status: 409, code: "interrupt_not_pending" });
  });

  it("is needed no more when the state was edited, or the thread has gone elsewhere", async () => {
    const { thread_id: id, ...first } = await limited({ supersteps: 2 });
    const thread = new TestThread(id);
    await thread.update({ values: { n: 5 }, as_node: "work" });
    expect((await thread.state()).interrupts).toEqual([]);
    const [, second] = await thread.history();
    expect(second?.checkpoint.checkpoint_id).toBe(first.checkpoint_id);
    expect(await thread.invoke()).toMatchObject({ status: "success", values: { n: 6 } });
    const fork = await thread.invoke({ checkpoint_id: first.checkpoint_id, limits: { supersteps: 1 } });
    expect(fork).toMatchObject({ values: { n: 3 }, interrupts: [{ value: { used: 1 } }] });
  });

  it("goes beside answers to the questions of tasks", async () => {
    const inner = new StateGraph(Count)
      .addNode("work", ({ n }, config) => (config.reportUsage({ tokens: 10 }), { n: n + 1 }))
      .addEdge(START, "work")
      .addConditionalEdges("work", ({ n }) => (n < 4 ? "work" : END))
      .compile();
    const graph = new StateGraph(Log)
      .addNode("ask", () => ({ log: [String(interrupt("A?"))] }))
      .addNode("nested", async () => ({ log: [String((await inner.invoke({ n: 0 })).n)] }), {
        subgraphs: [inner],
      })
      .addEdge(START, "ask")
      .addEdge(START, "nested")
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const first = await thread.invoke({ input: { log: [] }, limits: { usage: { tokens: 20 } } });
    expect(first.interrupts.map(({ value }) => value)).toEqual([
      "A?",
      { type: "limit_reached", limit: "usage.tokens", used: 20, allowed: 20 },
    ]);
    const [asked = "", limit = ""] = first.interrupts.map(({ id }) => id);
    const stop = thread.resume({ values: { [asked]: "yes", [limit]: false } });
    await expect(stop).rejects.toMatchObject({ status: 400, code: "invalid_limits" });
    const half = await thread.resume({ values: { [asked]: "yes" } });
    expect(half.interrupts).toEqual([first.interrupts[1]]);
    const whole = await thread.resume({ values: { [limit]: true } });
    expect(whole).toMatchObject({ status: "success", values: { log: ["yes", "4"] } });
    const other = new TestThread();
    const { interrupts } = await other.invoke({ input: { log: [] }, limits: { usage: { tokens: 20 } } });
    const [a = "", l = ""] = interrupts.map(({ id }) => id);
    const both = await other.resume({ values: { [a]: "yes", [l]: { usage: { tokens: 30 } } } });
    expect(both).toMatchObject({ status: "success", values: { log: ["yes", "4"] } });
  });

  it("is open again when its run was rolled back", async () => {
    const gate = new Gate();
    const graph = new StateGraph(Count)
      .addNode("work", async ({ n }) => {
        if (n === 3) await gate.pass();
        return { n: n + 1 };
      })
      .addEdge(START, "work")
      .addConditionalEdges("work", ({ n }) => (n < 6 ? "work" : END))
      .compile();
    deploy({ graph });
    const { thread_id: id, ...first } = await limited({ supersteps: 2 });
    const thread = new TestThread(id);
    const question = onlyQuestion(first);
    const second = thread.resume({ interrupt_id: question.id, value: true });
    second.catch(() => undefined);
    await gate.reached();
    expect(await thread.state()).toMatchObject({ values: { n: 3 }, interrupts: [] });
    const [run] = (await thread.get("/runs")) as { run_id: string }[];
    await json(thread.post(`/runs/${run?.run_id}/cancel?action=rollback&wait=true`, {}));
    gate.open();
    await expect(second).rejects.toMatchObject({ code: "run_cancelled" });
    expect(await thread.state()).toMatchObject({ interrupts: [question] });
    const third = await thread.resume({ interrupt_id: question.id, value: { supersteps: 3 } });
    expect(third.values).toEqual({ n: 5 });
  });

  it("needs no id from LangGraph's clients when nothing else is asked, and an edit leaves it behind", async () => {
    const { thread_id: id } = await limited({ supersteps: 2 });
    const thread = new TestThread(id);
    const wait = (command: object) =>
      json(thread.post("/runs/wait", { assistant_id: "graph", command })) as Promise<Record<string, unknown>>;
    expect(await wait({ resume: true })).toMatchObject({ n: 4, __interrupt__: [{ value: SUPERSTEPS }] });
    expect(await wait({ update: { n: 5 } })).toEqual({ n: 6 });
  });

  it("moves with its thread", async () => {
    const { thread_id: id, ...first } = await limited({ supersteps: 2 });
    const thread = new TestThread(id);
    const copy = crypto.randomUUID();
    await json(thread.post("/copy", { thread_id: copy }));
    const moved = await new TestThread(copy).resume({
      interrupt_id: onlyQuestion(first).id,
      value: true,
    });
    expect(moved.values).toEqual({ n: 4 });
    expect((await thread.state()).values).toEqual({ n: 2 });
  });
});

describe("a limit beside crashes", () => {
  const OF_RUN = [
    "run.claimed",
    "run.input_applied",
    "run.task_written",
    "run.committed",
    "run.outcome_staged",
    "run.ended",
  ] as const satisfies readonly CrashPoint[];

  it.each(OF_RUN)("is reached as far as without, when the object ends at %s", async (point) => {
    const thread = new TestThread();
    const hasCrashed = crashAt(point, thread.id);
    const first = await thread.invoke({ input: { n: 0 }, limits: { supersteps: 4, usage: { tokens: 20 } } });
    expect(hasCrashed()).toBe(true);
    expect(first).toMatchObject({ values: { n: 2 }, next: ["work"] });
    const question = onlyQuestion(first);
    expect(question.value).toMatchObject({ limit: "usage.tokens", used: 20, allowed: 20 });
    const hasCrashedAgain = point === "run.input_applied" || crashAt(point, thread.id);
    const second = await thread.resume({ interrupt_id: question.id, value: { supersteps: 3 } });
    expect(hasCrashedAgain === true || hasCrashedAgain()).toBe(true);
    expect(second.values).toEqual({ n: 5 });
    expect(onlyQuestion(second).value).toMatchObject({ limit: "supersteps", used: 3 });
    expect((await thread.state()).metadata).toMatchObject({ usage: { tokens: 50 } });
    await expectOneChain(thread);
  });
});
