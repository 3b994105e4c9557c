import { describe, expect, it } from "vitest";
import {
  Command,
  END,
  entrypoint,
  MemorySaver,
  Send,
  START,
  StateGraph,
  task,
  UnknownInterruptError,
} from "tidemark";
import { chain, historyOf, State, thread } from "./support.ts";

/** What is given wrong is refused with a code, and what it is about. */

const graph = () => chain({ a: () => ({}) }).compile({ checkpointer: new MemorySaver() });

describe("a run is refused, before anything is stored,", () => {
  it.each([
    ["a durability that there is not", { durability: "bogus" }, "invalid_durability", "sync, async, exit"],
    ["a stream mode that there is not", { streamMode: "bogus" }, "invalid_stream_mode", "values, updates"],
    ["one among others", { streamMode: ["values", "bogus"] }, "invalid_stream_mode", "bogus"],
  ])("for %s", async (_, options, code, text) => {
    const refused = graph();
    // As a caller without types gives it.
    await expect(refused.invoke({ v: 1 }, { ...thread, ...(options as object) })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(text),
    });
    expect(await historyOf(refused)).toEqual([]);
  });

  it.each([0, -5, Number.NaN])("for a stepTimeout of %d", async (stepTimeout) => {
    const refused = graph().withOptions({ stepTimeout });
    await expect(refused.invoke({ v: 1 }, thread)).rejects.toMatchObject({
      code: "invalid_step_timeout",
      details: { stepTimeout },
    });
    expect(await historyOf(refused)).toEqual([]);
  });
});

it.each([-1, Number.NaN])("a history with a limit of %d is refused", async (limit) => {
  await expect(graph().getStateHistory(thread, { limit }).next()).rejects.toMatchObject({
    code: "invalid_limit",
    details: { limit },
  });
});

describe("a policy that cannot be kept is refused by the name of its node:", () => {
  it.each([
    ["retryPolicy", { maxAttempts: 0 }],
    ["retryPolicy", { maxAttempts: Number.NaN }],
    ["cachePolicy", { ttl: -1 }],
    ["timeout", -1],
    ["timeout", { idleTimeout: 1, refreshOn: "never" }],
  ])("%s %j", (kind, policy) => {
    const refusal = expect.objectContaining({ code: "invalid_graph", details: { node: "a" } });
    const builder = () => new StateGraph(State);
    const action = (): object => ({});
    expect(() =>
      builder()
        .addNode("a", action, { [kind]: policy })
        .addEdge(START, "a")
        .compile(),
    ).toThrow(refusal);
    expect(() =>
      builder()
        .setNodeDefaults({ [kind]: policy })
        .addNode("a", action)
        .addEdge(START, "a")
        .compile(),
    ).toThrow(refusal);
    const name = kind === "retryPolicy" ? "retry" : kind;
    expect(() => task({ name: "a", [name]: policy }, action)).toThrow(refusal);
  });

  it("of an entrypoint, and of a Send", async () => {
    expect(() => entrypoint({ name: "a", timeout: -1 }, () => 1)).toThrow(
      expect.objectContaining({ details: { node: "a" } }),
    );
    const sends = new StateGraph(State)
      .addNode("w", () => ({}))
      .addConditionalEdges(START, () => new Send("w", {}, { timeout: -1 }), ["w"]);
    await expect(sends.compile().invoke({ v: 1 })).rejects.toMatchObject({ details: { node: "w" } });
  });
});

it("a Command with a Send to END is refused, as an END by name is not", async () => {
  const sent = graph();
  const goto = (target: Send | "__end__"): Promise<unknown> =>
    sent.invoke(new Command({ goto: target }), thread);
  await sent.invoke({ v: 1 }, thread);
  const before = await historyOf(sent);
  await expect(goto(new Send(END, {}))).rejects.toMatchObject({
    code: "unknown_node",
    details: { node: END },
  });
  expect(await historyOf(sent)).toEqual(before);
  await expect(goto(END)).resolves.toMatchObject({ v: 1 });
});

it("a node's Send to END is an error that names it", async () => {
  const sends = chain({ a: () => new Command({ goto: new Send(END, {}) }) }).compile();
  await expect(sends.invoke({ v: 1 })).rejects.toMatchObject({
    name: "UnknownNodeError",
    details: { node: END },
  });
});

it("an answer where nothing is asked is told so", () => {
  expect(new UnknownInterruptError("not_pending", [], []).message).toBe(
    "There is no interrupt to answer (none is pending). Nothing was applied.",
  );
});
