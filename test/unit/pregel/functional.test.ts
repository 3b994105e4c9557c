import { expect, it } from "vitest";
import {
  Command,
  entrypoint,
  getPreviousState,
  interrupt,
  MemorySaver,
  START,
  StateGraph,
  task,
} from "tidemark";
import { later, State, thread } from "./support.ts";

/** Entrypoints and tasks, where LangGraph does otherwise, and what must not be done twice. */

it("a task that fails is tried again when the run goes on, and finished ones are not", async () => {
  const calls: string[] = [];
  const good = task("good", (x: number) => {
    calls.push("good");
    return x + 1;
  });
  const bad = task("bad", () => {
    calls.push("bad");
    if (calls.length < 3) throw new RangeError("bad");
    return "better";
  });
  const flow = entrypoint({ name: "flow", checkpointer: new MemorySaver() }, async (input: number) => [
    await good(input),
    await bad(),
  ]);
  await expect(flow.invoke(1, thread)).rejects.toThrow("bad");
  const [failed] = (await flow.getState(thread)).tasks;
  expect(failed?.error).toMatchObject({ name: "RangeError", message: "bad" });
  expect(await flow.invoke(null, thread)).toEqual([2, "better"]);
  expect(calls).toEqual(["good", "bad", "bad"]);
});

it("an entrypoint may catch the failure of a task", async () => {
  const bad = task("bad", () => {
    throw new Error("bad");
  });
  const flow = entrypoint("flow", async () => {
    try {
      return await bad();
    } catch (error) {
      return error instanceof Error ? `caught ${error.message}` : "?";
    }
  });
  expect(await flow.invoke(1)).toBe("caught bad");
});

it("tasks that ask side by side are all asked at once, and none that has its answer runs again", async () => {
  const calls: string[] = [];
  const ask = task("ask", async (question: string) => {
    await later();
    const answer = interrupt<string, string>(question);
    calls.push(question);
    return answer;
  });
  const flow = entrypoint({ name: "flow", checkpointer: new MemorySaver() }, async (input: string[]) =>
    Promise.all(input.map((question) => ask(question))),
  );
  await flow.invoke(["a", "b", "c"], thread);
  const [flowTask] = (await flow.getState(thread)).tasks;
  const ids = new Map(flowTask?.interrupts.map(({ id, value }) => [value, id]));
  expect([...ids.keys()]).toEqual(["a", "b", "c"]);
  await flow.invoke(new Command({ resume: { [ids.get("b") ?? ""]: "B" } }), thread);
  expect(calls).toEqual(["b"]);
  const rest = { [ids.get("a") ?? ""]: "A", [ids.get("c") ?? ""]: "C" };
  expect(await flow.invoke(new Command({ resume: rest }), thread)).toEqual(["A", "B", "C"]);
  expect(calls).toEqual(["b", "a", "c"]);
});

it("a node calls tasks too, and its finished ones are kept when it asks", async () => {
  let count = 0;
  const work = task("work", (x: number) => {
    count++;
    return x * 2;
  });
  const graph = new StateGraph(State)
    .addNode("n", async () => ({ log: [await work(1), interrupt("q?"), await work(2)] }))
    .addEdge(START, "n")
    .compile({ checkpointer: new MemorySaver() });
  await graph.invoke({}, thread);
  expect(count).toBe(1);
  expect((await graph.invoke(new Command({ resume: "R" }), thread)).log).toEqual([2, "R", 4]);
  expect(count).toBe(2);
});

it("a task that nobody waits for is done before the run is", async () => {
  const done: string[] = [];
  const slow = task("slow", async () => {
    await later(3);
    done.push("slow");
  });
  const flow = entrypoint("flow", () => {
    void slow();
    return "end";
  });
  expect(await flow.invoke(1)).toBe("end");
  expect(done).toEqual(["slow"]);
});

it("what a task returns is read-only, as it is when it is read from storage", async () => {
  const make = task("make", () => ({ list: [1] }));
  const flow = entrypoint("flow", async () => {
    const made = await make();
    made.list.push(2);
    return made;
  });
  await expect(flow.invoke(1)).rejects.toThrow("not extensible");
});

it("a task that is called outside of a run, and a generator, are refused", async () => {
  const work = task("work", () => 1);
  expect(() => void work()).toThrow(expect.objectContaining({ code: "outside_of_task" }));
  const generator = function* (): Generator<number> {
    yield 1;
  };
  expect(() => task("gen", generator)).toThrow(expect.objectContaining({ code: "invalid_task" }));
  expect(() => entrypoint("gen", generator)).toThrow(expect.objectContaining({ code: "invalid_task" }));
});

it("a failed run keeps what the one before has kept", async () => {
  const flow = entrypoint({ name: "flow", checkpointer: new MemorySaver() }, (input: number) => {
    const before = getPreviousState<number>() ?? 0;
    if (input < 0) throw new Error("negative");
    return before + input;
  });
  await flow.invoke(1, thread);
  await expect(flow.invoke(-1, thread)).rejects.toThrow("negative");
  expect(await flow.invoke(5, thread)).toBe(6);
});

it("many tasks side by side are each run once, in the order of their calls", async () => {
  const work = task("work", async (i: number) => {
    if (i % 100 === 0) await later(0);
    return i;
  });
  const flow = entrypoint({ name: "flow", checkpointer: new MemorySaver() }, async (n: number) =>
    Promise.all(Array.from({ length: n }, (_, i) => work(i))),
  );
  const result = await flow.invoke(1000, thread);
  expect(result).toEqual(Array.from({ length: 1000 }, (_, i) => i));
});
