import { expect, it } from "vitest";
import { MemorySaver } from "tidemark";
import { at, chain, type Graph, thread } from "./support.ts";

/** Edits of several steps, copies, and what of the history is asked for. */

function build(): Graph {
  return chain({ a: () => ({ log: ["a"] }), b: () => ({ log: ["b"] }) }).compile({
    checkpointer: new MemorySaver(),
  });
}

type Options = Parameters<Graph["getStateHistory"]>[1];

async function steps(graph: Graph, options?: Options): Promise<unknown[]> {
  const found = [];
  for await (const { metadata } of graph.getStateHistory(thread, options)) {
    found.push(`${metadata?.source} ${metadata?.step}`);
  }
  return found;
}

it("a copy stands beside its original, and takes updates of its own", async () => {
  const graph = build();
  await graph.invoke({ log: ["in"] }, thread);
  const history = [];
  for await (const state of graph.getStateHistory(thread)) history.push(state);
  const afterA = history[1];
  await graph.updateState(at(afterA), [[{ log: ["by hand"] }, "b"]], "__copy__");
  expect((await graph.getState(thread)).values.log).toEqual(["in", "a", "by hand"]);
  expect(await steps(graph)).toEqual(["update 3", "fork 2", "loop 2", "loop 1", "loop 0", "input -1"]);
  const fork = [];
  for await (const state of graph.getStateHistory(thread)) fork.push(state);
  expect(fork[1]?.parentConfig?.configurable?.checkpoint_id).toBe(
    afterA?.parentConfig?.configurable?.checkpoint_id,
  );
  expect(fork[1]?.values).toEqual(afterA?.values);
});

it("steps of a bulk update that cannot be are refused before anything is stored", async () => {
  const graph = build();
  const invalid = { code: "invalid_update" };
  await expect(graph.bulkUpdateState(thread, [])).rejects.toMatchObject(invalid);
  await expect(graph.bulkUpdateState(thread, [{ updates: [] }])).rejects.toMatchObject(invalid);
  await expect(
    graph.bulkUpdateState(thread, [
      {
        updates: [
          { values: {}, asNode: "a" },
          { values: {}, asNode: "c" },
        ],
      },
    ]),
  ).rejects.toMatchObject({ code: "unknown_node" });
  await expect(graph.updateState(thread, null, "__copy__")).rejects.toMatchObject(invalid);
  expect(await steps(graph)).toEqual([]);
});

it("checkpoints keep what is plain of the caller's metadata", async () => {
  const graph = build();
  const metadata = { tenant: "acme", turn: 1, live: true, step: 99, langgraph_step: 99, nested: { a: 1 } };
  await graph.invoke({}, { ...thread, metadata: { ...metadata, model: () => undefined }, runId: "r" });
  const state = await graph.getState(thread);
  const own = { tenant: "acme", turn: 1, live: true };
  const made = { source: "loop", step: 2, parents: {}, run_id: "r", thread_id: "t" };
  expect(state.metadata).toEqual({ ...own, ...made });
  await graph.updateState({ ...thread, metadata: { tenant: "globex" } }, { log: ["edit"] }, "b");
  expect((await graph.getState(thread)).metadata).toMatchObject({ tenant: "globex", source: "update" });
  const replay = at(state);
  await graph.invoke(null, { ...replay, metadata: { tenant: "branch" } });
  expect((await graph.getState(thread)).metadata?.["tenant"]).toBe("branch");
});
