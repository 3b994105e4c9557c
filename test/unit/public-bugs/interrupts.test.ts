import { describe, expect, it } from "vitest";
import { Command, END, INTERRUPT, interrupt, START, StateGraph } from "tidemark";
import { chain, evictable, historyOf, openQuestions, parallel, State, thread } from "../pregel/support.ts";

/** Faults that users met in systems like this one, by their ids in the collection of cases: questions and answers. */

it.each([false, 0, "", [], {}])("INT-01: %j is an answer", async (answer) => {
  const { graph } = evictable(chain({ ask: () => ({ log: [JSON.stringify(interrupt("q"))] }) }));
  await graph().invoke({}, thread);
  expect((await graph().invoke(new Command({ resume: answer }), thread)).log).toEqual([
    JSON.stringify(answer),
  ]);
});

it("INT-03: an answer to an unknown question is refused, with all that came with it", async () => {
  const { graph } = evictable(chain({ ask: () => ({ log: [interrupt("q")] }) }));
  await graph().invoke({}, thread);
  const [question] = await openQuestions(graph());
  const wrong = "0".repeat(32);
  const answers = { [wrong]: "x", [question?.id ?? ""]: "right" };
  for (const resume of [{ [wrong]: "x" }, answers]) {
    await expect(graph().invoke(new Command({ resume }), thread)).rejects.toMatchObject({
      name: "UnknownInterruptError",
      reason: "not_pending",
      interruptIds: [wrong],
      pendingIds: [question?.id],
    });
  }
  expect(await openQuestions(graph())).toEqual([question]);
  expect((await graph().invoke(new Command({ resume: "later" }), thread)).log).toEqual(["later"]);
});

it("INT-05: an answer is used for its question only", async () => {
  const { graph } = evictable(
    chain({ ask: () => ({ log: [`${interrupt<string, string>("1")}+${interrupt<string, string>("2")}`] }) }),
  );
  await graph().invoke({}, thread);
  await graph().invoke(new Command({ resume: "p" }), thread);
  const again = await graph().invoke(null, thread);
  expect(again[INTERRUPT]).toMatchObject([{ value: "2" }]);
  expect((await graph().invoke(new Command({ resume: "q" }), thread)).log).toEqual(["p+q"]);
});

it("INT-07: a node that asks until it likes the answer needs one answer for each question", async () => {
  const seen: unknown[] = [];
  const { graph } = evictable(
    chain({
      ask: () => {
        const answers: unknown[] = [];
        for (let prompt = "first"; ; prompt = `bad ${String(answers.at(-1))}`) {
          answers.push(interrupt(prompt));
          if (typeof answers.at(-1) !== "number") continue;
          seen.push(answers);
          return { log: answers };
        }
      },
    }),
  );
  const prompts: unknown[] = [];
  let result = await graph().invoke({}, thread);
  for (const resume of ["x", "y", 3]) {
    prompts.push(...(result[INTERRUPT] ?? []).map(({ value }) => value));
    result = await graph().invoke(new Command({ resume }), thread);
  }
  expect(prompts).toEqual(["first", "bad x", "bad y"]);
  expect(result).toMatchObject({ log: ["x", "y", 3] });
  expect(result[INTERRUPT]).toBeUndefined();
  expect(seen).toEqual([["x", "y", 3]]);
});

it.each([{ retryPolicy: { maxAttempts: 3, retryOn: () => true } }, { timeout: 1000 }])(
  "INT-09: a question is no failure under the policies %j",
  async (policies) => {
    let runs = 0;
    const { graph } = evictable(
      new StateGraph(State)
        .addNode(
          "ask",
          () => {
            runs++;
            return { log: [interrupt("q")] };
          },
          policies,
        )
        .addEdge(START, "ask"),
    );
    expect((await graph().invoke({}, thread))[INTERRUPT]).toMatchObject([{ value: "q" }]);
    expect(runs).toBe(1);
    expect((await graph().invoke(new Command({ resume: "yes" }), thread)).log).toEqual(["yes"]);
  },
);

it("INT-11: an answer that comes with an update and a goto counts for its question only", async () => {
  const runs = { p: 0, q: 0, z: 0 };
  const { graph } = evictable(
    parallel({
      p: () => ({ log: [interrupt("p?"), `p${++runs.p}`] }),
      q: () => ({ log: [interrupt("q?"), `q${++runs.q}`] }),
    })
      .addNode("z", (state) => ({ log: [`z${++runs.z} sees ${String(state.v)}`] }))
      .addConditionalEdges("q", () => END, ["z", END]),
  );
  const first = await graph().invoke({}, thread);
  const [p, q] = first[INTERRUPT] ?? [];
  const before = await historyOf(graph());
  const resume = { [p?.id ?? ""]: "P" };
  const result = await graph().invoke(new Command({ resume, update: { v: 7 }, goto: "z" }), thread);
  expect(result[INTERRUPT]).toEqual([q]);
  expect(await openQuestions(graph())).toEqual([q]);
  expect(runs).toEqual({ p: 1, q: 0, z: 1 });
  const end = await graph().invoke(new Command({ resume: { [q?.id ?? ""]: "Q" } }), thread);
  expect(end).toMatchObject({ v: 7, log: ["P", "p1", "Q", "q1", "z1 sees 7"] });
  expect(runs).toEqual({ p: 1, q: 1, z: 1 });
  expect(await historyOf(graph())).toHaveLength(before.length + 1);
});

describe("INT-13: a question without persistence", () => {
  it.each([
    ["no saver", undefined],
    ["a saver that is switched off", false],
  ] as const)("says what it needs: %s", async (_, checkpointer) => {
    const builder = chain({ ask: () => ({ log: [interrupt("q")] }) });
    const graph = builder.compile(checkpointer === undefined ? {} : { checkpointer });
    await expect(graph.invoke({}, thread)).rejects.toMatchObject({
      name: "MissingCheckpointerError",
      lc_error_code: "MISSING_CHECKPOINTER",
    });
  });

  it("says so before it asks, when only the thread is missing", async () => {
    let runs = 0;
    const { graph } = evictable(
      chain({
        ask: () => {
          runs++;
          return { log: [interrupt("q")] };
        },
      }),
    );
    await expect(graph().invoke({}, {})).rejects.toMatchObject({ code: "missing_thread_id" });
    expect(runs).toBe(0);
  });
});

it("INT-15: a breakpoint before a node that leads back to itself holds each time", async () => {
  let runs = 0;
  const { graph } = evictable(
    new StateGraph(State)
      .addNode("a", () => ({ sum: 1, log: [`a${++runs}`] }))
      .addEdge(START, "a")
      .addConditionalEdges("a", (state) => (state.sum < 3 ? "a" : END)),
  );
  const options = { ...thread, interruptBefore: ["a"] };
  await graph().invoke({}, options);
  for (const expected of [0, 1, 2]) {
    expect(runs).toBe(expected);
    expect((await graph().getState(thread)).next).toEqual(["a"]);
    await graph().invoke(null, options);
  }
  expect(runs).toBe(3);
  expect((await graph().invoke(null, options)).log).toEqual(["a1", "a2", "a3"]);
  expect(runs).toBe(3);
});

it("INT-17: an answer is there for the next attempt of a node that fails after it", async () => {
  let failures = 0;
  const { graph } = evictable(
    new StateGraph(State)
      .addNode(
        "ask",
        () => {
          const one = interrupt("one");
          if (failures++ === 0) throw new Error("after the first answer");
          return { log: [one, interrupt("two")] };
        },
        { retryPolicy: { maxAttempts: 3, initialInterval: 1, jitter: false } },
      )
      .addEdge(START, "ask"),
  );
  await graph().invoke({}, thread);
  const asked = await graph().invoke(new Command({ resume: "A" }), thread);
  expect(asked[INTERRUPT]?.map(({ value }) => value)).toEqual(["two"]);
  expect((await graph().invoke(new Command({ resume: "B" }), thread)).log).toEqual(["A", "B"]);
});
