import { expect, it, vi } from "vitest";
import * as one from "tidemark";
import { thread } from "../pregel/support.ts";

/** Faults that users met in systems like this one, by their ids in the collection of cases: two copies of the package. */

async function anotherCopy(): Promise<typeof one> {
  vi.resetModules();
  const copy = await import("tidemark");
  expect(copy.Command).not.toBe(one.Command);
  return copy;
}

const channels = (): { log: one.BinaryOperatorAggregate<unknown[], unknown[]> } => ({
  log: one.Annotation<unknown[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
});

it("TYP-03: nodes that were written with one copy run in graphs of another", async () => {
  const other = await anotherCopy();
  const graph = new other.StateGraph(
    other.Annotation.Root({
      log: other.Annotation<unknown[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
    }),
  )
    .addNode("ask", () => ({ log: [one.interrupt("q?")] }))
    .addNode("go", () => new one.Command({ update: { log: ["go"] }, goto: new one.Send("w", { i: 1 }) }), {
      ends: ["w"],
    })
    .addNode("w", (args: { i: number }) => ({ log: [args.i] }))
    .addNode("over", () => ({ log: new one.Overwrite<unknown[]>(["over"]) }))
    .addEdge(one.START, "ask")
    .addEdge("ask", "go")
    .addEdge("w", "over")
    .compile({ checkpointer: new one.MemorySaver() });
  const asked = await graph.invoke({ log: ["in"] }, thread);
  expect(one.isInterrupted(asked)).toBe(true);
  const values: unknown[] = [];
  const input = new one.Command({ resume: "yes" });
  for await (const chunk of graph.stream(input, { ...thread, streamMode: "values" })) values.push(chunk);
  expect(values).toEqual([
    { log: ["in"] },
    { log: ["in", "yes"] },
    { log: ["in", "yes", "go"] },
    { log: ["in", "yes", "go", 1] },
    { log: ["over"] },
  ]);
});

it("TYP-03: a graph of one copy is a node of another's, and asks through it", async () => {
  const other = await anotherCopy();
  const inner = new one.StateGraph(channels())
    .addNode("ask", () => ({ log: [one.interrupt("inner?")] }))
    .addEdge(one.START, "ask")
    .compile();
  const graph = new other.StateGraph(channels())
    .addNode("inner", inner)
    .addEdge(one.START, "inner")
    .compile({ checkpointer: new other.MemorySaver() });
  const asked = await graph.invoke({ log: [] }, thread);
  expect(asked[one.INTERRUPT]?.map(({ value }) => value)).toEqual(["inner?"]);
  expect([...graph.getSubgraphs()].map(([name]) => name)).toEqual(["inner"]);
  expect((await graph.invoke(new one.Command({ resume: "yes" }), thread)).log).toEqual(["yes"]);
});

it("TYP-03: tasks, entrypoints and what they keep may come from different copies", async () => {
  const other = await anotherCopy();
  const double = one.task("double", (x: number) => x * 2);
  const flow = other.entrypoint({ name: "flow", checkpointer: new one.MemorySaver() }, async (x: number) => {
    const before = one.getPreviousState<number>() ?? 0;
    return one.entrypoint.final({ value: await double(x), save: before + x });
  });
  expect(await flow.invoke(1, thread)).toBe(2);
  await flow.invoke(2, thread);
  expect((await flow.getState(thread)).values).toBe(4);
  const kept = other.entrypoint({ name: "flow", checkpointer: flow.checkpointer as one.MemorySaver }, () =>
    one.getPreviousState(),
  );
  expect(await kept.invoke(0, thread)).toBe(3);
});
