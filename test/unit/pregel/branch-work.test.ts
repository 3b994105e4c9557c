import { describe, expect, it } from "vitest";
import { Command, entrypoint, interrupt, MemorySaver, START, StateGraph, task } from "tidemark";
import { chain, parallel, State, thread, type Graph } from "./support.ts";

/** What is kept on a branch, where a question is answered anew. */

const resume = (value: unknown): Command<unknown, never> => new Command<unknown, never>({ resume: value });

type Flow = Pick<Graph, "getState" | "getStateHistory">;

/** The checkpoint at which the first of the questions was asked. */
async function askingCheckpoint(
  graph: Flow,
): Promise<{ configurable: { thread_id: string; checkpoint_id: string } }> {
  let id = "";
  for await (const { config, tasks } of graph.getStateHistory(thread)) {
    if (tasks.some(({ interrupts }) => interrupts.length > 0))
      id = String(config.configurable?.checkpoint_id);
  }
  return { configurable: { ...thread.configurable, checkpoint_id: id } };
}

async function openIn(graph: Flow): Promise<{ id: string; value: unknown }[]> {
  const { tasks } = await graph.getState(thread);
  return tasks.flatMap(({ interrupts }) => interrupts.map(({ id, value }) => ({ id, value })));
}

/** Answers the open questions one after the other, each by its value; returns the ids in that order. */
async function answerAll(graph: Graph, answer: (value: unknown) => unknown): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const [question] = await openIn(graph);
    if (question === undefined) return ids;
    ids.push(question.id);
    await graph.invoke(resume({ [question.id]: answer(question.value) }), thread);
  }
}

describe("tasks that a node has called", () => {
  const working = () => {
    const calls: string[] = [];
    const work = task("work", (what: string) => {
      calls.push(what);
      return what;
    });
    return { calls, work };
  };

  it("before its older question are not called again, those after it are", async () => {
    const { calls, work } = working();
    const graph = chain({
      a: async () => {
        const before = await Promise.all([work("before"), work("beside")]);
        const first = interrupt("one?");
        const after = await work(`after ${String(first)}`);
        return { log: [...before, after, interrupt("two?")] };
      },
    }).compile({ checkpointer: new MemorySaver() });
    await graph.invoke({}, thread);
    const [one, two] = await answerAll(graph, (value) => value);
    const at = await askingCheckpoint(graph);
    await graph.invoke(resume({ [String(one)]: "new" }), at);
    expect(calls).toEqual(["before", "beside", "after one?", "after new"]);
    expect(await openIn(graph)).toMatchObject([{ value: "two?" }]);
    await answerAll(graph, () => "end");
    expect((await graph.getState(thread)).values.log).toEqual(["before", "beside", "after new", "end"]);
    await graph.invoke(resume({ [String(two)]: "other" }), at);
    expect((await graph.getState(thread)).values.log).toEqual(["before", "beside", "after one?", "other"]);
    expect(calls).toEqual(["before", "beside", "after one?", "after new"]);
  });

  it("are not called again on a branch of a branch, or by a sibling that waits", async () => {
    const { calls, work } = working();
    const graph = parallel({
      a: async () => ({ log: [await work("a"), interrupt("a?"), interrupt("more?")] }),
      b: async () => ({ log: [await work("b"), interrupt("b?")] }),
    }).compile({ checkpointer: new MemorySaver() });
    await graph.invoke({}, thread);
    const [a, b] = (await openIn(graph)).map(({ id }) => id);
    await graph.invoke(resume({ [String(a)]: 1 }), thread);
    await graph.invoke(resume({ [String(a)]: 2 }), await askingCheckpoint(graph));
    const branch = (await graph.getState(thread)).config.configurable;
    const [more] = (await openIn(graph)).map(({ id }) => id);
    await graph.invoke(resume({ [String(more)]: 3 }), thread);
    await graph.invoke(resume({ [String(more)]: 4 }), {
      configurable: { ...thread.configurable, ...branch },
    });
    await graph.invoke(resume({ [String(b)]: 5 }), thread);
    expect((await graph.getState(thread)).values.log).toEqual(["a", 2, 4, "b", 5]);
    expect(calls).toEqual(["a", "b"]);
  });

  it("a question of such a task is answered anew, and what came after it is done anew", async () => {
    const { calls, work } = working();
    const asking = task("asking", async () => {
      const prepared = await work("prepared");
      return [prepared, interrupt("inside?")];
    });
    const flow = entrypoint({ name: "flow", checkpointer: new MemorySaver() }, async () => {
      const before = await work("before");
      const asked = await asking();
      return [before, asked, await work(`after ${String(asked)}`)];
    });
    await flow.invoke("", thread);
    const [question] = await openIn(flow as never);
    expect(await flow.invoke(resume("old"), thread)).toEqual([
      "before",
      ["prepared", "old"],
      "after prepared,old",
    ]);
    const at = await askingCheckpoint(flow as never);
    const anew = await flow.invoke(resume({ [String(question?.id)]: "new" }), at);
    expect(anew).toEqual(["before", ["prepared", "new"], "after prepared,new"]);
    expect(calls).toEqual(["before", "prepared", "after prepared,old", "after prepared,new"]);
  });
});

describe("graphs that a node has called", () => {
  const called = (subgraphs: boolean) => {
    const steps: string[] = [];
    const inner = (name: string) =>
      chain({
        [`${name}1`]: () => {
          steps.push(`${name}1`);
          return { log: [name] };
        },
        [`${name}2`]: () => ({ log: [interrupt(`${name}?`)] }),
      }).compile();
    const [x, y] = [inner("x"), inner("y")];
    const graph = new StateGraph(State)
      .addNode(
        "n",
        async () => {
          const first = await x.invoke({});
          const second = await y.invoke({});
          return { log: [first.log, second.log] };
        },
        subgraphs ? { subgraphs: [x, y] } : {},
      )
      .addEdge(START, "n")
      .compile({ checkpointer: new MemorySaver() });
    return { graph, steps };
  };

  it.each([true, false])("are on the branch where they were, declared (%s) or not", async (declared) => {
    const { graph, steps } = called(declared);
    await graph.invoke({}, thread);
    const [x, y] = await answerAll(graph, (value) => value);
    expect((await graph.getState(thread)).values.log).toEqual([
      ["x", "x?"],
      ["y", "y?"],
    ]);
    const at = await askingCheckpoint(graph);
    await graph.invoke(resume({ [String(y)]: "new y" }), at);
    expect((await graph.getState(thread)).values.log).toEqual([
      ["x", "x?"],
      ["y", "new y"],
    ]);
    expect(steps).toEqual(["x1", "y1"]);
    await graph.invoke(resume({ [String(x)]: "new x" }), at);
    expect(await openIn(graph)).toMatchObject([{ value: "y?" }]);
    await answerAll(graph, () => "end");
    expect((await graph.getState(thread)).values.log).toEqual([
      ["x", "new x"],
      ["y", "end"],
    ]);
    expect(steps).toEqual(["x1", "y1", "y1"]);
  });

  it("and keep a history keep the part that a finished sibling has added", async () => {
    const remembering = chain({ remember: (state) => ({ log: [`visit ${state.log.length}`] }) }).compile({
      checkpointer: true,
    });
    const graph = parallel({ ask: () => ({ v: interrupt("?") }) })
      .addNode("memory", async () => ({ sum: (await remembering.invoke({})).log.length }), {
        subgraphs: [remembering],
      })
      .addEdge(START, "memory")
      .addNode("again", () => new Command({ goto: "memory" }), { ends: ["memory"] })
      .addEdge(["ask", "memory"], "again")
      .compile({ checkpointer: new MemorySaver() });
    const options = { ...thread, recursionLimit: 4 };
    await graph.invoke({}, options);
    const [question] = await openIn(graph);
    const at = await askingCheckpoint(graph);
    const first = await graph.invoke(resume({ [String(question?.id)]: 1 }), options);
    expect(first).toMatchObject({ v: 1, sum: 3 });
    const anew = await graph.invoke(resume({ [String(question?.id)]: 2 }), { ...options, ...at });
    expect(anew).toMatchObject({ v: 2, sum: 3 });
  });
});
