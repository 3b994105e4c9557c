import { expect, it } from "vitest";
import { Annotation, Command, END, INTERRUPT, interrupt, MemorySaver, START, StateGraph } from "tidemark";
import { at, chain, evictable, historyOf, parallel, State, thread } from "./support.ts";

const exit = { ...thread, durability: "exit" as const };

class CountingSaver extends MemorySaver {
  readonly calls: string[] = [];

  override put(...args: Parameters<MemorySaver["put"]>): ReturnType<MemorySaver["put"]> {
    this.calls.push("put");
    return super.put(...args);
  }

  override putWrites(...args: Parameters<MemorySaver["putWrites"]>): Promise<void> {
    this.calls.push("putWrites");
    return super.putWrites(...args);
  }
}

it("a run with durability exit stores once, at its end", async () => {
  const saver = new CountingSaver();
  const seen: number[] = [];
  const graph = chain({
    a: () => ({ log: ["a"] }),
    b: () => {
      seen.push(saver.calls.length);
      return { log: ["b"] };
    },
  }).compile({ checkpointer: saver });
  await graph.invoke({}, exit);
  expect(seen).toEqual([0]);
  expect(saver.calls).toEqual(["put"]);
  expect(await historyOf(graph)).toHaveLength(1);
});

it("says that its input is applied right before it stores it", async () => {
  const order: string[] = [];
  const saver = new CountingSaver();
  const graph = chain({ a: () => ({ log: ["a"] }) }).compile({ checkpointer: saver });
  const onInputApplied = (): void => void order.push(`applied at ${saver.calls.length}`);
  await graph.run({ kind: "input", value: {} }, { ...exit, onInputApplied });
  expect(order).toEqual(["applied at 0"]);
});

it("a superstep that a reducer refuses leaves the state before it, to be mended", async () => {
  let isBroken = true;
  const Strict = Annotation.Root({
    log: Annotation<string[]>({
      reducer: (left, right) => {
        if (isBroken && right.includes("b")) throw new Error("no");
        return left.concat(right);
      },
      default: () => [],
    }),
  });
  const graph = new StateGraph(Strict)
    .addNode("a", () => ({ log: ["a"] }))
    .addNode("b", () => ({ log: ["b"] }))
    .addEdge(START, "a")
    .addEdge("a", "b")
    .compile({ checkpointer: new MemorySaver() });
  await expect(graph.invoke({}, exit)).rejects.toMatchObject({ name: "ReducerError" });
  expect((await graph.getState(thread)).values.log).toEqual(["a"]);
  isBroken = false;
  expect((await graph.invoke(null, exit)).log).toEqual(["a", "b"]);
});

it("a run that is cancelled stores what it had come to", async () => {
  const controller = new AbortController();
  const graph = chain({
    a: () => {
      queueMicrotask(() => controller.abort(new Error("stop")));
      return { log: ["a"] };
    },
    b: () => ({ log: ["b"] }),
  }).compile({ checkpointer: new MemorySaver() });
  await expect(graph.invoke({}, { ...exit, signal: controller.signal })).rejects.toThrow("stop");
  expect((await graph.invoke(null, thread)).log).toEqual(["a", "b"]);
});

it("answers at an older checkpoint open a branch with durability exit too", async () => {
  const { graph } = evictable(
    parallel({ ask: () => ({ log: [interrupt("q")] }), sibling: () => ({ log: ["sibling"] }) }),
  );
  const first = await graph().invoke({}, exit);
  const id = first[INTERRUPT]?.[0]?.id ?? "";
  const [paused] = await historyOf(graph());
  await graph().invoke(new Command({ resume: "one" }), exit);
  const second = await graph().invoke(new Command({ resume: { [id]: "two" } }), {
    ...at(paused),
    durability: "exit",
  });
  expect(second.log).toEqual(["two", "sibling"]);
  expect((await graph().getState(thread)).values.log).toEqual(["two", "sibling"]);
});

it("an edit of the state is stored at once, whatever its config says", async () => {
  const { graph } = evictable(chain({ a: () => ({ log: ["a"] }) }));
  const config = { ...exit, configurable: thread.configurable };
  await graph().updateState(config, { log: ["patch"] }, "a");
  expect((await graph().getState(thread)).values.log).toEqual(["patch"]);
});

it("a graph with a history of its own remembers all visits of runs that store at their end", async () => {
  const inner = chain({ a: ({ log }) => ({ log: [log.length] }) }).compile({ checkpointer: true });
  const saver = new MemorySaver();
  const graph = new StateGraph(State)
    .addNode("inner", async () => {
      await inner.invoke({});
      return { sum: 1 };
    })
    .addEdge(START, "inner")
    .addConditionalEdges("inner", ({ sum }) => (sum % 2 === 1 ? "inner" : END))
    .compile({ checkpointer: saver });
  const visits = async (): Promise<unknown> => {
    const tuple = await saver.getTuple({ configurable: { thread_id: "t", checkpoint_ns: "inner" } });
    return tuple?.checkpoint.channel_values["log"];
  };
  await graph.invoke({}, { ...thread, durability: "exit" });
  expect(await visits()).toEqual([0, 1]);
  await graph.invoke({}, { ...thread, durability: "exit" });
  expect(await visits()).toEqual([0, 1, 2, 3]);
  await graph.invoke({}, { ...thread, durability: "sync" });
  expect(await visits()).toEqual([0, 1, 2, 3, 4, 5]);
});
