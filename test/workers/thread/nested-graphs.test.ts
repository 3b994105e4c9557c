import { describe, expect, it } from "vitest";
import { interrupt, task } from "../../../src/index.ts";
import { Gate } from "../../support/gate.ts";
import { stopObject } from "../../support/instances.ts";
import { around, type LogGraph, Runs, sequence } from "../../support/nested.ts";
import { TestThread } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

/** Graphs inside a node of a thread's graph: what they have done is kept over crashes and evictions. */

const asks = (question: string) => (): string => String(interrupt(question));

/** The three kinds of persistence that a graph inside a node can have. */
const modes = [
  { name: "inherited", checkpointer: undefined, keepsSteps: true },
  { name: "a history of its own", checkpointer: true, keepsSteps: true },
  { name: "none", checkpointer: false, keepsSteps: false },
] as const;

describe.each(modes)("persistence $name: an object that is stopped", ({ checkpointer, keepsSteps }) => {
  it("while a nested step runs goes on there", async () => {
    const gate = new Gate();
    const runs = new Runs();
    const inner = sequence(
      { first: runs.step("first"), slow: runs.step("slow", () => gate.pass()), last: runs.step("last") },
      checkpointer,
    );
    deploy({ graph: around(runs, inner) });
    const thread = new TestThread();
    const answer = thread.invoke({ input: { log: ["in"] } });
    await gate.reached();
    await thread.crash();
    gate.open();
    expect(await answer).toMatchObject({
      status: "success",
      values: { log: ["in", "first", "slow", "last", "after"] },
    });
    expect(runs.counts).toEqual({ first: keepsSteps ? 1 : 2, slow: 2, last: 1, after: 1 });
    expect((await thread.history()).map(({ next }) => next)).toEqual([
      [],
      ["after"],
      ["nested"],
      ["__start__"],
    ]);
    expect(await thread.alarm()).toBeNull();
  });

  it("in every nested step, one after the other, comes to the same end", async () => {
    const thread = new TestThread();
    const runs = new Runs();
    const names = ["one", "two", "three", "four"];
    const stopsOnce = (name: string) => async (): Promise<void> => {
      // So that the run has been stored, and what came before.
      await scheduler.wait(1);
      if (runs.counts[name] === 1) stopObject(thread.id);
    };
    const steps = Object.fromEntries(names.map((name) => [name, runs.step(name, stopsOnce(name))]));
    deploy({ graph: around(runs, sequence(steps, checkpointer)) });
    const answer = await thread.invoke({ input: { log: ["in"] } });
    expect(answer).toMatchObject({ status: "success", values: { log: ["in", ...names, "after"] } });
    const expected = keepsSteps
      ? { one: 2, two: 2, three: 2, four: 2, after: 1 }
      : { one: 5, two: 4, three: 3, four: 2, after: 1 };
    expect(runs.counts).toEqual(expected);
  });
});

describe.each([undefined, true])("a question of a nested graph (checkpointer: %s)", (checkpointer) => {
  it("is answered after an eviction, and finished steps do not run again", async () => {
    const runs = new Runs();
    const steps = {
      before: runs.step("before"),
      ask: runs.step("ask", asks("inner?")),
      more: runs.step("more", asks("and?")),
    };
    deploy({ graph: around(runs, sequence(steps, checkpointer)) });
    const thread = new TestThread();
    const paused = await thread.invoke({ input: { log: ["in"] } });
    expect(paused).toMatchObject({
      status: "interrupted",
      next: ["nested"],
      interrupts: [{ value: "inner?" }],
    });
    await thread.evict();
    const again = await thread.resume({ interrupt_id: paused.interrupts[0]?.id, value: "yes" });
    expect(again).toMatchObject({ status: "interrupted", interrupts: [{ value: "and?" }] });
    await thread.evict();
    const done = await thread.resume({ interrupt_id: again.interrupts[0]?.id, value: "so" });
    expect(done).toMatchObject({
      status: "success",
      values: { log: ["in", "before", "yes", "so", "after"] },
    });
    expect(runs.counts).toEqual({ before: 1, ask: 2, more: 2, after: 1 });
    const history = await thread.history();
    expect(history.map((state) => state.next)).toEqual([[], ["after"], ["nested"], ["__start__"]]);
  });

  it("keeps its answer when the object is stopped behind it", async () => {
    const gate = new Gate();
    const runs = new Runs();
    const steps = {
      ask: runs.step("ask", asks("inner?")),
      slow: runs.step("slow", () => gate.pass()),
    };
    deploy({ graph: around(runs, sequence(steps, checkpointer)) });
    const thread = new TestThread();
    const paused = await thread.invoke({ input: { log: ["in"] } });
    const resumed = thread.resume({ interrupt_id: paused.interrupts[0]?.id, value: "yes" });
    await gate.reached();
    await thread.crash();
    gate.open();
    expect(await resumed).toMatchObject({
      status: "success",
      values: { log: ["in", "yes", "slow", "after"] },
    });
    expect(runs.counts).toEqual({ ask: 2, slow: 2, after: 1 });
  });
});

describe("a nested graph without a saver", () => {
  it("cannot ask: the run fails with a typed error, and the thread can be read", async () => {
    deploy({ graph: around(new Runs(), sequence({ ask: new Runs().step("ask", asks("?")) }, false)) });
    const thread = new TestThread();
    await expect(thread.invoke({ input: { log: ["in"] } })).rejects.toMatchObject({ status: 500 });
    const state = await thread.state();
    expect(state).toMatchObject({ values: { log: ["in"] }, next: ["nested"] });
    expect(state.tasks[0]?.error).toContain("MissingCheckpointerError");
  });
});

describe("two nested graphs in one node", () => {
  it("keep their steps apart over a crash in the second", async () => {
    const gate = new Gate();
    const runs = new Runs();
    const first = sequence({ a: runs.step("a"), b: runs.step("b") });
    const second = sequence({ a: runs.step("second a"), b: runs.step("second b", () => gate.pass()) });
    deploy({ graph: around(runs, first, second) });
    const thread = new TestThread();
    const answer = thread.invoke({ input: { log: ["in"] } });
    await gate.reached();
    await thread.crash();
    gate.open();
    expect((await answer).values).toEqual({ log: ["in", "a", "b", "second a", "second b", "after"] });
    expect(runs.counts).toEqual({ a: 1, b: 1, "second a": 1, "second b": 2, after: 1 });
  });

  it("ask one after the other, each for its own answer", async () => {
    const runs = new Runs();
    const asking = (name: string): LogGraph =>
      sequence({ work: runs.step(name), ask: runs.step(`${name} asks`, asks(name)) });
    deploy({ graph: around(runs, asking("one"), asking("two")) });
    const thread = new TestThread();
    let answer = await thread.invoke({ input: { log: ["in"] } });
    for (const name of ["one", "two"]) {
      expect(answer.interrupts.map(({ value }) => value)).toEqual([name]);
      await thread.evict();
      answer = await thread.resume({ interrupt_id: answer.interrupts[0]?.id, value: `${name}!` });
    }
    expect(answer.values).toEqual({ log: ["in", "one", "one!", "two", "two!", "after"] });
    expect(runs.counts).toEqual({ one: 1, "one asks": 2, two: 1, "two asks": 2, after: 1 });
  });
});

describe("a task inside a nested step", () => {
  it("that has finished is not run again, after a crash and after a question", async () => {
    const gate = new Gate();
    const runs = new Runs();
    const work = task("work", async (name: string) => (await runs.step(name)()).log[0] ?? "");
    const inner = sequence({
      step: runs.step("step", async () => {
        const [one, two] = await Promise.all([work("one"), work("two")]);
        if (runs.counts["step"] === 1) await gate.pass();
        return [one, two, String(interrupt("?")), await work("three")].join(" ");
      }),
    });
    deploy({ graph: around(runs, inner) });
    const thread = new TestThread();
    const answer = thread.invoke({ input: { log: ["in"] } });
    await gate.reached();
    await thread.crash();
    gate.open();
    const paused = await answer;
    expect(paused).toMatchObject({ status: "interrupted", interrupts: [{ value: "?" }] });
    expect(runs.counts).toEqual({ step: 2, one: 1, two: 1 });
    await thread.evict();
    const done = await thread.resume({ interrupt_id: paused.interrupts[0]?.id, value: "yes" });
    expect(done.values).toEqual({ log: ["in", "one two yes three", "after"] });
    expect(runs.counts).toEqual({ step: 3, one: 1, two: 1, three: 1, after: 1 });
  });
});

describe.each([undefined, true])(
  "a question of a nested graph, answered anew at an older checkpoint (checkpointer: %s)",
  (checkpointer) => {
    it("opens a branch with the nested steps that were done, also over a crash", async () => {
      const gate = new Gate();
      const runs = new Runs();
      const inner = sequence(
        {
          before: runs.step("before"),
          ask: runs.step("ask", asks("?")),
          slow: runs.step("slow", async () => {
            if (runs.counts["slow"] === 2) await gate.pass();
          }),
        },
        checkpointer,
      );
      deploy({ graph: around(runs, inner) });
      const thread = new TestThread();
      const paused = await thread.invoke({ input: { log: ["in"] } });
      const id = paused.interrupts[0]?.id;
      await thread.resume({ interrupt_id: id, value: "first" });
      const course = await thread.history();
      await thread.evict();
      const anew = thread.resume({
        interrupt_id: id,
        value: "second",
        checkpoint_id: paused.checkpoint_id,
      });
      await gate.reached();
      await thread.crash();
      gate.open();
      const done = await anew;
      expect(done.values).toEqual({ log: ["in", "before", "second", "slow", "after"] });
      expect(runs.counts).toEqual({ before: 1, ask: 3, slow: 3, after: 2 });
      const history = await thread.history();
      expect(history.slice(-course.length)).toEqual(course);
      expect((await thread.state()).checkpoint.checkpoint_id).toBe(done.checkpoint_id);
      await expect(thread.resume({ interrupt_id: id, value: "third" })).rejects.toMatchObject({
        code: "interrupt_answered",
      });
    });
  },
);
