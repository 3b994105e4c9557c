import { expect, it } from "vitest";
import { MemorySaver, START, StateGraph } from "tidemark";
import { evictable, later, State, thread } from "../pregel/support.ts";

/** Faults that users met in systems like this one, by their ids in the collection of cases: streams. */

/** Nodes side by side that each write some chunks and a last one just before they return. */
function writing(nodes: number, chunks: number) {
  const builder = new StateGraph(State);
  for (let node = 0; node < nodes; node++) {
    const name = `n${node}`;
    builder
      .addNode(name, async (_, { writer }) => {
        for (let chunk = 0; chunk < chunks; chunk++) {
          writer?.(`${name} ${chunk}`);
          await later(Math.random() * 2);
        }
        writer?.(`${name} last`);
        return { log: [name] };
      })
      .addEdge(START, name);
  }
  return builder;
}

it("STR-01: when a stream is left, the node that runs is told, stores nothing, and is next", async () => {
  let reason: unknown;
  const effects: string[] = [];
  const { graph } = evictable(
    new StateGraph(State)
      .addNode("a", () => ({ log: ["a"] }))
      .addNode("slow", async (_, { signal, writer }) => {
        writer?.("started");
        await later(5);
        reason = signal.reason;
        if (!signal.aborted) effects.push("done");
        return { log: ["slow"] };
      })
      .addEdge(START, "a")
      .addEdge("a", "slow"),
  );
  for await (const chunk of graph().stream({}, { ...thread, streamMode: "custom" })) {
    expect(chunk).toBe("started");
    break;
  }
  await later(10);
  expect(reason).toMatchObject({ message: "The stream was left before its end." });
  expect(effects).toEqual([]);
  expect(await graph().getState(thread)).toMatchObject({ values: { log: ["a"] }, next: ["slow"] });
  expect((await graph().invoke(null, thread)).log).toEqual(["a", "slow"]);
});

it("STR-09: no chunk is lost of tasks that write up to their end", async () => {
  const graph = writing(5, 10).compile({ checkpointer: new MemorySaver() });
  const chunks: unknown[] = [];
  for await (const chunk of graph.stream({}, { ...thread, streamMode: ["custom", "values"] }))
    chunks.push(chunk);
  expect(chunks.filter((chunk) => Array.isArray(chunk) && chunk[0] === "custom")).toHaveLength(55);
  expect(chunks.at(-1)).toEqual(["values", { log: ["n0", "n1", "n2", "n3", "n4"], sum: 0 }]);
});

it("STR-11: an abort while several nodes stream reaches the caller alone", async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on("unhandledRejection", note);
  try {
    for (let round = 0; round < 50; round++) {
      const graph = writing(4, 10).compile({ checkpointer: new MemorySaver() });
      const controller = new AbortController();
      let seen = 0;
      const drain = async (): Promise<void> => {
        const options = { ...thread, streamMode: "custom" as const, signal: controller.signal };
        for await (const _ of graph.stream({}, options))
          if (++seen === 3) controller.abort(new Error("enough"));
      };
      await expect(drain()).rejects.toThrow("enough");
    }
    await later(20);
  } finally {
    process.off("unhandledRejection", note);
  }
  expect(unhandled).toEqual([]);
});
