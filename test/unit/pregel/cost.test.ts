import { createHook } from "node:async_hooks";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Annotation, END, entrypoint, MemorySaver, Send, START, StateGraph, task } from "tidemark";
import { LastValue } from "tidemark/channels";
import { MsgpackSerializer } from "tidemark/checkpoint";

/** What a superstep costs is counted, not timed: it follows what changed and what runs, whatever is declared. */

let threads = 0;
const config = (): { configurable: { thread_id: string }; recursionLimit: number } => ({
  configurable: { thread_id: `t${threads++}` },
  recursionLimit: 1000,
});

function loop(idle: number, saver: MemorySaver): (supersteps: number) => Promise<unknown> {
  const names = Array.from({ length: idle }, (_, index) => `idle${index}`);
  const State = Annotation.Root({
    goal: Annotation<number>(),
    n: Annotation<number>(),
    ...Object.fromEntries(names.map((name) => [name, Annotation<string>()])),
  });
  const graph = new StateGraph(State)
    .addNode("count", ({ n }) => ({ n: n + 1 }))
    .addEdge(START, "count")
    .addConditionalEdges("count", ({ n, goal }) => (n < goal ? "count" : END), ["count", END])
    .compile({ checkpointer: saver });
  const values = Object.fromEntries(names.map((name) => [name, `value of ${name}`]));
  return (goal) => graph.invoke({ ...values, goal, n: 0 }, config());
}

/** What ten more supersteps add to a count, at two places of a long run: where they differ, it grows with the history. */
async function costOfTen(
  count: () => number,
  run: (supersteps: number) => Promise<unknown>,
): Promise<number> {
  const total = async (supersteps: number): Promise<number> => {
    const before = count();
    await run(supersteps);
    return count() - before;
  };
  // As bytes, these numbers are of one length.
  const [few, more, many, most] = [await total(140), await total(150), await total(230), await total(240)];
  expect(most - many).toBe(more - few);
  return more - few;
}

it("no channel is looked at for a superstep that does not concern it", async () => {
  const methods = ["get", "isAvailable", "checkpoint", "update", "consume", "finish"] as const;
  const spies = methods.map((method) => vi.spyOn(LastValue.prototype, method));
  const count = (): number => spies.reduce((calls, spy) => calls + spy.mock.calls.length, 0);
  const few = await costOfTen(count, loop(2, new MemorySaver()));
  const many = await costOfTen(count, loop(60, new MemorySaver()));
  vi.restoreAllMocks();
  expect(few).toBeGreaterThan(0);
  expect(many).toBe(few);
});

it("nothing is stored of a channel that a superstep does not concern", async () => {
  const serde = new MsgpackSerializer();
  let bytes = 0;
  const counting = {
    dumpsTyped: (value: unknown): [string, Uint8Array] => {
      const [type, data] = serde.dumpsTyped(value);
      bytes += data.length;
      return [type, data];
    },
    loadsTyped: (type: string, data: Uint8Array | string): unknown => serde.loadsTyped(type, data),
  };
  const few = await costOfTen(() => bytes, loop(2, new MemorySaver(counting)));
  expect(few).toBeGreaterThan(0);
  expect(await costOfTen(() => bytes, loop(300, new MemorySaver(counting)))).toBe(few);
});

it("the engine's own saver does not ask for all values, nor for a copy of those that cannot change", async () => {
  const asked: unknown[] = [];
  class Watching extends MemorySaver {
    override put(...args: Parameters<MemorySaver["put"]>): ReturnType<MemorySaver["put"]> {
      const [given, checkpoint, ...rest] = args;
      const values = Object.getOwnPropertyDescriptor(checkpoint, "channel_values");
      Object.defineProperty(checkpoint, "channel_values", {
        get: () => (asked.push(checkpoint.id), values?.get?.()),
        enumerable: true,
      });
      return super.put(given, checkpoint, ...rest);
    }
  }
  const dumps = vi.spyOn(MsgpackSerializer.prototype, "dumpsTyped");
  await loop(3, new Watching())(10);
  expect(asked).toEqual([]);
  expect(dumps).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

let promises = 0;
const hook = createHook({
  init: (_id, type) => {
    if (type === "PROMISE") promises += 1;
  },
});
beforeEach(() => hook.enable());
afterEach(() => hook.disable());

/** How many promises the work makes; those of the test's own surroundings are among them. */
async function promisesOf(work: () => Promise<unknown>): Promise<number> {
  const before = promises;
  await work();
  return promises - before;
}

it("a superstep of a node without I/O waits for its storage, and for little else", async () => {
  const run = loop(2, new MemorySaver());
  await run(1);
  expect(await promisesOf(() => run(500))).toBeLessThan(30 * 500);
});

it.each([
  ["Send", sends],
  ["task", tasks],
])("each %s beside many others costs what it costs beside few", async (_, make) => {
  const run = make();
  const few = await promisesOf(() => run(100));
  const many = await promisesOf(() => run(2000));
  expect(many).toBeLessThan(20 * few);
  expect(many).toBeLessThan(20 * 2000);
});

function sends(): (width: number) => Promise<unknown> {
  const State = Annotation.Root({
    width: Annotation<number>(),
    squares: Annotation<number[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
  });
  const graph = new StateGraph(State)
    .addNode("plan", () => ({}))
    .addNode("square", (input) => {
      const { n } = input as unknown as { readonly n: number };
      return { squares: [n * n] };
    })
    .addEdge(START, "plan")
    .addConditionalEdges(
      "plan",
      ({ width }) => Array.from({ length: width }, (_, n) => new Send("square", { n })),
      ["square"],
    )
    .addEdge("square", END)
    .compile({ checkpointer: new MemorySaver() });
  return (width) => graph.invoke({ width }, config());
}

function tasks(): (width: number) => Promise<unknown> {
  const square = task("square", async (n: number) => n * n);
  const flow = entrypoint({ name: "flow", checkpointer: new MemorySaver() }, (width: number) =>
    Promise.all(Array.from({ length: width }, (_, n) => square(n))),
  );
  return (width) => flow.invoke(width, config());
}
