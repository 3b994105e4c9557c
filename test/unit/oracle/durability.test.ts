import { expect, it } from "vitest";
import { ours, START, theirs, type Library } from "./engine.ts";
import { graphOf } from "./policy-cases.ts";
import { showError } from "./show.ts";

type Step = "input" | "answer" | "go on";

/** What two runs that differ in no ids leave behind, with everything that ids are part of left out. */
async function leftBy(library: Library, more: object, steps: readonly Step[]): Promise<unknown> {
  const saver = new library.MemorySaver();
  let calls = 0;
  const graph = graphOf(library)
    .addNode("a", () => ({ log: ["a"] }))
    .addNode("p", () => ({ log: ["p"] }))
    .addNode("ask", () => ({ log: [library.interrupt("q")] }))
    .addNode("c", async () => {
      if (calls++ === 0) throw new Error("first");
      return { log: ["c"] };
    })
    .addNode("d", () => ({ log: ["d"] }))
    .addEdge(START, "a")
    .addEdge("a", "p")
    .addEdge("a", "ask")
    .addEdge("ask", "c")
    .addEdge("c", "d")
    .compile({ checkpointer: saver });
  const inputs = {
    input: { log: ["in"] },
    answer: new library.Command({ resume: "yes" }),
    "go on": null,
  };
  const config = { configurable: { thread_id: "t" } };
  const record: unknown[] = [];
  for (const step of steps) {
    const run = graph.invoke(inputs[step], { ...config, ...more });
    const ended = await run.catch((error: unknown) => ({ error: showError(error) }));
    const saved = [];
    for await (const { checkpoint, metadata, parentConfig, pendingWrites } of saver.list(config)) {
      const { __interrupt__: _, ...seen } = checkpoint.versions_seen;
      const outputs = (pendingWrites ?? []).filter(
        ([, channel]) => !/^__(error|interrupt|resume)/.test(channel),
      );
      saved.push({
        source: metadata?.source,
        step: metadata?.step,
        hasParent: parentConfig !== undefined,
        versions: checkpoint.channel_versions,
        // LangGraph saves defaults too.
        log: checkpoint.channel_versions["log"] && checkpoint.channel_values["log"],
        seen,
        writes: outputs.map(([, channel, value]) => [channel, value]),
      });
    }
    const { log, error } = ended as { log?: unknown; error?: unknown };
    record.push({
      log,
      error,
      saved,
      next: (await graph.getState(config)).next.filter((name) => name !== "ask"),
    });
  }
  return record;
}

const ALL: readonly Step[] = ["input", "answer", "go on", "input", "answer"];

it.each([
  ["exit", { durability: "exit" }],
  ["exit, by its older name", { checkpointDuring: false }],
  ["sync", { durability: "sync" }],
  ["async", { durability: "async" }],
  ["async, by its older name", { checkpointDuring: true }],
])("durability %s leaves what it leaves in LangGraph", async (_, more) => {
  const withPolicy = { ...more, onInterrupted: "discard" };
  expect(await leftBy(ours, withPolicy, ALL)).toEqual(await leftBy(theirs, withPolicy, ALL));
});

/** What a thread has after each of several runs that store once, when each superstep writes another key. */
async function valuesLeftBy(library: Library, fails: "not" | "once" | "asks"): Promise<unknown> {
  const { Annotation, interrupt, StateGraph } = library;
  const saver = new library.MemorySaver();
  const reducer = (left: string[], right: string[]): string[] => left.concat(right);
  const log = Annotation({ reducer, default: (): string[] => [] });
  const State = Annotation.Root({ log, first: Annotation(), second: Annotation() });
  const inner = new StateGraph(State)
    .addNode("deep", () => ({ second: "deep" }))
    .addNode("deeper", ({ second }) => ({ log: [`deeper after ${String(second)}`] }))
    .addEdge(START, "deep")
    .addEdge("deep", "deeper")
    .compile();
  let calls = 0;
  const graph = new StateGraph(State)
    .addNode("a", ({ first }) => ({ log: [`a: ${String(first)}`], second: "by a" }))
    .addNode("inner", inner)
    .addNode("b", () => {
      if (fails === "asks") return { log: [String(interrupt("q"))] };
      if (fails === "once" && calls++ === 0) throw new Error("first");
      return { log: ["b"] };
    })
    .addNode("c", () => ({ second: "by c" }))
    .addEdge(START, "a")
    .addEdge("a", "inner")
    .addEdge("inner", "b")
    .addEdge("b", "c")
    .compile({ checkpointer: saver });
  const config = { configurable: { thread_id: "t" } };
  const record: unknown[] = [];
  for (const input of [{ first: "one" }, null, { log: ["in"] }, null]) {
    const isPaused = (await graph.getState(config)).next.length > 0;
    const next = fails === "asks" && isPaused ? new library.Command({ resume: "yes" }) : input;
    if (next === null && !isPaused) continue;
    await graph.invoke(next, { ...config, durability: "exit" }).catch(() => undefined);
    const { values, next: waiting } = await graph.getState(config);
    record.push(values, waiting);
  }
  return record;
}

it.each(["not", "once", "asks"] as const)(
  "durability exit keeps what each superstep has written, also when the run is cut short (%s)",
  async (fails) => {
    const left = await valuesLeftBy(ours, fails);
    expect(left).toEqual(await valuesLeftBy(theirs, fails));
    expect(JSON.stringify(left)).toContain("deeper after deep");
  },
);

it("both names at once are refused", async () => {
  const more = { durability: "exit", checkpointDuring: false };
  const [our] = (await leftBy(ours, more, ["input"])) as [{ error: unknown }];
  const [their] = (await leftBy(theirs, more, ["input"])) as [{ error: unknown }];
  expect(our.error).toMatchObject({ threw: "InvalidArgumentError" });
  expect(their.error).toMatchObject({ threw: "Error" });
});
