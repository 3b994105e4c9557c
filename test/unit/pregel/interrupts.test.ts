import { describe, expect, it } from "vitest";
import {
  Command,
  type CompiledStateGraph,
  INTERRUPT,
  interrupt,
  isInterrupted,
  isInvalidResume,
  MemorySaver,
  START,
  StateGraph,
} from "tidemark";
import { chain, parallel, State, thread } from "./support.ts";

type Graph = CompiledStateGraph<typeof State.State, typeof State.Update>;

/** A Standard Schema for numbers, given as number or text. */
const count = {
  "~standard": {
    version: 1 as const,
    vendor: "test",
    validate: (value: unknown) =>
      Number.isFinite(Number(value)) && value !== ""
        ? { value: Number(value) }
        : { issues: [{ message: "Not a number", path: ["count"] }] },
  },
};

async function open(graph: Graph): Promise<unknown[]> {
  return (await graph.getState(thread)).tasks.flatMap((task) => task.interrupts.map(({ value }) => value));
}

describe("an answer that does not fit the schema of its question", () => {
  it("fails the run, and the question stays open under its id", async () => {
    const graph = chain({
      ask: () => ({ log: [interrupt("how many?", { responseSchema: count })] }),
    }).compile({ checkpointer: new MemorySaver() });
    const first = await graph.invoke({}, thread);
    const id = first[INTERRUPT]?.[0]?.id ?? "";
    for (let attempt = 0; attempt < 2; attempt++) {
      const error: unknown = await graph
        .invoke(new Command({ resume: { [id]: "many" } }), thread)
        .catch((e) => e);
      expect(isInvalidResume(error)).toBe(true);
      expect(error).toMatchObject({
        code: "invalid_resume",
        details: { interrupt_id: id, issues: [{ message: "Not a number", path: ["count"] }] },
      });
      expect(await open(graph)).toEqual(["how many?"]);
      expect(isInterrupted(await graph.invoke(null, thread))).toBe(true);
    }
    expect((await graph.invoke(new Command({ resume: "3" }), thread)).log).toEqual([3]);
  });

  it("leaves what the tasks beside it have done, and the other questions", async () => {
    let runs = 0;
    const graph = parallel({
      ask: () => ({ log: [interrupt("how many?", { responseSchema: count })] }),
      other: () => ({ log: [interrupt("who?")] }),
      done: () => {
        runs++;
        return { log: ["done"] };
      },
    }).compile({ checkpointer: new MemorySaver() });
    const first = await graph.invoke({}, thread);
    const ids = new Map(first[INTERRUPT]?.map(({ id, value }) => [value, id]));
    const wrong = { [ids.get("how many?") ?? ""]: "x", [ids.get("who?") ?? ""]: "me" };
    await expect(graph.invoke(new Command({ resume: wrong }), thread)).rejects.toThrow("Not a number");
    expect(await open(graph)).toEqual(["how many?"]);
    expect((await graph.invoke(new Command({ resume: 5 }), thread)).log).toEqual([5, "done", "me"]);
    expect(runs).toBe(1);
  });

  it("in a graph inside a task leaves the question open at every level", async () => {
    const inner = chain({
      before: () => ({ log: ["before"] }),
      ask: () => ({ log: [interrupt("how many?", { responseSchema: count })] }),
    }).compile();
    const graph = chain({ p: async () => ({ log: (await inner.invoke({})).log }) }).compile({
      checkpointer: new MemorySaver(),
    });
    await graph.invoke({}, thread);
    await expect(graph.invoke(new Command({ resume: "x" }), thread)).rejects.toThrow("Not a number");
    expect(await open(graph)).toEqual(["how many?"]);
    expect((await graph.invoke(new Command({ resume: 2 }), thread)).log).toEqual(["before", 2]);
  });
});

it("a JSON Schema is shown with the question and checks nothing", async () => {
  const responseSchema = { type: "number" };
  const graph = chain({ ask: () => ({ log: [interrupt("n?", { responseSchema })] }) }).compile({
    checkpointer: new MemorySaver(),
  });
  const first = await graph.invoke({}, thread);
  expect(first[INTERRUPT]).toMatchObject([{ value: "n?", response_schema: { type: "number" } }]);
  const [task] = (await graph.getState(thread)).tasks;
  expect(task?.interrupts).toEqual(first[INTERRUPT]);
  expect((await graph.invoke(new Command({ resume: "text" }), thread)).log).toEqual(["text"]);
});

it("a schema that has to wait is refused", async () => {
  const responseSchema = {
    "~standard": { version: 1 as const, vendor: "test", validate: async (value: unknown) => ({ value }) },
  };
  const graph = chain({ ask: () => ({ log: [interrupt("n?", { responseSchema })] }) }).compile({
    checkpointer: new MemorySaver(),
  });
  await graph.invoke({}, thread);
  await expect(graph.invoke(new Command({ resume: 1 }), thread)).rejects.toMatchObject({
    code: "invalid_response_schema",
  });
});

describe("several questions that a node asks at once", () => {
  const build = (): Graph =>
    chain({
      ask: async () => {
        const one = async (question: string): Promise<unknown> => interrupt(question);
        return { log: await Promise.all([one("a"), one("b"), one("c")]) };
      },
    }).compile({ checkpointer: new MemorySaver() });

  it("are all open, and can be answered in any order and number", async () => {
    const graph = build();
    const first = await graph.invoke({}, thread);
    const ids = new Map(first[INTERRUPT]?.map(({ id, value }) => [value, id]));
    expect(new Set(ids.values()).size).toBe(3);
    await graph.invoke(new Command({ resume: { [ids.get("c") ?? ""]: "C" } }), thread);
    expect(await open(graph)).toEqual(["a", "b"]);
    await graph.invoke(new Command({ resume: { [ids.get("a") ?? ""]: "A" } }), thread);
    expect(await open(graph)).toEqual(["b"]);
    expect((await graph.invoke(new Command({ resume: "B" }), thread)).log).toEqual(["A", "B", "C"]);
  });

  it("need their ids: a plain answer is refused", async () => {
    const graph = build();
    await graph.invoke({}, thread);
    await expect(graph.invoke(new Command({ resume: "x" }), thread)).rejects.toMatchObject({
      code: "interrupt_ambiguous",
    });
    expect(await open(graph)).toEqual(["a", "b", "c"]);
  });
});

it("tools that ask, called by one node that collects what they throw", async () => {
  const runs: string[] = [];
  const tool = (name: string) => async (): Promise<string> => {
    const answer = interrupt<string, string>(`run ${name}?`);
    runs.push(name);
    return answer;
  };
  const graph = new StateGraph(State)
    .addNode("tools", async () => {
      const results = await Promise.allSettled([tool("x")(), tool("y")()]);
      const failed = results.find((result) => result.status === "rejected");
      if (failed !== undefined) throw failed.reason;
      return { log: results.map((result) => (result.status === "fulfilled" ? result.value : "")) };
    })
    .addEdge(START, "tools")
    .compile({ checkpointer: new MemorySaver() });
  const first = await graph.invoke({}, thread);
  const [x, y] = first[INTERRUPT] ?? [];
  expect([x?.value, y?.value]).toEqual(["run x?", "run y?"]);
  const both = { [x?.id ?? ""]: "X", [y?.id ?? ""]: "Y" };
  expect((await graph.invoke(new Command({ resume: both }), thread)).log).toEqual(["X", "Y"]);
  expect(runs).toEqual(["x", "y"]);
});
