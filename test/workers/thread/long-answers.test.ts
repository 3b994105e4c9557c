import { describe, expect, it } from "vitest";
import { Annotation, END, START, StateGraph } from "../../../src/index.ts";
import { Log } from "../../support/log.ts";
import { TestThread, type WireState } from "../../support/threads.ts";
import { deploy } from "../graphs.ts";

const State = Annotation.Root({ ...Log.spec, documents: Annotation<readonly string[]>() });

/** Idles for some supersteps, so that there are as many states. */
const idle = new StateGraph(State)
  .addNode("idle", () => ({ log: ["n"] }))
  .addEdge(START, "idle")
  .addConditionalEdges("idle", (state) => (state.log.length < 10 ? "idle" : END))
  .compile();

const document = "x".repeat(6_000_000);

describe("a history that is long as text", () => {
  it("comes in pages that are whole, and `before` goes on", { timeout: 20_000 }, async () => {
    deploy({ idle });
    const thread = new TestThread();
    await thread.invoke({ input: { log: [], documents: [document] } });
    const found: WireState[] = [];
    for (let before = ""; ;) {
      const page = await thread.history(`?limit=1000${before}`);
      const last = page.at(-1);
      if (last === undefined) break;
      expect(page.length).toBeLessThanOrEqual(5);
      found.push(...page.map((state) => ({ ...state, values: { log: state.values["log"] } })));
      before = `&before=${last.checkpoint.checkpoint_id}`;
    }
    expect(found.length).toBe(12);
    expect(new Set(found.map((state) => state.checkpoint.checkpoint_id)).size).toBe(12);
  });
});

describe("an answer that is long", () => {
  it("comes as it was, wherever its text is cut", { timeout: 20_000 }, async () => {
    // Between them are three characters: in one of them each part ends between the halves of a pair.
    const documents = Array.from({ length: 2 }, () => "\u{1f30a}".repeat(1_200_000));
    const graph = new StateGraph(State)
      .addNode("make", () => ({ documents }))
      .addEdge(START, "make")
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const { values } = await thread.invoke({ input: { log: [] } });
    expect(JSON.stringify(values["documents"]) === JSON.stringify(documents)).toBe(true);
  });
});

describe("an answer that is too long", () => {
  it("is refused with what to do, and the run is kept", { timeout: 20_000 }, async () => {
    // The same text many times is stored once.
    const graph = new StateGraph(State)
      .addNode("many", () => ({ documents: Array.from({ length: 12 }, () => document) }))
      .addEdge(START, "many")
      .addEdge("many", END)
      .compile();
    deploy({ graph });
    const thread = new TestThread();
    const tooLarge = { status: 507, code: "response_too_large", details: { limit: 48 * 1024 * 1024 } };
    await expect(thread.invoke({ input: { log: ["in"] } })).rejects.toMatchObject(tooLarge);
    expect(await thread.sql("SELECT status FROM runs")).toEqual([{ status: "success" }]);
    await expect(thread.state()).rejects.toMatchObject(tooLarge);
    await expect(thread.history()).rejects.toMatchObject(tooLarge);
  });
});
