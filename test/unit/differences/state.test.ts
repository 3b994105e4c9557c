import { expect, it } from "vitest";
import { START } from "../oracle/engine.ts";
import { graphOf } from "../oracle/policy-cases.ts";
import { chain, evictable, parallel, thread } from "../pregel/support.ts";
import { both, config, seenOf } from "./both.ts";

/** docs/differences.md: state. */

it("what LangGraph loses survives", async () => {
  const cyclic: Record<string, unknown> = {
    n: 10n,
    at: new Date(0),
    bytes: new Uint8Array([1, 2]),
    map: new Map([["k", new Set([1])]]),
  };
  cyclic["self"] = cyclic;
  const { graph } = evictable(chain({ a: () => ({ v: cyclic }) }));
  await graph().invoke({}, thread);
  const v = (await graph().getState(thread)).values.v as typeof cyclic;
  expect(v).toEqual(cyclic);
  expect(v["self"]).toBe(v);
});

it("an instance of a class without a codec is refused at the write, by channel and path", async () => {
  class Money {
    readonly amount = 1;
  }
  const { graph } = evictable(
    parallel({ a: () => ({ v: { paid: [new Money()] } }), ok: () => ({ log: ["ok"] }) }),
  );
  await expect(graph().invoke({}, thread)).rejects.toMatchObject({
    name: "UnserializableError",
    details: { channel: "v", path: ["paid", 0] },
  });
  const state = await graph().getState(thread);
  expect(state).toMatchObject({ next: ["a"], values: { log: ["ok"] } });
  expect(state.tasks[0]?.error).toMatchObject({ name: "UnserializableError" });
});

it("results are read-only", async () => {
  const { graph } = evictable(chain({ a: () => ({ log: ["a"], v: { deep: [1] } }) }));
  const result = await graph().invoke({}, thread);
  expect(Object.isFrozen(result.log)).toBe(true);
  const { values } = await graph().getState(thread);
  expect(Object.isFrozen((values.v as { deep: unknown[] }).deep)).toBe(true);
});

it("a default is not saved until something is written", async () => {
  const seen = await both(async (library) => {
    const saver = new library.MemorySaver();
    const graph = graphOf(library)
      .addNode("a", () => ({ log: ["a"] }))
      .addEdge(START, "a")
      .compile({ checkpointer: saver });
    await graph.invoke({ log: [] }, config);
    const saved: boolean[] = [];
    for await (const { checkpoint } of saver.list(config)) saved.push("sum" in checkpoint.channel_values);
    return [saved, (await graph.getState(config)).values["sum"]];
  });
  expect(seen).toEqual({ here: [[false, false, false], 0], there: [[true, true, true], 0] });
});

it("an update chunk shows an Overwrite as it is stored", async () => {
  const seen = await both(async (library) => {
    const graph = graphOf(library)
      .addNode("a", () => ({ log: new library.Overwrite(["a"]) }))
      .addEdge(START, "a")
      .compile();
    const [chunk] = await seenOf(graph.stream({ log: [] }, { streamMode: "updates" }));
    const { log } = (chunk as { readonly a: { readonly log: object } }).a;
    return [log.constructor.name, Object.keys(log)];
  });
  expect(seen).toEqual({
    here: ["Object", ["__overwrite__"]],
    there: ["Overwrite", ["lg_name", "__overwrite__"]],
  });
});
