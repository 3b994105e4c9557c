import { describe, expect, it } from "vitest";
import { END, interrupt, START, StateGraph } from "../../../src/index.ts";
import { Log } from "../../support/log.ts";
import { TestThread, type WireState } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const chain = new StateGraph(Log)
  .addNode("a", () => ({ log: ["a"] }))
  .addNode("b", () => ({ log: ["b"] }))
  .addNode("c", () => ({ log: ["c"] }))
  .addEdge(START, "a")
  .addEdge("a", "b")
  .addEdge("b", "c")
  .addEdge("c", END)
  .compile();

const ask = new StateGraph(Log)
  .addNode("ask", () => ({ log: [String(interrupt("?"))] }))
  .addNode("after", () => ({ log: ["after"] }))
  .addEdge(START, "ask")
  .addEdge("ask", "after")
  .addEdge("after", END)
  .compile();

function idOf(state: WireState | undefined): string {
  return state?.checkpoint.checkpoint_id ?? "";
}

function parentOf(state: WireState | undefined): string | undefined {
  return state?.parent_checkpoint?.checkpoint_id;
}

describe("history", () => {
  it("is newest first, pages by limit and before, and every state can be read by itself (TIM-13)", async () => {
    deploy({ chain });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["in"] } });
    const history = await thread.history();
    expect(history.map((state) => [state.metadata?.["step"], state.next])).toEqual([
      [3, []],
      [2, ["c"]],
      [1, ["b"]],
      [0, ["a"]],
      [-1, ["__start__"]],
    ]);
    expect(history.map(parentOf)).toEqual([...history.slice(1).map(idOf), undefined]);
    expect(idOf(await thread.state())).toBe(idOf(history[0]));

    expect(await thread.history("?limit=2")).toEqual(history.slice(0, 2));
    expect(await thread.history(`?limit=2&before=${idOf(history[1])}`)).toEqual(history.slice(2, 4));
    await thread.evict();
    expect(await thread.history()).toEqual(history);
    for (const state of history) {
      const read = await thread.state(idOf(state));
      expect(read.values).toEqual(state.values);
      expect(read.next).toEqual(state.next);
    }
  });

  it("has the order of writing also when the clock stands still (TIM-13)", async () => {
    deploy({ chain });
    const thread = new TestThread();
    const now = Date.now;
    Date.now = () => 1_800_000_000_000;
    try {
      await thread.invoke({ input: { log: ["in"] } });
    } finally {
      Date.now = now;
    }
    const history = await thread.history();
    expect(history.map((state) => state.metadata?.["step"])).toEqual([3, 2, 1, 0, -1]);
    expect((await thread.state()).values).toEqual({ log: ["in", "a", "b", "c"] });
  });
});

describe("a run from an older checkpoint", () => {
  it("opens a branch, and its end is the head for what comes next (TIM-05)", async () => {
    deploy({ chain });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["in"] } });
    const before = await thread.history();
    const middle = before.find((state) => state.next[0] === "c");
    await thread.evict();

    const branch = await thread.invoke({ checkpoint_id: idOf(middle) });
    expect(branch).toMatchObject({ status: "success", values: { log: ["in", "a", "b", "c"] } });
    const head = await thread.state();
    expect(idOf(head)).toBe(branch.checkpoint_id);
    expect(before.map(idOf)).not.toContain(branch.checkpoint_id);
    const fork = (await thread.history()).find((state) => parentOf(state) === idOf(middle));
    expect(fork?.metadata).toMatchObject({ source: "fork" });
    expect(parentOf(head)).toBe(idOf(fork));

    const next = await thread.invoke({ input: { log: ["more"] } });
    expect(next.values["log"]).toEqual(["in", "a", "b", "c", "more", "a", "b", "c"]);
    expect((await thread.state(idOf(before[0]))).values).toEqual(before[0]?.values);
  });

  it("can bring new input", async () => {
    deploy({ chain });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["in"] } });
    const first = (await thread.history()).find((state) => state.next[0] === "a");
    const branch = await thread.invoke({ input: { log: ["other"] }, checkpoint_id: idOf(first) });
    expect(branch.values).toEqual({ log: ["in", "other", "a", "b", "c"] });
  });

  it("is refused for a checkpoint that is not there", async () => {
    deploy({ chain });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["in"] } });
    const before = await thread.rowCounts();
    for (const id of ["01a227bd-3370-72d5-a02d-de2a632f9968", "nonsense"]) {
      await expect(thread.invoke({ checkpoint_id: id })).rejects.toMatchObject({
        status: 404,
        code: "checkpoint_not_found",
        details: { checkpoint_id: id },
      });
    }
    expect(await thread.rowCounts()).toEqual(before);
  });
});

describe("answering an older checkpoint again", () => {
  it("opens a branch with the new answer and keeps the old one", async () => {
    deploy({ ask });
    const thread = new TestThread();
    const paused = await thread.invoke({ input: { log: ["in"] } });
    const [id] = paused.interrupts.map((question) => question.id);
    const yes = await thread.resume({ interrupt_id: id, value: "yes" });
    await thread.evict();
    const no = await thread.resume({ interrupt_id: id, value: "no", checkpoint_id: paused.checkpoint_id });
    expect(no).toMatchObject({ status: "success", values: { log: ["in", "no", "after"] } });
    expect(idOf(await thread.state())).toBe(no.checkpoint_id);
    expect((await thread.state(yes.checkpoint_id)).values).toEqual({ log: ["in", "yes", "after"] });
    await expect(thread.resume({ interrupt_id: id, value: "again" })).rejects.toMatchObject({ status: 409 });
  });
});

describe("editing the state", () => {
  it("adds a checkpoint as if a node had returned the values", async () => {
    deploy({ ask });
    const thread = new TestThread();
    const paused = await thread.invoke({ input: { log: ["in"] } });
    const checkpoint = await thread.update({ values: { log: ["by hand"] }, as_node: "ask" });
    expect(checkpoint).toMatchObject({ thread_id: thread.id, checkpoint_ns: "" });
    const state = await thread.state();
    expect(state).toMatchObject({
      values: { log: ["in", "by hand"] },
      next: ["after"],
      checkpoint,
      parent_checkpoint: { checkpoint_id: paused.checkpoint_id },
      metadata: { source: "update" },
    });
    await thread.evict();
    expect((await thread.invoke()).values).toEqual({ log: ["in", "by hand", "after"] });
  });

  it("can branch off an older checkpoint", async () => {
    deploy({ chain });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["in"] } });
    const old = (await thread.history()).find((state) => state.next[0] === "b");
    const checkpoint = await thread.update({
      values: { log: ["patched"] },
      as_node: "a",
      checkpoint_id: idOf(old),
    });
    expect((await thread.state()).checkpoint).toEqual(checkpoint);
    expect((await thread.invoke()).values).toEqual({ log: ["in", "a", "patched", "b", "c"] });
  });

  it("is refused without a trace for a node, a checkpoint or a thread that is not there", async () => {
    deploy({ chain });
    const thread = new TestThread();
    await thread.invoke({ input: { log: ["in"] } });
    const before = await thread.rowCounts();
    const values = { log: ["x"] };
    await expect(thread.update({ values, as_node: "zzz" })).rejects.toMatchObject({
      status: 400,
      code: "unknown_node",
      details: { node: "zzz" },
    });
    await expect(thread.update({ values, checkpoint_id: "zzz" })).rejects.toMatchObject({
      status: 404,
      code: "checkpoint_not_found",
    });
    expect(await thread.rowCounts()).toEqual(before);
  });
});
