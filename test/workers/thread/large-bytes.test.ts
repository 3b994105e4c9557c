import { expect, it } from "vitest";
import { Annotation, START, StateGraph } from "../../../src/index.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const State = Annotation.Root({
  files: Annotation<Uint8Array[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
  turn: Annotation<number>(),
  first: Annotation<number>(),
});

it("what a node changes in large bytes of a list reaches no other node, and is not stored, after an eviction", async () => {
  const graph = new StateGraph(State)
    .addNode("load", ({ turn }) => (turn === 0 ? { files: [new Uint8Array(200_000).fill(1)] } : {}))
    .addNode("spoil", ({ files }) => {
      files[0]?.fill(9);
      return {};
    })
    .addNode("look", ({ files }) => ({ first: files[0]?.[0] ?? 0, files: [new Uint8Array([7])] }))
    .addEdge(START, "load")
    .addEdge("load", "spoil")
    .addEdge("spoil", "look")
    .compile();
  deploy({ graph });
  const thread = new TestThread();
  for (let turn = 0; turn < 3; turn++) {
    expect(await thread.invoke({ input: { turn } })).toMatchObject({ values: { first: 1 } });
    await thread.evict();
  }
});
