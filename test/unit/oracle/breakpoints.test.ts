import { describe, expect, it } from "vitest";
import { START, type CompileOptions } from "./engine.ts";
import { graphOf } from "./policy-cases.ts";
import { compare, type Build, type Script } from "./session.ts";

const abc: Build = (library) =>
  graphOf(library)
    .addNode("a", () => ({ log: ["a"] }))
    .addNode("p", () => ({ log: ["p"] }))
    .addNode("b", () => ({ log: ["b"] }))
    .addNode("c", () => ({ log: ["c"] }))
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("a", "p")
    .addEdge("b", "c");

/** What is kept of breakpoints that were passed, by checkpoint. */
const passed: Script = async (thread) => {
  const saved = await thread.saved();
  thread.record.push(saved.map(({ checkpoint }) => checkpoint.versions_seen["__interrupt__"]));
};

describe.each<[string, CompileOptions]>([
  ["before b", { interruptBefore: ["b"] }],
  ["after a", { interruptAfter: ["a"] }],
  ["before all", { interruptBefore: "*" }],
  ["after all", { interruptAfter: "*" }],
  ["after the last", { interruptAfter: ["c"] }],
  ["before b and after a", { interruptBefore: ["b"], interruptAfter: ["a"] }],
  ["nowhere", { interruptBefore: [], interruptAfter: [] }],
])("breakpoints %s, as in LangGraph", (_, options) => {
  it.each<[string, Script]>([
    [
      "continued",
      async (thread) => {
        await thread.stream({ log: ["in"] }, ["updates", "values"]);
        for (let count = 0; count < 4; count++) await thread.stream(null, ["updates", "values"]);
        await passed(thread);
      },
    ],
    [
      "with an update",
      async (thread) => {
        await thread.invoke({ log: ["in"] });
        await thread.update({ log: ["patch"] });
        await thread.invoke(null);
        await thread.invoke(null);
      },
    ],
    [
      "with new input",
      async (thread) => {
        await thread.invoke({ log: ["in"] });
        await thread.invoke({ log: ["more"] });
        await thread.invoke(null);
      },
    ],
    [
      "with a Command",
      async (thread) => {
        await thread.invoke({ log: ["in"] });
        await thread.invoke(thread.command({ goto: "b" }));
        await thread.invoke(null);
      },
    ],
  ])("%s", async (__, script) => {
    const result = await compare(abc, script, options);
    expect(result.ours).toEqual(result.theirs);
  });
});

it("breakpoints of a call", async () => {
  const result = await compare(abc, async (thread) => {
    await thread.invoke({ log: ["in"] }, { more: { interruptBefore: ["b"] } });
    await thread.invoke(null, { more: { interruptAfter: ["b", "unknown"] } });
    await thread.invoke(null);
  });
  expect(result.ours).toEqual(result.theirs);
});

const asks: Build = (library) =>
  graphOf(library)
    .addNode("a", () => ({ log: [library.interrupt("q")] }))
    .addNode("b", () => ({ log: ["b"] }))
    .addEdge(START, "a")
    .addEdge("a", "b");

it("a breakpoint before a question, and one after it", async () => {
  const script: Script = async (thread) => {
    await thread.invoke({ log: ["in"] });
    await thread.invoke(null);
    await thread.invoke(thread.command({ resume: "yes" }));
    await thread.invoke(null);
  };
  const result = await compare(asks, script, { interruptBefore: ["a"], interruptAfter: ["a"] });
  expect(result.ours).toEqual(result.theirs);
});

it("a checkpoint before a breakpoint", async () => {
  const result = await compare(
    abc,
    async (thread) => {
      await thread.invoke({ log: ["in"] });
      await thread.invoke(null);
      const history = await thread.history();
      const paused = history.find((snapshot) => snapshot.next.includes("b"));
      const at = String(paused?.config.configurable?.["checkpoint_id"]);
      await thread.invoke(null, { at });
      await thread.invoke(null);
    },
    { interruptBefore: ["b"] },
  );
  expect(result.ours).toEqual(result.theirs);
});
