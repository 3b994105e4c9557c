import { describe, expect, it } from "vitest";
import {
  ours,
  START,
  theirs,
  type Compiled,
  type CompileOptions,
  type Config,
  type Library,
} from "./engine.ts";
import { graphOf, later } from "./policy-cases.ts";
import { showError } from "./show.ts";

/** Calls that fail, fail alike: by the name of the error and LangGraph's code. */

const config: Config = { configurable: { thread_id: "t" } };

const oneNode = (library: Library, run: () => unknown, options: CompileOptions = {}): Compiled =>
  graphOf(library).addNode("a", run).addEdge(START, "a").compile(options);

const twoNodes = (library: Library, one: unknown, two: unknown): Compiled =>
  graphOf(library)
    .addNode("a", () => one)
    .addNode("b", () => two)
    .addEdge(START, "a")
    .addEdge(START, "b")
    .compile();

const calls: Record<string, (library: Library) => Promise<unknown>> = {
  "two values for one key": (library) => twoNodes(library, { last: 1 }, { last: 2 }).invoke({ log: [] }),
  "two Overwrites in one superstep": (library) =>
    twoNodes(library, { log: new library.Overwrite(["a"]) }, { log: new library.Overwrite(["b"]) }).invoke({
      log: [],
    }),
  "an update that is a number": (library) => oneNode(library, () => 5).invoke({ log: [] }),
  "an update that is a list of other things": (library) => oneNode(library, () => [1]).invoke({ log: [] }),
  "more supersteps than allowed": (library) =>
    graphOf(library)
      .addNode("a", () => ({}))
      .addEdge(START, "a")
      .addEdge("a", "a")
      .compile()
      .invoke({ log: [] }, { recursionLimit: 2 }),
  "nothing to begin with": (library) =>
    oneNode(library, () => ({}), { checkpointer: new library.MemorySaver() }).invoke(null, config),
  "an empty resume": async (library) => {
    const graph = oneNode(library, () => ({ log: [library.interrupt("q")] }), {
      checkpointer: new library.MemorySaver(),
    });
    await graph.invoke({ log: [] }, config);
    return graph.invoke(new library.Command({ resume: null }), config);
  },
  "an edit that could be of two nodes": async (library) => {
    const graph = graphOf(library)
      .addNode("a", () => ({ log: ["a"] }))
      .addNode("b", () => ({ log: ["b"] }))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .compile({ checkpointer: new library.MemorySaver() });
    await graph.invoke({ log: [] }, config);
    return graph.updateState(config, { log: ["edit"] });
  },
  "what a node throws": (library) =>
    oneNode(library, () => {
      throw new RangeError("own");
    }).invoke({ log: [] }),
  "a run that its caller has cancelled": (library) => {
    const controller = new AbortController();
    const graph = oneNode(library, async () => {
      controller.abort(new Error("enough"));
      await later(5);
      return {};
    });
    return graph.invoke({ log: [] }, { signal: controller.signal });
  },
};

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => "no failure",
    (error: unknown) => showError(error),
  );
}

describe("as in LangGraph", () => {
  it.each(Object.entries(calls))("%s", async (_, call) => {
    const expected = await failureOf(call(theirs));
    expect(expected).not.toBe("no failure");
    expect(await failureOf(call(ours))).toEqual(expected);
  });
});

/** Refused by both, here by typed errors of their own. */
const refused: Record<string, (library: Library) => unknown> = {
  "a root graph that is to have its parent's history": (library) =>
    oneNode(library, () => ({}), { checkpointer: true }).invoke({ log: [] }, config),
  "a saver without the id of a thread": (library) =>
    oneNode(library, () => ({}), { checkpointer: new library.MemorySaver() }).invoke({ log: [] }, {}),
  "a timeout of nothing": (library) =>
    graphOf(library)
      .addNode("a", () => ({}), { timeout: 0 })
      .addEdge(START, "a")
      .compile(),
  "a timeout below nothing": (library) => library.task({ name: "a", timeout: -1 }, () => 1),
  "a task that is a generator": (library) =>
    library.task("a", function* () {
      yield 1;
    }),
  "an entrypoint that is a generator": (library) =>
    library.entrypoint({ name: "a" }, function* () {
      yield 1;
    }),
};

describe("refused, as in LangGraph", () => {
  it.each(Object.entries(refused))("%s", async (_, attempt) => {
    for (const library of [theirs, ours])
      expect(await failureOf((async () => attempt(library))())).not.toBe("no failure");
  });
});

it("a question without a saver has LangGraph's code", async () => {
  for (const library of [theirs, ours])
    await expect(
      oneNode(library, () => ({ log: [library.interrupt("q")] })).invoke({ log: [] }),
    ).rejects.toMatchObject({ lc_error_code: "MISSING_CHECKPOINTER" });
});
