import { describe, expect, it } from "vitest";
import { Command, END, interrupt, Send, START, StateGraph } from "tidemark";
import { chain, evictable, openQuestions, parallel, State, thread, type Graph } from "./support.ts";

const resume = (value: unknown): Command => new Command({ resume: value });

async function idsOf(graph: Graph): Promise<readonly (string | undefined)[]> {
  return (await openQuestions(graph)).map(({ id }) => id);
}

describe("an edit while a question is open", () => {
  const approval = () =>
    evictable(
      chain({
        draft: () => ({ log: ["draft"], v: "draft" }),
        approve: (state) => ({ log: [interrupt(`send ${String(state.v)}?`), state.v] }),
        send: () => ({ log: ["sent"] }),
      }),
    );

  it("leaves the question open, under its id", async () => {
    const { graph } = approval();
    await graph().invoke({}, thread);
    const asked = await idsOf(graph());
    await graph().updateState(thread, { sum: 1 });
    expect(await idsOf(graph())).toEqual(asked);
    expect((await graph().invoke(resume("yes"), thread)).log).toEqual(["draft", "yes", "draft", "sent"]);
  });

  it("an answer does not count for another question that the node asks after the edit", async () => {
    const { graph } = approval();
    await graph().invoke({}, thread);
    const asked = await idsOf(graph());
    await graph().updateState(thread, { v: "edited" });
    const { __interrupt__: questions } = await graph().invoke(resume("yes"), thread);
    expect(questions).toMatchObject([{ value: "send edited?" }]);
    expect(await idsOf(graph())).not.toEqual(asked);
    const { log } = await graph().invoke(resume("yes again"), thread);
    expect(log).toEqual(["draft", "yes again", "edited", "sent"]);
  });

  it("the node asks anew when the run goes on: under the id of the question that is the same", async () => {
    const { graph } = approval();
    await graph().invoke({}, thread);
    const asked = await idsOf(graph());
    await graph().updateState(thread, { sum: 1 });
    await graph().invoke(null, thread);
    expect(await idsOf(graph())).toEqual(asked);
    await graph().updateState(thread, { v: "edited" });
    await graph().invoke(null, thread);
    expect(await openQuestions(graph())).toMatchObject([{ value: "send edited?" }]);
    expect((await graph().invoke(resume("yes"), thread)).log).toEqual(["draft", "yes", "edited", "sent"]);
  });

  const asking = () =>
    evictable(
      parallel({
        a: () => ({ log: [interrupt("a?")] }),
        b: () => ({ log: ["b"] }),
      })
        .addNode("c", () => ({ log: ["c"] }))
        .addEdge("b", "c"),
    );

  it("as another node: the node that asks is still next, beside what follows", async () => {
    const { graph } = asking();
    await graph().invoke({}, thread);
    await graph().updateState(thread, { log: ["edit"] }, "b");
    const state = await graph().getState(thread);
    expect([state.values.log, state.next]).toEqual([
      ["b", "edit"],
      ["a", "c"],
    ]);
    expect((await graph().invoke(resume(1), thread)).log).toEqual(["b", "edit", 1, "c"]);
  });

  it("as the node itself, and as END: that was the decision", async () => {
    for (const node of ["a", END]) {
      const { graph } = asking();
      await graph().invoke({}, thread);
      await graph().updateState(thread, node === END ? null : { log: ["decided"] }, node);
      expect(await openQuestions(graph())).toEqual([]);
      expect((await graph().getState(thread)).next).not.toContain("a");
    }
  });

  it("discards the question when the caller says so", async () => {
    const { graph } = asking();
    await graph().invoke({}, thread);
    await graph().updateState({ ...thread, onInterrupted: "discard" } as typeof thread, { v: 1 }, "b");
    const state = await graph().getState(thread);
    expect([state.next, await openQuestions(graph())]).toEqual([["c"], []]);
  });

  it("leaves the question of a Send open, under its id, when it has bytes among its arguments", async () => {
    const { graph } = evictable(
      new StateGraph(State)
        .addNode("w", () => ({ log: [interrupt("ok?")] }))
        .addConditionalEdges(START, () => [new Send("w", { v: new Uint8Array([1]) })], ["w"]),
    );
    await graph().invoke({}, thread);
    const asked = await idsOf(graph());
    await graph().updateState(thread, { sum: 1 });
    expect(await idsOf(graph())).toEqual(asked);
    expect((await graph().invoke(resume("yes"), thread)).log).toEqual(["yes"]);
  });

  it("keeps the Sends that ask, and not those that have finished", async () => {
    const runs: unknown[] = [];
    const { graph } = evictable(
      new StateGraph(State)
        .addNode("w", (state) => {
          runs.push(state.v);
          return { log: [state.v === 1 ? "done" : interrupt(`${String(state.v)}?`)] };
        })
        .addNode("other", () => ({}))
        .addConditionalEdges(START, () => [1, 2, 3].map((v) => new Send("w", { v })), ["w"])
        .addConditionalEdges(
          START,
          function nowhere() {
            return END;
          },
          ["other", END],
        ),
    );
    await graph().invoke({}, thread);
    const asked = await idsOf(graph());
    await graph().updateState(thread, { log: ["edit"] }, "other");
    expect(await idsOf(graph())).toEqual(asked);
    const answers = Object.fromEntries(asked.map((id, index) => [id, index]));
    expect((await graph().invoke(resume(answers), thread)).log).toEqual(["done", "edit", 0, 1]);
    expect(runs).toEqual([1, 2, 3, 2, 3]);
  });
});

describe("a Command on a paused thread", () => {
  const counted = () => {
    const runs = { a: 0, b: 0 };
    const { graph } = evictable(
      parallel({
        a: (state) => {
          runs.a++;
          return { log: [interrupt("a?"), state.v] };
        },
        b: () => {
          runs.b++;
          return { log: ["b"] };
        },
      })
        .addNode("c", (state) => ({ log: [["c", state.v]] }))
        .addEdge(START, "c"),
    );
    return { graph, runs };
  };

  it("with an update: the finished sibling of the node that asks does not run again", async () => {
    const { graph, runs } = counted();
    await graph().invoke({ v: 0 }, thread);
    const asked = await idsOf(graph());
    await graph().invoke(new Command({ update: { v: 1 } }), thread);
    expect(await idsOf(graph())).toEqual(asked);
    expect(runs.b).toBe(1);
    await graph().invoke(new Command({ update: { v: 2 }, goto: "b" }), thread);
    expect(runs.b).toBe(2);
    const { log } = await graph().invoke(new Command({ resume: "yes", update: { v: 3 } }), thread);
    expect(log).toEqual(["yes", 3, "b", ["c", 0]]);
    expect(runs.b).toBe(2);
  });

  it("that sends: the Sends that wait stay", async () => {
    const { graph } = evictable(
      new StateGraph(State)
        .addNode("w", (state) => ({ log: [interrupt(`${String(state.v)}?`)] }))
        .addConditionalEdges(START, () => [1, 2].map((v) => new Send("w", { v })), ["w"]),
    );
    await graph().invoke({}, thread);
    const asked = await idsOf(graph());
    const goto = new Send("w", { v: 3 });
    await graph().invoke(new Command({ resume: { [asked[0] ?? ""]: "one" }, goto }), thread);
    expect(await openQuestions(graph())).toMatchObject([{ value: "2?" }, { value: "3?" }]);
    await graph().invoke(new Command({ goto: new Send("w", { v: 4 }) }), thread);
    const open = await openQuestions(graph());
    expect(open.map(({ value }) => value)).toEqual(["2?", "3?", "4?"]);
    const answers = Object.fromEntries(open.map(({ id, value }) => [id, value]));
    expect((await graph().invoke(resume(answers), thread)).log).toEqual(["one", "2?", "3?", "4?"]);
  });
});

describe("an edit without a node, of a graph that has a single one", () => {
  const ask = () => chain({ ask: (state) => ({ log: [interrupt("?"), state.v] }) });

  it("leaves the question of that node open", async () => {
    const { graph } = evictable(ask());
    await graph().invoke({ v: 1 }, thread);
    const asked = await idsOf(graph());
    await graph().updateState(thread, { v: 2 });
    expect([(await graph().getState(thread)).next, await idsOf(graph())]).toEqual([["ask"], asked]);
    expect((await graph().invoke(resume("yes"), thread)).log).toEqual(["yes", 2]);
  });

  it("is made as the node that ran last, also inside a task", async () => {
    const { graph } = evictable(new StateGraph(State).addNode("p", ask().compile()).addEdge(START, "p"));
    await graph().invoke({ v: 1 }, thread);
    const { tasks } = await graph().getState(thread, { subgraphs: true });
    const states = tasks.flatMap(({ state }) => (state !== undefined && "config" in state ? [state] : []));
    const inside = states[0]?.config ?? {};
    await graph().updateState(inside, { v: 2 });
    expect((await graph().getState(inside)).next).toEqual(["ask"]);
    expect((await graph().invoke(resume("yes"), thread)).log).toEqual(["yes", 2]);
  });
});

it("an edit and a Command without any key of the state are refused", async () => {
  const { graph } = evictable(chain({ a: () => ({ v: interrupt("?") }) }));
  await graph().invoke({}, thread);
  const refusal = { name: "InvalidArgumentError", code: "invalid_update" };
  await expect(graph().updateState(thread, { nope: 1 }, "a")).rejects.toMatchObject(refusal);
  const command = new Command<unknown, typeof State.Update>({ resume: 1, update: [["nope", 1]] });
  await expect(graph().invoke(command, thread)).rejects.toMatchObject(refusal);
  expect(await openQuestions(graph())).toHaveLength(1);
  await graph().updateState(thread, {}, "a");
});
