import { expect, it } from "vitest";
import { Command } from "tidemark";
import { START } from "../oracle/engine.ts";
import { graphOf } from "../oracle/policy-cases.ts";
import { at, chain, evictable, historyOf, thread } from "../pregel/support.ts";
import { both, config, seenOf } from "./both.ts";

/** docs/differences.md: history and views. */

it("at an older checkpoint, a Command makes one checkpoint; the older one stays as it was", async () => {
  const { graph } = evictable(chain({ a: () => ({ log: ["a"] }), b: () => ({ log: ["b"] }) }));
  await graph().invoke({}, thread);
  const [, middle] = await historyOf(graph());
  await graph().invoke(new Command({ update: { log: ["patched"] } }), at(middle));
  const history = await historyOf(graph());
  expect(history.map((snapshot) => snapshot.metadata?.source)).toEqual([
    "loop",
    "input",
    "loop",
    "loop",
    "loop",
    "input",
  ]);
  expect(history[1]?.parentConfig).toEqual(middle?.config);
  expect(history[3]).toEqual(middle);
  expect(history[0]?.values.log).toEqual(["a", "patched", "b"]);
});

it("an update as an unknown node is refused and changes nothing", async () => {
  const { graph } = evictable(chain({ a: () => ({}) }));
  await graph().invoke({}, thread);
  await expect(graph().updateState(thread, {}, "nobody")).rejects.toMatchObject({
    code: "unknown_node",
    details: { node: "nobody" },
  });
  expect(await historyOf(graph())).toHaveLength(3);
});

it("a checkpoint that does not exist is a typed error", async () => {
  const { graph } = evictable(chain({ a: () => ({}) }));
  await graph().invoke({}, thread);
  const missing = {
    configurable: { ...thread.configurable, checkpoint_id: "1ef00000-0000-6000-8000-000000000000" },
  };
  const calls = [
    () => graph().invoke({}, missing),
    () => graph().getState(missing),
    () => graph().updateState(missing, {}, "a"),
  ];
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "checkpoint_not_found" });
});

it.each([0, -1, 1.5, Number.NaN])("a recursion limit of %d is refused", async (recursionLimit) => {
  const graph = chain({ a: () => ({}) }).compile();
  await expect(graph.invoke({}, { recursionLimit })).rejects.toMatchObject({
    code: "invalid_recursion_limit",
  });
});

it("tasks, and what is next, are in the same order in every view", async () => {
  const seen = await both(async (library) => {
    const graph = graphOf(library)
      .addNode("z", () => ({ log: [library.interrupt("z")] }))
      .addNode("a", () => ({ log: [library.interrupt("a")] }))
      .addEdge(START, "z")
      .addEdge(START, "a")
      .compile({ checkpointer: new library.MemorySaver() });
    const chunks = await seenOf(graph.stream({ log: [] }, { ...config, streamMode: "checkpoints" }));
    const last = chunks.at(-1) as { readonly next: readonly string[] };
    const state = await graph.getState(config);
    return [last.next, state.next, state.tasks.map(({ name }) => name)];
  });
  const [az, za] = [
    ["a", "z"],
    ["z", "a"],
  ];
  expect(seen).toEqual({ here: [az, az, az], there: [az, za, za] });
});

it("a task at its second question is next, and not finished for an edit", async () => {
  const seen = await both(async (library) => {
    const graph = graphOf(library)
      .addNode("ask", () => ({ log: [library.interrupt("1"), library.interrupt("2")] }))
      .addNode("other", () => ({ log: ["other"] }))
      .addEdge(START, "ask")
      .addEdge(START, "other")
      .compile({ checkpointer: new library.MemorySaver() });
    await graph.invoke({ log: [] }, config);
    await graph.invoke(new library.Command({ resume: "one" }), config);
    const { next } = await graph.getState(config);
    // Without a node an edit is of the one that has finished last: of two it is ambiguous.
    const edit = graph.updateState(config, { log: ["edit"] });
    return [
      next,
      await edit.then(
        () => "applied",
        (error: Error) => error.name,
      ),
    ];
  });
  expect(seen).toEqual({ here: [["ask"], "applied"], there: [[], "InvalidUpdateError"] });
});

it("a Command leaves the checkpoint before it as it was saved", async () => {
  const seen = await both(async (library) => {
    const graph = graphOf(library)
      .addNode("a", () => ({ log: ["a"] }))
      .addEdge(START, "a")
      .compile({ checkpointer: new library.MemorySaver() });
    await graph.invoke({ log: ["in"] }, config);
    const head = await graph.getState(config);
    await graph.invoke(new library.Command({ update: { log: ["patched"] } }), config);
    return (await graph.getState(head.config)).values["log"];
  });
  expect(seen).toEqual({ here: ["in", "a"], there: ["in", "a", "patched"] });
});
