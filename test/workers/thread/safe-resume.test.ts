import { describe, expect, it } from "vitest";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { holdBucket } from "../../support/bucket.ts";
import { Gate } from "../../support/gate.ts";
import { expectOneChain } from "../../support/history.ts";
import { Log } from "../../support/log.ts";
import { HttpError, json, TestThread, type RunAnswer } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

/** Asks for the approval of each amount, one after the other, and pays what was approved. */
function approvals(...amounts: readonly number[]) {
  const effects: number[] = [];
  const graph = new StateGraph(Log)
    .addNode("pay", () => {
      const approved = amounts.filter((amount) => interrupt(`approve ${amount}?`) === true);
      effects.push(...approved);
      return { log: approved.map(String) };
    })
    .addNode("after", () => ({ log: ["after"] }))
    .addEdge(START, "pay")
    .addEdge("pay", "after")
    .addEdge("after", END)
    .compile();
  deploy({ graph });
  return effects;
}

async function asked(thread = new TestThread()) {
  const { interrupts } = await thread.invoke({ input: { log: [] } });
  return { thread, question: interrupts[0]?.id ?? "" };
}

function codeOf(result: PromiseSettledResult<RunAnswer>): string {
  return result.status === "fulfilled" ? "ok" : (result.reason as HttpError).code;
}

describe("an answer that is delivered twice", () => {
  it("answers its question once, and leaves the next one alone", async () => {
    const effects = approvals(10, 10_000);
    const { thread, question } = await asked();
    const first = await thread.resume({ interrupt_id: question, value: true });
    expect(first.interrupts).toMatchObject([{ value: "approve 10000?" }]);
    const again = await thread.resume({ interrupt_id: question, value: true });
    expect(again).toEqual(first);
    expect((await thread.state()).interrupts).toEqual(first.interrupts);
    expect(effects).toEqual([]);
    const last = await thread.resume({ interrupt_id: first.interrupts[0]?.id, value: false });
    expect(last.values).toEqual({ log: ["10", "after"] });
    expect(await thread.resume({ interrupt_id: question, value: true })).toEqual(first);
  });

  it("starts one run, however often and at whatever moment it comes", async () => {
    const gate = new Gate();
    let runs = 0;
    const graph = new StateGraph(Log)
      .addNode("ask", async () => {
        const answer: unknown = interrupt("ok?");
        runs += 1;
        await gate.pass();
        return { log: [String(answer)] };
      })
      .addEdge(START, "ask")
      .compile();
    deploy({ graph });
    const { thread, question } = await asked();
    const body = { interrupt_id: question, value: { ok: 1, by: "x" } };
    const early = Array.from({ length: 50 }, () => thread.resume(body));
    await gate.reached();
    const late = Array.from({ length: 50 }, () => thread.resume(body));
    gate.open();
    const answers = await Promise.all([...early, ...late]);
    expect(new Set(answers.map(({ run_id }) => run_id)).size).toBe(1);
    expect(runs).toBe(1);
    expect((await thread.rowCounts())["runs"]).toBe(2);
    await thread.evict();
    const keysTurned = { interrupt_id: question, value: { by: "x", ok: 1 } };
    expect(await thread.resume(keysTurned)).toEqual(answers[0]);
    await expectOneChain(thread);
  });

  it("gets the same failure again, and nothing runs", async () => {
    let runs = 0;
    const graph = new StateGraph(Log)
      .addNode("ask", () => {
        interrupt("ok?");
        runs += 1;
        throw new Error("broken");
      })
      .addEdge(START, "ask")
      .compile();
    deploy({ graph });
    const { thread, question } = await asked();
    const body = { interrupt_id: question, value: 1 };
    for (let delivery = 0; delivery < 3; delivery++) {
      await expect(thread.resume(body)).rejects.toMatchObject({ status: 500, code: "node_failed" });
    }
    expect(runs).toBe(1);
  });

  it("finds its run after the object was stopped in the middle of it", async () => {
    const gate = new Gate();
    const graph = new StateGraph(Log)
      .addNode("ask", async () => {
        const answer: unknown = interrupt("ok?");
        await gate.pass();
        return { log: [String(answer)] };
      })
      .addEdge(START, "ask")
      .compile();
    deploy({ graph });
    const { thread, question } = await asked();
    const body = { interrupt_id: question, value: "yes" };
    const first = thread.resume(body);
    await gate.reached();
    await thread.crash();
    const second = thread.resume(body);
    await gate.reached(2);
    gate.open();
    expect(await second).toEqual(await first);
    expect((await thread.rowCounts())["runs"]).toBe(2);
  });
});

describe("different answers", () => {
  it("have one winner, and the others hear who it was", async () => {
    approvals(10);
    const { thread, question } = await asked();
    const values = Array.from({ length: 20 }, (_, index) => index);
    const results = await Promise.allSettled(
      values.map((value) => thread.resume({ interrupt_id: question, value, answered_by: `caller ${value}` })),
    );
    const winners = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(winners).toHaveLength(1);
    const winner = results.findIndex(({ status }) => status === "fulfilled");
    for (const [index, result] of results.entries()) {
      if (index === winner) continue;
      expect(result).toMatchObject({
        reason: {
          status: 409,
          code: "interrupt_answered",
          details: {
            answered: [
              {
                interrupt_id: question,
                run_id: winners[0]?.run_id,
                answered_by: `caller ${winner}`,
                answered_at: expect.stringMatching(/^\d{4}-/),
              },
            ],
          },
        },
      });
    }
    expect((await thread.rowCounts())["runs"]).toBe(2);
    await expectOneChain(thread);
  });

  it("to several questions at once are refused when one of them comes too late", async () => {
    const graph = new StateGraph(Log)
      .addNode("a", () => ({ log: [`a ${String(interrupt("A?"))}`] }))
      .addNode("b", () => ({ log: [`b ${String(interrupt("B?"))}`] }))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const { interrupts } = await thread.invoke({ input: { log: [] } });
    const [a = "", b = ""] = interrupts.map(({ id }) => id);
    const first = await thread.resume({ values: { [a]: 1 } });
    for (const late of [{ [a]: 1, [b]: 2 }, { [a]: 2, [b]: 2 }, { [a]: 2 }]) {
      await expect(thread.resume({ values: late })).rejects.toMatchObject({
        code: "interrupt_answered",
        details: { answered: [{ interrupt_id: a, run_id: first.run_id }] },
      });
    }
    expect(await thread.resume({ values: { [a]: 1 } })).toEqual(first);
    expect((await thread.resume({ values: { [b]: 2 } })).values).toEqual({ log: ["a 1", "b 2"] });
  });
});

describe("a question", () => {
  it("stays open when its answer was refused, and takes the next one", async () => {
    const { thread, question } = await (approvals(10), asked());
    const unknown = { values: { [question]: true, nonsense: 1 } };
    await expect(thread.resume(unknown)).rejects.toMatchObject({ code: "interrupt_not_pending" });
    expect(await thread.rowCounts()).toMatchObject({ answers: 0 });
    expect((await thread.resume({ interrupt_id: question, value: false })).values).toEqual({
      log: ["after"],
    });
  });

  it("of an older checkpoint that is named is answered anew in a branch, the same way only once", async () => {
    approvals(10);
    const { thread, question } = await asked();
    const { checkpoint } = await thread.state();
    await thread.resume({ interrupt_id: question, value: true });
    const named = { interrupt_id: question, checkpoint_id: checkpoint.checkpoint_id };
    const branch = await thread.resume({ ...named, value: false });
    expect(branch.values).toEqual({ log: ["after"] });
    expect(await thread.resume({ ...named, value: false })).toEqual(branch);
    expect((await thread.resume({ ...named, value: true })).values).toEqual({ log: ["10", "after"] });
    expect((await thread.rowCounts())["runs"]).toBe(3);
    const late = thread.resume({ interrupt_id: question, value: "other" });
    await expect(late).rejects.toMatchObject({ code: "interrupt_answered" });
  });

  it("that is open again has one winner, also among answers that come while each other is stored", async () => {
    const compete = async (answers: readonly string[], codes: readonly string[]) => {
      approvals(10);
      const { thread, question } = await asked();
      const body = { command: { resume: { [question]: "late" } }, after_seconds: 3600 };
      const { run_id: id } = (await json(thread.post("/runs", body))) as RunAnswer;
      await json(thread.post(`/runs/${id}/cancel`, {}));
      const gate = new Gate();
      holdBucket(({ operation }) => (operation === "get" ? undefined : gate.pass()));
      const large = answers.map((answer) => answer.repeat(2_500_000));
      const calls = Promise.allSettled(
        large.map((value) => thread.resume({ interrupt_id: question, value })),
      );
      // The same bytes are stored once.
      await gate.reached(new Set(answers).size);
      await scheduler.wait(50);
      gate.open();
      holdBucket();
      const results = await calls;
      const winner = results.find(({ status }) => status === "fulfilled");
      const runId = winner?.status === "fulfilled" ? winner.value.run_id : "";
      const records = await thread.sql("SELECT run FROM answers WHERE run <> ?", id);
      expect({ codes: results.map(codeOf).toSorted(), records }).toEqual({
        codes,
        records: [{ run: runId }],
      });
      expect((await thread.rowCounts())["runs"]).toBe(3);
      await expectOneChain(thread);
      return { results, runId };
    };
    await compete(["a", "b"], ["interrupt_answered", "ok"]);
    const same = await compete(["c", "c"], ["ok", "ok"]);
    expect(same.results).toMatchObject([
      { value: { run_id: same.runId } },
      { value: { run_id: same.runId } },
    ]);
  });

  it("does not keep answers for a question that another run has asked", async () => {
    approvals(10);
    const { thread, question } = await asked();
    await thread.resume({ interrupt_id: question, value: true });
    const second = await thread.invoke({ input: { log: [] } });
    expect(second.interrupts[0]?.id).not.toBe(question);
    const answered = await thread.resume({ interrupt_id: second.interrupts[0]?.id, value: true });
    expect(answered.status).toBe("success");
  });
});

describe("a resume beside other calls", () => {
  it("and an edit: one of them is refused, and history is one chain", async () => {
    const gate = new Gate();
    const graph = new StateGraph(Log)
      .addNode("ask", async () => {
        const answer = String(interrupt("ok?"));
        await gate.pass();
        return { log: [answer] };
      })
      .addEdge(START, "ask")
      .compile();
    deploy({ graph });
    const { thread, question } = await asked();
    const edit = thread.update({ values: { log: ["edit"] }, as_node: "ask" }).then(() => ({}) as RunAnswer);
    const calls = Promise.allSettled([thread.resume({ interrupt_id: question, value: "yes" }), edit]);
    await edit.catch(() => undefined);
    gate.open();
    const results = await calls;
    const { log } = (await thread.state()).values as { log: readonly string[] };
    expect(log).toEqual([codeOf(results[0]) === "ok" ? "yes" : "edit"]);
    expect(results.map(codeOf).filter((code) => code === "ok")).toHaveLength(1);
    await expectOneChain(thread);
  });

  it("and a cancel of its run: one of them wins, and the other hears it", async () => {
    let length = 4;
    const graph = new StateGraph(Log)
      .addNode("ask", async (_, { signal }) => {
        const answer = String(interrupt("ok?"));
        await scheduler.wait(length, { signal });
        return { log: [answer] };
      })
      .addEdge(START, "ask")
      .compile();
    deploy({ graph });
    const compete = async (delay: number): Promise<string> => {
      const { thread, question } = await asked();
      const body = { command: { resume: { [question]: "yes" } } };
      const { run_id: id } = (await json(thread.post("/runs", body))) as RunAnswer;
      await scheduler.wait(delay);
      const [, again] = await Promise.all([
        json(thread.post(`/runs/${id}/cancel?wait=1`, {})),
        thread.resume({ interrupt_id: question, value: "yes" }).catch((error: unknown) => error),
      ]);
      const { status } = (await thread.get(`/runs/${id}`)) as { status: string };
      const { values, next } = await thread.state();
      const won = { values: { log: ["yes"] }, next: [], again: { run_id: id, status: "success" } };
      const lost = { values: { log: [] }, next: ["ask"], again: { code: "run_cancelled" } };
      expect({ values, next, again }).toMatchObject(status === "success" ? won : lost);
      await expectOneChain(thread);
      return status;
    };
    const statuses = await Promise.all(Array.from({ length: 6 }, (_, index) => compete(2 * index)));
    expect(statuses.filter((status) => status !== "success" && status !== "interrupted")).toEqual([]);
    length = 60_000;
    expect(await compete(0)).toBe("interrupted");
  });
});

describe("an edit beside runs", () => {
  it("is in the state once, or refused, and so are they", async () => {
    const graph = new StateGraph(Log)
      .addNode("work", async () => {
        await scheduler.wait(1);
        return { log: ["work"] };
      })
      .addEdge(START, "work")
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["first"] } });
    const names = Array.from({ length: 10 }, (_, index) => `${index % 2 === 0 ? "run" : "edit"} ${index}`);
    const codes = await Promise.all(
      names.map(async (name, index) => {
        await scheduler.wait(index);
        const call = name.startsWith("run")
          ? thread.invoke({ input: { log: [name] } })
          : thread.update({ values: { log: [name] }, as_node: "work" });
        return call.then(
          () => "ok",
          (error: HttpError) => error.code,
        );
      }),
    );
    const { log } = (await thread.state()).values as { log: readonly string[] };
    expect(log.filter((entry) => names.includes(entry)).toSorted()).toEqual(
      names.filter((_, index) => codes[index] === "ok").toSorted(),
    );
    expect(codes.filter((code) => code !== "ok" && code !== "thread_busy")).toEqual([]);
    expect(codes.filter((_, index) => index % 2 === 0)).toEqual(Array.from({ length: 5 }, () => "ok"));
    await expectOneChain(thread);
  });
});
