import { expect, it } from "vitest";
import { Annotation, MemorySaver, START, StateGraph } from "tidemark";
import { chain, evictable, State, thread } from "../pregel/support.ts";

/** Faults that users met in systems like this one, by their ids in the collection of cases: values that are hard to keep. */

it("SER-13: a key called __proto__ is data", async () => {
  const input: unknown = JSON.parse(
    '{"v":{"__proto__":{"polluted":1},"constructor":{"prototype":{"z":1}},"a":1}}',
  );
  const { graph } = evictable(chain({ a: () => ({ log: ["a"] }) }));
  await graph().invoke(input as typeof State.Update, thread);
  const { values } = await graph().getState(thread);
  const v = values.v as Record<string, unknown>;
  expect(Object.keys(v)).toEqual(["__proto__", "constructor", "a"]);
  expect(v["polluted"]).toBeUndefined();
  expect(Object.getPrototypeOf(v)).toBe(Object.prototype);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

it.each(["__proto__", "constructor", "prototype"])(
  "SER-13: a channel, a node and a thread may be called %s",
  async (name) => {
    const channels = Annotation.Root({ [name]: Annotation<string>(), other: Annotation<number>() });
    const graph = new StateGraph(channels)
      .addNode("first", () => ({ [name]: "written" }))
      .addNode(`${name}2`, (state) => ({ other: Object.hasOwn(state, name) ? 1 : 0 }))
      .addEdge(START, "first")
      .addEdge("first", `${name}2`)
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: name } };
    const values = (result: object): unknown[] => [
      Object.getOwnPropertyDescriptor(result, name)?.value,
      "other" in result && result.other,
    ];
    expect(values(await graph.invoke({ other: 0 }, config))).toEqual(["written", 1]);
    expect(values((await graph.getState(config)).values)).toEqual(["written", 1]);
  },
);

it("LAR-01: large values are saved and read back", async () => {
  const text = "0123456789abcdef".repeat((3 * 1024 * 1024) / 16);
  const { graph } = evictable(
    chain({
      text: () => ({ v: text }),
      many: () => ({ log: Array.from({ length: 1000 }, (_, index) => `${index}`.padEnd(10_000)) }),
    }),
  );
  await graph().invoke({}, thread);
  const { values } = await graph().getState(thread);
  expect(values.v).toBe(text);
  expect(values.log).toHaveLength(1000);
  expect(String(values.log[999])).toHaveLength(10_000);
});
