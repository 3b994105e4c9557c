import { beforeEach, expect, it } from "vitest";
import { Annotation, START, StateGraph } from "../../../src/index.ts";
import { kept, refused } from "../../support/odd-values.ts";
import { TestThread } from "../../support/threads.ts";
import { difference } from "../../unit/serde/same.ts";
import { deploy } from "../graphs.ts";

const State = Annotation.Root({
  name: Annotation<string>(),
  v: Annotation<unknown>(),
  differences: Annotation<(string | undefined)[]>({
    reducer: (left, right) => left.concat(right),
    default: () => [],
  }),
});

const made = new Map([...kept, ...refused].map(({ name, make }) => [name, make]));
const expected = new Map(kept.map(({ name, as }) => [name, as]));

/** Each run compares what it finds; the first writes it. */
const graph = new StateGraph(State)
  .addNode("odd", ({ name, v }) => (v === undefined ? { v: { in: [made.get(name)?.()] } } : {}))
  .addNode("look", ({ name, v }) => ({ differences: [difference({ in: [expected.get(name)?.()] }, v)] }))
  .addEdge(START, "odd")
  .addEdge("odd", "look")
  .compile();

beforeEach(() => deploy({ graph }));

it.each(refused)("is refused by name and place: $name", async ({ name, says }) => {
  const thread = new TestThread();
  const refusal = {
    code: "unserializable",
    message: expect.stringContaining(says),
    details: { channel: "v", path: expect.arrayContaining(["in", 0]) },
  };
  const failed = { code: "node_failed", details: { node: "odd", errors: [refusal] } };
  await expect(thread.invoke({ input: { name } })).rejects.toMatchObject(failed);
  await thread.evict();
  expect((await thread.state()).values).toEqual({ name, differences: [] });
});

it.each(kept)("is kept, before an eviction and after it: $name", async ({ name }) => {
  const thread = new TestThread();
  await thread.invoke({ input: { name } });
  await thread.evict();
  const { values } = await thread.invoke({ input: { name } });
  expect(values["differences"]).toEqual([null, null]);
});
