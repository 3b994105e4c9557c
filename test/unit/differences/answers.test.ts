import { expect, it } from "vitest";
import { z } from "zod";
import { Command, INTERRUPT, interrupt } from "tidemark";
import { interruptId } from "../../../src/pregel/task-id.ts";
import { START } from "../oracle/engine.ts";
import { graphOf } from "../oracle/policy-cases.ts";
import { at, chain, evictable, historyOf, openQuestions, parallel, thread } from "../pregel/support.ts";
import { both, config, later, valuesOf } from "./both.ts";

/** docs/differences.md: answers. */

it("new input does not discard a question, unless the caller says so", async () => {
  const { graph } = evictable(chain({ ask: () => ({ log: [interrupt("q")] }) }));
  await graph().invoke({}, thread);
  const open = await openQuestions(graph());
  await expect(graph().invoke({ log: ["new"] }, thread)).rejects.toMatchObject({
    name: "ThreadInterruptedError",
    code: "thread_interrupted",
    details: { pending: open.map((question) => question.id) },
  });
  expect(await openQuestions(graph())).toEqual(open);
  const result = await graph().invoke({ log: ["new"] }, { ...thread, onInterrupted: "discard" });
  expect(result.log).toEqual(["new"]);
  expect(await openQuestions(graph())).not.toEqual(open);
});

it("a task whose question is open is not run again by null input", async () => {
  let runs = 0;
  const { graph } = evictable(
    chain({
      ask: () => {
        runs++;
        return { log: [interrupt("q")] };
      },
    }),
  );
  const first = await graph().invoke({}, thread);
  const again = await graph().invoke(null, thread);
  expect(again[INTERRUPT]).toEqual(first[INTERRUPT]);
  expect(runs).toBe(1);
});

it("answering a named older checkpoint anew opens a branch, which keeps what its siblings have done", async () => {
  const runs = { ask: 0, sibling: 0 };
  const { graph } = evictable(
    parallel({
      ask: () => {
        runs.ask++;
        return { log: [interrupt("q")] };
      },
      sibling: () => ({ log: [`sibling${++runs.sibling}`] }),
    }),
  );
  await graph().invoke({}, thread);
  const [paused] = await historyOf(graph());
  await graph().invoke(new Command({ resume: "one" }), thread);
  const before = await historyOf(graph());
  const result = await graph().invoke(new Command({ resume: "two" }), at(paused));
  expect(result.log).toEqual(["two", "sibling1"]);
  expect(runs).toEqual({ ask: 3, sibling: 1 });

  const after = await historyOf(graph());
  expect(after.slice(-before.length).map((snapshot) => snapshot.values)).toEqual(
    before.map((snapshot) => snapshot.values),
  );
  const [head, fork] = after;
  expect(head?.metadata?.source).toBe("loop");
  expect(fork?.metadata?.source).toBe("fork");
  expect(fork?.parentConfig).toEqual(paused?.config);
});

it("of two questions of a node, the earlier can be answered anew: the later is asked again", async () => {
  const { graph } = evictable(chain({ ask: () => ({ log: [interrupt("1"), interrupt("2")] }) }));
  const first = await graph().invoke({}, thread);
  const [paused] = await historyOf(graph());
  await graph().invoke(new Command({ resume: "a" }), thread);
  await graph().invoke(new Command({ resume: "b" }), thread);
  const id = first[INTERRUPT]?.[0]?.id ?? "";
  const again = await graph().invoke(new Command({ resume: { [id]: "A" } }), at(paused));
  expect(again[INTERRUPT]).toMatchObject([{ value: "2" }]);
  expect((await graph().invoke(new Command({ resume: "B" }), thread)).log).toEqual(["A", "B"]);
});

it("without a name, a question that was answered is answered", async () => {
  const { graph } = evictable(chain({ ask: () => ({ log: [interrupt("q")] }) }));
  const first = await graph().invoke({}, thread);
  const id = first[INTERRUPT]?.[0]?.id ?? "";
  await graph().invoke(new Command({ resume: "one" }), thread);
  for (const resume of ["two", { [id]: "two" }])
    await expect(graph().invoke(new Command({ resume }), thread)).rejects.toMatchObject({
      reason: "not_pending",
    });
  expect((await graph().getState(thread)).values.log).toEqual(["one"]);
});

it("an update that came with an answer is kept when the node asks on, also when its question is discarded", async () => {
  const { graph } = evictable(chain({ ask: () => ({ log: [interrupt("1"), interrupt("2")] }) }));
  await graph().invoke({}, thread);
  await graph().invoke(new Command({ resume: "a", update: { sum: 5 } }), thread);
  expect((await graph().getState(thread)).values.sum).toBe(5);
  const discarded = await graph().invoke({ sum: 1 }, { ...thread, onInterrupted: "discard" });
  expect(discarded.sum).toBe(6);
  await graph().invoke(new Command({ resume: "a", update: { sum: 5 } }), thread);
  expect(await graph().invoke(new Command({ resume: "b", update: { sum: 5 } }), thread)).toMatchObject({
    sum: 16,
    log: ["a", "b"],
  });
});

it("a task at its second question is still next, and answered questions are not listed", async () => {
  const { graph } = evictable(chain({ ask: () => ({ log: [interrupt("1"), interrupt("2")] }) }));
  await graph().invoke({}, thread);
  await graph().invoke(new Command({ resume: "a" }), thread);
  const state = await graph().getState(thread);
  expect(state.next).toEqual(["ask"]);
  expect(state.tasks.map((task) => task.interrupts)).toMatchObject([[{ value: "2" }]]);
});

it("the id of a question comes from its task's id and its place, in LangGraph's form", async () => {
  const seen = await both(async (library) => {
    const graph = graphOf(library)
      .addNode("ask", () => ({ log: [library.interrupt("q")] }))
      .addEdge(START, "ask")
      .compile({ checkpointer: new library.MemorySaver() });
    await graph.invoke({ log: [] }, config);
    const [task] = (await graph.getState(config)).tasks;
    const id = String(task?.interrupts[0]?.id);
    return [/^[0-9a-f]{32}$/.test(id), id === interruptId(task?.id ?? "", 0)];
  });
  expect(seen).toEqual({ here: [true, true], there: [true, false] });
});

it("a plain answer to a task's question is not given to the entrypoint's own question too", async () => {
  const seen = await both(async (library) => {
    const ask = library.task("ask", () => library.interrupt("in the task"));
    const flow = library.entrypoint({ name: "flow", checkpointer: new library.MemorySaver() }, async () => [
      await ask(),
      library.interrupt("own"),
    ]);
    await flow.invoke(1, config);
    const result = await flow.invoke(new library.Command({ resume: "yes" }), config);
    return Array.isArray(result) ? result : valuesOf(result);
  });
  expect(seen).toEqual({ here: ["own"], there: ["yes", "yes"] });
});

it("the questions of a run are in the order of their tasks", async () => {
  const seen = await both(async (library) => {
    const graph = graphOf(library)
      .addNode("a", async () => {
        await later(5);
        return { log: [library.interrupt("a")] };
      })
      .addNode("b", () => ({ log: [library.interrupt("b")] }))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .compile({ checkpointer: new library.MemorySaver() });
    return valuesOf(await graph.invoke({ log: [] }, config));
  });
  expect(seen).toEqual({ here: ["a", "b"], there: ["b", "a"] });
});

it("the schema of a question says what an answer has to be", async () => {
  const responseSchema = z.object({ amount: z.number(), note: z.string().default("none") });
  const seen = await both(async (library) => {
    const graph = graphOf(library)
      .addNode("ask", () => ({ last: library.interrupt("how much?", { responseSchema }) }))
      .addEdge(START, "ask")
      .compile({ checkpointer: new library.MemorySaver() });
    const { __interrupt__: questions } = await graph.invoke({}, config);
    const [question] = questions as { response_schema: { required: readonly string[] } }[];
    const answered = await graph.invoke(new library.Command({ resume: { amount: 1 } }), config);
    return [question?.response_schema.required, answered["last"]];
  });
  const answer = { amount: 1, note: "none" };
  expect(seen).toEqual({ here: [["amount"], answer], there: [["amount", "note"], answer] });
});
