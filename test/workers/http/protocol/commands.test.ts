import { describe, expect, it } from "vitest";
import { Annotation, END, interrupt, type Send, START, StateGraph } from "../../../../src/index.ts";
import { command, ends, eventsUntil, start } from "../../../support/protocol.ts";
import { Gate } from "../../../support/gate.ts";
import { request, TestThread } from "../../../support/threads.ts";
import { deploy } from "../../graphs.ts";

const State = Annotation.Root({
  said: Annotation<readonly string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});

const ask = (question: string) => () => ({ said: [interrupt<string, string>(question)] });

/** Asks one thing, or two at once. */
const graph = new StateGraph(State)
  .addNode("first", ask("first?"))
  .addNode("second", ask("second?"))
  .addNode("other", () => ({ said: ["other"] }))
  .addConditionalEdges(START, ({ said }): (string | Send)[] =>
    said.includes("two") ? ["first", "second"] : ["first"],
  )
  .addEdge("first", END)
  .addEdge("second", END)
  .compile();

/** A thread that asks. */
async function asking(said: string): Promise<{ thread: TestThread; ids: readonly string[] }> {
  deploy({ graph });
  const thread = new TestThread();
  return { thread, ids: await asked(thread, said) };
}

/** The ids of what a new thread asks. */
async function asked(thread: TestThread, said: string): Promise<readonly string[]> {
  await start(thread, { said: [said] });
  const events = await eventsUntil(thread, ends());
  return events.flatMap(({ method, params: { data } }) =>
    method === "input.requested" ? [String(data["interrupt_id"])] : [],
  );
}

/** A thread that asks, and takes its time for what follows on the answer. */
async function slowlyAnswered(): Promise<{ thread: TestThread; gate: Gate; ids: readonly string[] }> {
  const gate = new Gate();
  const slow = new StateGraph(State)
    .addNode("first", ask("first?"))
    .addNode("wait", async () => {
      await gate.pass();
      return { said: ["done"] };
    })
    .addEdge(START, "first")
    .addEdge("first", "wait")
    .addEdge("wait", END)
    .compile();
  deploy({ graph: slow });
  const thread = new TestThread();
  return { thread, gate, ids: await asked(thread, "slow") };
}

const answered = (thread: TestThread, count: number) =>
  eventsUntil(thread, ends(count), { channels: ["lifecycle"] });

describe("run.start", () => {
  it("makes the thread, and names the run and the last event before it", async () => {
    deploy({ graph });
    const thread = new TestThread();
    const told = await command(thread, "run.start", { assistant_id: "graph", input: { said: [] } });
    expect(told).toEqual({
      type: "success",
      id: expect.any(Number),
      result: { run_id: expect.any(String) },
      meta: { thread_id: thread.id, applied_through_seq: expect.any(Number) },
    });
    const events = await eventsUntil(thread, ends());
    for (const { seq } of events) expect(seq).toBeGreaterThan(told.meta?.applied_through_seq ?? Infinity);
  });

  it("takes an input for the answer to the one question, and refuses it where there are two", async () => {
    const one = await asking("one");
    await start(one.thread, "yes");
    await answered(one.thread, 2);
    expect((await one.thread.state()).values).toEqual({ said: ["one", "yes"] });

    const two = await asking("two");
    expect(await command(two.thread, "run.start", { assistant_id: "graph", input: "yes" })).toMatchObject({
      type: "error",
      error: "invalid_argument",
      code: "interrupt_ambiguous",
    });
    expect((await two.thread.state()).interrupts).toHaveLength(2);
  });

  it("leads an answer that comes again while its run goes on to that run, and refuses another", async () => {
    const { thread, gate } = await slowlyAnswered();
    const said = (input: unknown, params: object = {}) =>
      command(thread, "run.start", { assistant_id: "graph", input, ...params });
    const first = await said("yes");
    expect((await said("yes")).result?.run_id).toBe(first.result?.run_id);
    expect(await said("no")).toMatchObject({ type: "error", code: "interrupt_answered" });
    gate.open();
    await answered(thread, 2);
    expect((await thread.state()).values).toEqual({ said: ["slow", "yes", "done"] });
    expect(await thread.get("/runs")).toHaveLength(2);
  });

  it("puts an input behind the answer's run that says what it does to a run under way", async () => {
    const { thread, gate } = await slowlyAnswered();
    const first = await start(thread, "yes");
    const next = await start(thread, { said: ["more"] }, { multitask_strategy: "enqueue" });
    expect(next).not.toBe(first);
    gate.open();
    await answered(thread, 3);
    expect((await thread.state()).values["said"]).toEqual(expect.arrayContaining(["yes", "done", "more"]));
  });

  it("begins at the checkpoint that its config names, and leaves the question behind", async () => {
    const { thread } = await asking("one");
    const { parent_checkpoint: parent } = await thread.state();
    await start(
      thread,
      { said: ["two"] },
      { config: { configurable: { checkpoint_id: parent?.checkpoint_id } } },
    );
    await answered(thread, 2);
    expect((await thread.state()).values["said"]).toContain("two");
  });

  it("is refused for what it lacks", async () => {
    deploy({ graph });
    const thread = new TestThread();
    for (const params of [{}, { assistant_id: "graph", nonsense: 1 }, { assistant_id: "nobody", input: {} }])
      expect(await command(thread, "run.start", params)).toMatchObject({
        type: "error",
        error: "invalid_argument",
      });
    expect((await request(thread.path)).status).toBe(404);
  });
});

describe("input.respond", () => {
  it("answers one question, once", async () => {
    const { thread, ids } = await asking("one");
    const respond = (response: string) =>
      command(thread, "input.respond", { namespace: [], interrupt_id: ids[0], response });
    expect(await respond("yes")).toMatchObject({ type: "success", result: { run_id: expect.any(String) } });
    await answered(thread, 2);
    expect((await thread.state()).values).toEqual({ said: ["one", "yes"] });
    expect(await respond("no")).toMatchObject({ error: "no_such_interrupt", code: "interrupt_answered" });
  });

  it("takes the first of several answers that come at once, and the same again as the first", async () => {
    const { thread, ids } = await asking("one");
    const respond = (response: string) =>
      command(thread, "input.respond", { interrupt_id: ids[0], response });
    const told = await Promise.all(["yes", "no", "yes", "no"].map(respond));
    await answered(thread, 2);
    const said = (await thread.state()).values["said"] as readonly string[];
    expect(said).toHaveLength(2);
    const runs = told.flatMap(({ result }) => result?.run_id ?? []);
    expect(runs).toHaveLength(2);
    expect(new Set(runs).size).toBe(1);
    expect(told.filter(({ code }) => code === "interrupt_answered")).toHaveLength(2);
  });

  it("answers several questions in one run", async () => {
    const { thread, ids } = await asking("two");
    const responses = ids.map((id, index) => ({ interrupt_id: id, response: `answer ${index}` }));
    await command(thread, "input.respond", { responses });
    await answered(thread, 2);
    expect((await thread.state()).values).toEqual({ said: ["two", "answer 0", "answer 1"] });
    expect(await thread.get("/runs")).toHaveLength(2);
  });

  it("writes and goes elsewhere beside the answer", async () => {
    const { thread, ids } = await asking("one");
    await command(thread, "input.respond", {
      interrupt_id: ids[0],
      response: "yes",
      update: { said: ["more"] },
      goto: "other",
    });
    await answered(thread, 2);
    expect((await thread.state()).values["said"]).toEqual(expect.arrayContaining(["yes", "more", "other"]));
  });

  it.each(["its id", "no id"])("records the answer that an update comes beside, by %s", async (name) => {
    const { thread, gate, ids } = await slowlyAnswered();
    const respond = async (response: string, update: object) => {
      if (name === "its id")
        return command(thread, "input.respond", { interrupt_id: ids[0], response, update });
      const body = { assistant_id: "graph", command: { resume: response, update } };
      const told = await (
        await thread.post("/runs", body)
      ).json<{ run_id?: string; error?: { code: string } }>();
      return { result: told, code: told.error?.code };
    };
    const first = await respond("yes", { said: ["more"] });
    expect(first.result?.run_id).toEqual(expect.any(String));
    expect((await respond("yes", { said: ["more"] })).result?.run_id).toBe(first.result?.run_id);
    for (const other of [respond("no", { said: ["more"] }), respond("yes", { said: ["less"] })])
      expect(await other).toMatchObject({ code: "interrupt_answered" });
    gate.open();
    await answered(thread, 2);
    expect(await thread.get(`/runs/${first.result?.run_id}`)).toMatchObject({
      answers: [{ interrupt_id: ids[0] }],
    });
    expect((await thread.state()).values["said"]).toHaveLength(4);
  });

  it("answers no question twice in one command", async () => {
    const { thread, ids } = await asking("one");
    const responses = ["yes", "no"].map((response) => ({ interrupt_id: ids[0], response }));
    expect(await command(thread, "input.respond", { responses })).toMatchObject({
      error: "invalid_argument",
    });
    expect((await thread.state()).interrupts).toHaveLength(1);
  });

  it("knows no question that is not asked, and no thread that is not there", async () => {
    const { thread } = await asking("one");
    for (const id of ["nonsense", "0".repeat(32)])
      expect(await command(thread, "input.respond", { interrupt_id: id, response: 1 })).toMatchObject({
        error: "no_such_interrupt",
      });
    const nowhere = new TestThread();
    const told = await command(nowhere, "input.respond", { interrupt_id: "0".repeat(32), response: 1 });
    expect(told).toMatchObject({ type: "error", code: "thread_not_found" });
  });
});

describe("commands that read", () => {
  it("tell the state, its checkpoints and what waits", async () => {
    const { thread } = await asking("one");
    const { checkpoint } = await thread.state();
    expect(await command(thread, "state.get", { namespace: [] })).toMatchObject({
      result: { values: { said: ["one"] }, checkpoint: { id: checkpoint.checkpoint_id } },
    });
    const { result } = await command(thread, "state.listCheckpoints", { limit: 1 });
    expect(result?.["checkpoints"]).toMatchObject([
      { id: checkpoint.checkpoint_id, step: 0, source: "loop", timestamp: expect.any(String) },
    ]);
    expect(await command(thread, "agent.getTree")).toMatchObject({
      result: { tree: { namespace: [], status: "interrupted", graph_name: "graph" } },
    });
    expect(await command(thread, "agent.getTree", { run_id: "nobody" })).toMatchObject({
      error: "no_such_run",
    });
  });

  it("begin a branch at a checkpoint", async () => {
    const { thread } = await asking("one");
    const { checkpoint } = await thread.state();
    const told = await command(thread, "state.fork", { checkpoint_id: checkpoint.checkpoint_id });
    expect(told).toMatchObject({ result: { run_id: expect.any(String), thread_id: thread.id } });
    await answered(thread, 2);
    expect((await thread.state()).parent_checkpoint).not.toBeNull();
  });
});

describe("a command", () => {
  it.each([
    ["input.inject", "not_supported"],
    ["subscription.subscribe", "not_supported"],
    ["nonsense", "unknown_command"],
  ])("%s is answered with %s", async (method, error) => {
    expect(await command(new TestThread(), method)).toMatchObject({ type: "error", error });
  });
});
