import { describe, expect, it } from "vitest";
import { END, interrupt, Send, START, StateGraph } from "../../../src/index.ts";
import { Log } from "../../support/log.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

/** One node that asks the questions one after the other and logs the answers. */
function questionnaire(...questions: readonly string[]) {
  const runs = { ask: 0 };
  const graph = new StateGraph(Log)
    .addNode("ask", () => {
      runs.ask += 1;
      return { log: questions.map((question) => JSON.stringify(interrupt(question))) };
    })
    .addNode("after", () => ({ log: ["after"] }))
    .addEdge(START, "ask")
    .addEdge("ask", "after")
    .addEdge("after", END)
    .compile();
  return { graph, runs };
}

/** Two nodes side by side that both ask, and a join after them. */
function twoQuestions() {
  const runs = { a: 0, b: 0, join: 0 };
  const graph = new StateGraph(Log)
    .addNode("a", () => {
      runs.a += 1;
      return { log: [`a: ${String(interrupt("A?"))}`] };
    })
    .addNode("b", () => {
      runs.b += 1;
      return { log: [`b: ${String(interrupt("B?"))}`] };
    })
    .addNode("join", () => {
      runs.join += 1;
      return { log: ["join"] };
    })
    .addEdge(START, "a")
    .addEdge(START, "b")
    .addEdge(["a", "b"], "join")
    .addEdge("join", END)
    .compile();
  return { graph, runs };
}

async function paused(graph: Parameters<typeof deploy>[0][string]) {
  deploy({ graph });
  const thread = new TestThread();
  const answer = await thread.invoke({ input: { log: [] } });
  expect(answer.status).toBe("interrupted");
  return { thread, questions: answer.interrupts, answer };
}

describe("a question", () => {
  it("waits through evictions before and after every request", async () => {
    const { graph, runs } = questionnaire("Name?", "Age?");
    const { thread, questions } = await paused(graph);
    await thread.evict();
    expect(await thread.state()).toMatchObject({ next: ["ask"], interrupts: questions });
    await thread.evict();
    const second = await thread.resume({ interrupt_id: questions[0]?.id, value: "Ada" });
    expect(second).toMatchObject({ status: "interrupted", next: ["ask"], interrupts: [{ value: "Age?" }] });
    await thread.evict();
    const done = await thread.resume({ interrupt_id: second.interrupts[0]?.id, value: 36 });
    expect(done).toMatchObject({ status: "success", next: [], interrupts: [] });
    expect(done.values).toEqual({ log: ['"Ada"', "36", "after"] });
    await thread.evict();
    expect((await thread.state()).values).toEqual(done.values);
    expect(runs.ask).toBe(3);
  });

  it("leaves no alarm while it waits", async () => {
    const { thread } = await paused(questionnaire("Name?").graph);
    expect(await thread.alarm()).toBeNull();
    expect(await thread.sql("SELECT * FROM queue")).toEqual([]);
  });

  it.for([false, 0, "", null])("takes %j as an answer (INT-01)", async (value) => {
    const { thread, questions } = await paused(questionnaire("Name?").graph);
    const done = await thread.resume({ interrupt_id: questions[0]?.id, value });
    expect(done.values).toEqual({ log: [JSON.stringify(value), "after"] });
  });

  it("cannot be answered twice", async () => {
    const { thread, questions } = await paused(questionnaire("Name?").graph);
    const answer = { interrupt_id: questions[0]?.id, value: "Ada" };
    const { values } = await thread.resume(answer);
    const before = await thread.rowCounts();
    await expect(thread.resume({ ...answer, value: "Bob" })).rejects.toMatchObject({
      status: 409,
      code: "interrupt_answered",
      details: { answered: [{ interrupt_id: questions[0]?.id }] },
    });
    expect(await thread.rowCounts()).toEqual(before);
    expect((await thread.state()).values).toEqual(values);
  });

  it("refuses an unknown id, alone or beside the right one, and stays open (INT-03)", async () => {
    const { graph, runs } = questionnaire("Name?");
    const { thread, questions } = await paused(graph);
    const [id = ""] = questions.map((question) => question.id);
    const unknown = "0123456789abcdef0123456789abcdef";
    const before = await thread.rowCounts();
    for (const body of [
      { interrupt_id: unknown, value: "x" },
      { values: { [unknown]: "x" } },
      { values: { [id]: "Ada", [unknown]: "x" } },
      { interrupt_id: "", value: "x" },
    ]) {
      await expect(thread.resume(body)).rejects.toMatchObject({
        status: 409,
        code: "interrupt_not_pending",
        details: { pending: [id] },
      });
    }
    expect(await thread.rowCounts()).toEqual(before);
    expect(runs.ask).toBe(1);
    expect((await thread.resume({ values: { [id]: "Ada" } })).values).toEqual({ log: ['"Ada"', "after"] });
  });

  it("is not answered by the answer to the one before it (INT-05)", async () => {
    const { thread, questions } = await paused(questionnaire("one", "two").graph);
    const second = await thread.resume({ interrupt_id: questions[0]?.id, value: "p" });
    expect(await thread.invoke()).toMatchObject({ status: "interrupted", interrupts: second.interrupts });
    expect(await thread.invoke({ input: null })).toMatchObject({ status: "interrupted" });
    const done = await thread.resume({ interrupt_id: second.interrupts[0]?.id, value: "q" });
    expect(done.values).toEqual({ log: ['"p"', '"q"', "after"] });
  });
});

describe("the answer of a run that has asked a question", () => {
  it("has the values of its checkpoint, the same when it is given again later", async () => {
    const graph = new StateGraph(Log)
      .addNode("done", () => ({ log: ["done"] }))
      .addNode("ask", () => ({ log: [String(interrupt("?"))] }))
      .addEdge(START, "done")
      .addEdge(START, "ask")
      .addEdge("done", END)
      .addEdge("ask", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const asked = await thread.invoke({ input: { log: ["in"] } });
    expect(asked.values).toEqual({ log: ["in"] });
    expect((await thread.state()).values).toEqual({ log: ["in", "done"] });
    await thread.resume({ interrupt_id: asked.interrupts[0]?.id, value: "yes" });
    expect(await thread.startAgain(asked.run_id)).toEqual(asked);
  });
});

describe("several questions", () => {
  it("need their ids: an answer to none in particular is refused (PAR-01)", async () => {
    const { graph, runs } = twoQuestions();
    const { thread, questions } = await paused(graph);
    expect(questions.map((question) => question.value)).toEqual(["A?", "B?"]);
    await expect(thread.resume({ value: "X" })).rejects.toMatchObject({
      status: 400,
      code: "invalid_request",
    });
    expect((await thread.state()).interrupts).toEqual(questions);
    expect(runs).toEqual({ a: 1, b: 1, join: 0 });
  });

  it("can be answered one by one, in any order, with evictions between (PAR-03)", async () => {
    const { graph, runs } = twoQuestions();
    const { thread, questions } = await paused(graph);
    const [a, b] = questions;
    await thread.evict();
    const half = await thread.resume({ interrupt_id: b?.id, value: "two" });
    expect(half).toMatchObject({ status: "interrupted", next: ["a"], interrupts: [a] });
    expect(runs).toEqual({ a: 1, b: 2, join: 0 });
    await thread.evict();
    const done = await thread.resume({ interrupt_id: a?.id, value: "one" });
    expect(done).toMatchObject({ status: "success", values: { log: ["a: one", "b: two", "join"] } });
    expect(runs).toEqual({ a: 2, b: 2, join: 1 });
  });

  it("can be answered together", async () => {
    const { thread, questions } = await paused(twoQuestions().graph);
    const [a, b] = questions.map((question) => question.id);
    const done = await thread.resume({ values: { [String(b)]: "two", [String(a)]: "one" } });
    expect(done.values).toEqual({ log: ["a: one", "b: two", "join"] });
  });
});

describe("what runs beside a question", () => {
  it("is not run again, also when it wrote nothing (PEN-05)", async () => {
    const runs = { empty: 0, ask: 0 };
    const graph = new StateGraph(Log)
      .addNode("empty", () => {
        runs.empty += 1;
      })
      .addNode("ask", () => {
        runs.ask += 1;
        return { log: [String(interrupt("?"))] };
      })
      .addEdge(START, "empty")
      .addEdge(START, "ask")
      .addEdge("empty", END)
      .addEdge("ask", END)
      .compile();
    const { thread, questions } = await paused(graph);
    await thread.evict();
    const done = await thread.resume({ interrupt_id: questions[0]?.id, value: "yes" });
    expect(done).toMatchObject({ status: "success", values: { log: ["yes"] } });
    expect(runs).toEqual({ empty: 1, ask: 2 });
  });

  it("is not run again among many Sends (SND-01)", async () => {
    const runs = [0, 0, 0, 0];
    const graph = new StateGraph(Log)
      .addNode("worker", (input: unknown) => {
        const { n } = input as { n: number };
        runs[n] = (runs[n] ?? 0) + 1;
        return { log: [n % 2 === 1 ? `${n}: ${String(interrupt(n))}` : String(n)] };
      })
      .addConditionalEdges(START, () => [0, 1, 2, 3].map((n) => new Send("worker", { n })))
      .addEdge("worker", END)
      .compile();
    const { thread, questions } = await paused(graph);
    await thread.evict();
    const values = Object.fromEntries(questions.map(({ id, value }) => [id, `answer ${String(value)}`]));
    const done = await thread.resume({ values });
    expect(done.values).toEqual({ log: ["0", "1: answer 1", "2", "3: answer 3"] });
    expect(runs).toEqual([1, 2, 1, 2]);
  });
});

describe("new input for a paused thread", () => {
  it("is refused and leaves no trace", async () => {
    const { thread, questions } = await paused(questionnaire("Name?").graph);
    const before = await thread.rowCounts();
    await expect(thread.invoke({ input: { log: ["new"] } })).rejects.toMatchObject({
      status: 409,
      code: "thread_interrupted",
      details: { pending: [questions[0]?.id] },
    });
    expect(await thread.rowCounts()).toEqual(before);
    expect((await thread.state()).interrupts).toEqual(questions);
  });

  it("takes the place of the question when the caller says so", async () => {
    const { thread, questions } = await paused(questionnaire("Name?").graph);
    const again = await thread.invoke({ input: { log: ["new"] }, on_interrupted: "discard" });
    expect(again).toMatchObject({ status: "interrupted", values: { log: ["new"] } });
    expect(again.interrupts[0]?.id).not.toBe(questions[0]?.id);
    await expect(thread.resume({ interrupt_id: questions[0]?.id, value: "late" })).rejects.toMatchObject({
      status: 409,
      details: { pending: [again.interrupts[0]?.id] },
    });
  });
});
