import { expect, it } from "vitest";
import { INTERRUPT, MemorySaver } from "tidemark";
import { chain, parallel, thread } from "./support.ts";

const ab = () => chain({ a: () => ({ log: ["a"] }), b: () => ({ log: ["b"] }) });

it("a run that stops at a breakpoint is interrupted without a question", async () => {
  const graph = ab().compile({ checkpointer: new MemorySaver(), interruptBefore: ["b"] });
  const outcome = await graph.run({ kind: "input", value: {} }, thread);
  expect(outcome).toMatchObject({ status: "interrupted", interrupts: [] });
  expect((await graph.getState(thread)).next).toEqual(["b"]);
  expect((await graph.invoke(null, thread)).log).toEqual(["a", "b"]);
});

it("it stops without a checkpointer too", async () => {
  const graph = ab().compile({ interruptBefore: ["b"] });
  const result = await graph.invoke({ v: 1 });
  expect(result).toMatchObject({ log: ["a"], [INTERRUPT]: [] });
});

it("a run that was cut off right before a breakpoint still stops there when it is entered again", async () => {
  const graph = ab().compile({ checkpointer: new MemorySaver(), interruptBefore: ["b"] });
  await graph.invoke({}, { ...thread, interruptBefore: ["b"] });
  const again = await graph.run({ kind: "continue" }, { ...thread, isReentry: true });
  expect(again).toMatchObject({ status: "interrupted", interrupts: [] });
  expect((await graph.getState(thread)).values.log).toEqual(["a"]);
});

it("a run that was cut off behind a breakpoint does not stop there again", async () => {
  let isBroken = true;
  const graph = parallel({
    a: () => ({ log: ["a"] }),
    b: () => {
      if (isBroken) throw new Error("cut off");
      return { log: ["b"] };
    },
  }).compile({ checkpointer: new MemorySaver(), interruptBefore: ["b"] });
  await graph.invoke({}, thread);
  await expect(graph.invoke(null, thread)).rejects.toThrow("cut off");
  isBroken = false;
  expect(await graph.run({ kind: "continue" }, { ...thread, isReentry: true })).toMatchObject({
    status: "success",
  });
});

it("a run tells when it has taken up a thread, so that it is not taken up a second time", async () => {
  const graph = ab().compile({ checkpointer: new MemorySaver(), interruptBefore: ["b"] });
  await graph.invoke({}, thread);
  let applied = 0;
  await graph.run({ kind: "continue" }, { ...thread, onInputApplied: () => applied++ });
  expect(applied).toBe(1);
});

it("runs without breakpoints keep nothing of them", async () => {
  const saver = new MemorySaver();
  const graph = ab().compile({ checkpointer: saver });
  await graph.invoke({}, { ...thread, recursionLimit: 1 }).catch(() => undefined);
  await graph.invoke(null, thread);
  const seen = [];
  for await (const { checkpoint } of saver.list(thread)) seen.push(...Object.keys(checkpoint.versions_seen));
  expect(seen).toContain("b");
  expect(seen).not.toContain("__interrupt__");
});

it("a breakpoint at a node that the graph does not have is refused", () => {
  expect(() => ab().compile({ interruptAfter: ["zz"] })).toThrow('no node "zz" to stop at');
});
