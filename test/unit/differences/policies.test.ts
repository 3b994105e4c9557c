import { InMemoryCache as TheirCache } from "@langchain/langgraph-checkpoint";
import { expect, it, vi } from "vitest";
import { InMemoryCache } from "tidemark/checkpoint";
import { ours, START } from "../oracle/engine.ts";
import { graphOf, quick } from "../oracle/policy-cases.ts";
import { both, config, later } from "./both.ts";

/** docs/differences.md: policies of nodes, runs. */

it("a retry writes nothing to the console", async () => {
  const seen = await both(async (library) => {
    const methods = ["warn", "log", "error", "info"] as const;
    const spies = methods.map((method) => vi.spyOn(console, method).mockImplementation(() => undefined));
    let calls = 0;
    const graph = graphOf(library)
      .addNode(
        "a",
        () => {
          if (calls++ === 0) throw new Error("once");
          return {};
        },
        { retryPolicy: { initialInterval: 1, jitter: false } },
      )
      .addEdge(START, "a")
      .compile();
    await graph.invoke({ log: [] });
    const lines = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
    vi.restoreAllMocks();
    return lines;
  });
  expect(seen).toEqual({ here: 0, there: 1 });
});

it.each([
  ["with a saver: goes on in its graph", true, ["a", "b", "b"]],
  ["without a saver: begins it anew", false, ["a", "b", "a", "b"]],
])("another attempt of a node, %s", async (_, isSaved, here) => {
  const seen = await both(async (library) => {
    const calls: string[] = [];
    const inner = graphOf(library)
      .addNode("a", () => {
        calls.push("a");
        return {};
      })
      .addNode("b", () => {
        calls.push("b");
        if (calls.length === 2) throw new Error("once");
        return {};
      })
      .addEdge(START, "a")
      .addEdge("a", "b")
      .compile();
    const graph = graphOf(library)
      .addNode(
        "p",
        async () => {
          await inner.invoke({ log: ["in"] });
          return {};
        },
        { retryPolicy: quick },
      )
      .addEdge(START, "p")
      .compile(isSaved ? { checkpointer: new library.MemorySaver() } : {});
    await graph.invoke({ log: [] }, config);
    return calls;
  });
  expect(seen).toEqual({ here, there: ["a", "b", "a", "b"] });
});

it("after a restart an error handler gets the error with its code and cause", async () => {
  const seen = await both(async (library) => {
    const checkpointer = new library.MemorySaver();
    const graph = () =>
      graphOf(library)
        .addNode(
          "a",
          () => {
            throw Object.assign(new RangeError("broken", { cause: new Error("why") }), { code: "E" });
          },
          {
            errorHandler: (_: unknown, { error }: { error: Error & { code?: string } }) => {
              library.interrupt("go on?");
              const cause = error.cause instanceof Error ? error.cause.message : error.cause;
              return { log: [error.name, error.message, error.code, cause] };
            },
          },
        )
        .addEdge(START, "a")
        .compile({ checkpointer });
    await graph().invoke({ log: [] }, config);
    return (await graph().invoke(new library.Command({ resume: "yes" }), config))["log"];
  });
  expect(seen).toEqual({
    here: ["RangeError", "broken", "E", "why"],
    there: ["RangeError", "broken", undefined, undefined],
  });
});

it("with durability async no superstep begins before the checkpoint it stands on is stored", async () => {
  const seen = await both(async (library) => {
    const events: string[] = [];
    const saver = new library.MemorySaver();
    const put = saver.put.bind(saver);
    saver.put = async (at, checkpoint, ...rest) => {
      await later(10);
      const stored = await put(at, checkpoint, ...rest);
      events.push("stored");
      return stored;
    };
    const step = (name: string) => () => {
      events.push(name);
      return {};
    };
    const graph = graphOf(library)
      .addNode("a", step("a"))
      .addNode("b", step("b"))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: saver });
    await graph.invoke({ log: [] }, { ...config, durability: "async" });
    return events.join(" ");
  });
  expect(seen).toEqual({
    here: "stored stored a stored b stored",
    there: "a b stored stored stored stored",
  });
});

it("a cached task is called once in a run too", async () => {
  const seen = await both(async (library) => {
    let calls = 0;
    const double = library.task({ name: "double", cachePolicy: { keyFunc: String } }, async (n: number) => {
      calls++;
      return n * 2;
    });
    const cache = library === ours ? new InMemoryCache() : new TheirCache();
    const run = async (n: number): Promise<unknown[]> => {
      const inTurn = [await double(n), await double(n), await double(n)];
      return [inTurn, await Promise.all([double(n), double(n)])];
    };
    const several = library.entrypoint({ name: "several", cache }, run);
    const result = await several.invoke(2, config).catch((error: Error) => error.message.slice(0, 20));
    return [result, calls];
  });
  expect(seen).toEqual({
    here: [
      [
        [4, 4, 4],
        [4, 4],
      ],
      1,
    ],
    there: ["BUG: multiple return", 2],
  });
});

it("a graph inside a task is stored at the end of a run too", async () => {
  const seen = await both(async (library) => {
    const inner = graphOf(library)
      .addNode("in", () => ({ log: ["in"] }))
      .addEdge(START, "in")
      .compile();
    const saver = new library.MemorySaver();
    const graph = graphOf(library)
      .addNode("inner", inner)
      .addEdge(START, "inner")
      .compile({ checkpointer: saver });
    await graph.invoke({}, { ...config, durability: "exit" });
    const namespaces: string[] = [];
    for await (const tuple of saver.list(config))
      namespaces.push(String(tuple.config.configurable?.["checkpoint_ns"]).split(":")[0] ?? "");
    return namespaces.toSorted();
  });
  expect(seen).toEqual({ here: ["", "inner"], there: [""] });
});

it("one task at a time is all tasks, one after the other", async () => {
  const left = await both(async (library) => {
    const graph = graphOf(library)
      .addConditionalEdges(START, () => [0, 1, 2].map((i) => new library.Send("w", { i })), ["w"])
      .addNode("w", async (state) => {
        await later(1);
        return { log: [state["i"]] };
      })
      .compile({ checkpointer: new library.MemorySaver() });
    const { log } = await graph.invoke({ log: [] }, { ...config, maxConcurrency: 1 });
    return { log, next: (await graph.getState(config)).next };
  });
  expect(left.there).toEqual({ log: [], next: ["w", "w"] });
  expect(left.here).toEqual({ log: [0, 1, 2], next: [] });
});
