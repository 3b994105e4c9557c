import { expect, it, vi } from "vitest";
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

/** What a call says of its run, and what holds when it says nothing: the same in both engines. */

const config: Config = { configurable: { thread_id: "t" } };

async function expectSame(play: (library: Library) => Promise<unknown>): Promise<void> {
  const expected = await play(theirs);
  expect(expected).toBeDefined();
  expect(await play(ours)).toEqual(expected);
}

async function chunksOf(graph: Compiled, input: unknown, options: Config): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of await graph.stream(input, options)) chunks.push(chunk);
  return chunks;
}

const chain = (library: Library): ReturnType<typeof graphOf> =>
  graphOf(library)
    .addNode("a", () => ({ log: ["a"] }))
    .addNode("b", () => ({ log: ["b"] }))
    .addEdge(START, "a")
    .addEdge("a", "b");

it("a stream without a mode", async () => {
  await expectSame((library) => chunksOf(chain(library).compile({}), { log: ["in"] }, {}));
  await expectSame((library) => chunksOf(chain(library).compile({}), { log: ["in"] }, { subgraphs: true }));
  await expectSame((library) =>
    chunksOf(
      library.entrypoint({ name: "flow" }, (input: number) => input + 1),
      1,
      {},
    ),
  );
});

it("checkpoints are streamed where there is a saver", async () => {
  const options = { ...config, streamMode: ["checkpoints", "updates"] };
  const modesWith = (savers: (library: Library) => CompileOptions) => async (library: Library) =>
    (await chunksOf(chain(library).compile(savers(library)), { log: ["in"] }, options)).map(
      (chunk) => (chunk as [string])[0],
    );
  await expectSame(modesWith(() => ({})));
  await expectSame(modesWith(({ MemorySaver }) => ({ checkpointer: new MemorySaver() })));
});

it("without a limit a run has 25 supersteps, or what its graph was bound to", async () => {
  await expectSame(async (library) => {
    let calls = 0;
    const graph = graphOf(library)
      .addNode("a", () => {
        calls++;
        return {};
      })
      .addEdge(START, "a")
      .addEdge("a", "a")
      .compile({}) as Compiled & { withConfig(config: Config): Compiled };
    const seen: unknown[] = [];
    for (const runs of [graph, graph.withConfig({ recursionLimit: 4 })]) {
      calls = 0;
      const ended = await runs.invoke({ log: [] }).catch((error: unknown) => (error as Error).name);
      seen.push([ended, calls]);
    }
    return seen;
  });
});

it("no more tasks run at a time than a call allows", async () => {
  await expectSame(async (library) => {
    let running = 0;
    let most = 0;
    const graph = graphOf(library)
      .addNode("w", async (state) => {
        most = Math.max(most, ++running);
        await later(2);
        running--;
        return { log: [state["i"]] };
      })
      .addConditionalEdges(START, () => [0, 1, 2, 3, 4].map((i) => new library.Send("w", { i })), ["w"])
      .compile({});
    const seen: unknown[] = [];
    for (const maxConcurrency of [2, 3, 5, undefined]) {
      most = 0;
      const { log } = await graph.invoke({ log: [] }, { maxConcurrency });
      seen.push([maxConcurrency, most, log]);
    }
    return seen;
  });
});

it("a superstep that takes longer than the graph allows keeps what has finished, and is gone on from", async () => {
  await expectSame(async (library) => {
    const calls: string[] = [];
    const graph = graphOf(library)
      .addNode("quick", () => {
        calls.push("quick");
        return { log: ["quick"] };
      })
      .addNode("slow", async () => {
        calls.push("slow");
        if (calls.length < 3) await later(150);
        return { log: ["slow"] };
      })
      .addEdge(START, "quick")
      .addEdge(START, "slow")
      .compile({ checkpointer: new library.MemorySaver() }) as Compiled & { stepTimeout?: number };
    graph.stepTimeout = 50;
    const first = await graph.invoke({ log: [] }, config).catch(() => "failed");
    const { next } = await graph.getState(config);
    const { log } = await graph.invoke(null, config);
    return { first, next, log, calls };
  });
});

it.each(["of the graph around", "of its own"])(
  "the step timeout %s ends a graph inside a node",
  async (whose) => {
    await expectSame(async (library) => {
      const calls: string[] = [];
      const heard: boolean[] = [];
      const inner = graphOf(library)
        .addNode("quick", () => {
          calls.push("quick");
          return { log: ["quick"] };
        })
        .addNode("slow", async (_, { signal }) => {
          calls.push("slow");
          if (calls.length > 2) return { log: ["slow"] };
          await later(150);
          heard.push(signal?.aborted === true);
          return { log: ["too late"] };
        })
        .addEdge(START, "quick")
        .addEdge("quick", "slow")
        .compile({}) as Compiled & { stepTimeout?: number };
      const outer = graphOf(library)
        .addNode("inner", inner)
        .addEdge(START, "inner")
        .compile({ checkpointer: new library.MemorySaver() }) as Compiled & { stepTimeout?: number };
      (whose === "of its own" ? inner : outer).stepTimeout = 50;
      const first = await outer.invoke({ log: [] }, config).catch(() => "failed");
      const { next } = await outer.getState(config);
      await later(200);
      const { log } = await outer.invoke(null, config);
      return { first, next, log, calls, heard };
    });
  },
);

it("the pauses between attempts are as long, with chance and without", async () => {
  const chance = vi.spyOn(Math, "random").mockReturnValue(0.03);
  try {
    await expectSame(async (library) => {
      const pauses: unknown[] = [];
      const timers = vi.spyOn(globalThis, "setTimeout");
      const policies = [{}, { jitter: true, initialInterval: 2 }, { jitter: false, initialInterval: 40 }];
      for (const policy of policies) {
        const retryPolicy = { initialInterval: 1, backoffFactor: 3, logWarning: false, ...policy };
        const graph = graphOf(library)
          .addNode("fails", () => Promise.reject(new Error("x")), { retryPolicy })
          .addEdge(START, "fails")
          .compile({});
        await expect(graph.invoke({ log: [] })).rejects.toThrow("x");
        pauses.push(timers.mock.calls.map(([, pause]) => pause).filter((pause = 0) => pause >= 30));
        timers.mockClear();
      }
      timers.mockRestore();
      return pauses;
    });
  } finally {
    chance.mockRestore();
  }
});

it("a reader that leaves ends the run, and the thread goes on from where it was", async () => {
  await expectSame(async (library) => {
    let calls = 0;
    let isAborted = false;
    const graph = graphOf(library)
      .addNode("a", () => ({ log: ["a"] }))
      .addNode("slow", async (_, { signal, writer }) => {
        if (++calls > 1) return { log: ["slow"] };
        const told = new Promise((resolve) => {
          signal?.addEventListener("abort", resolve);
        });
        writer?.("begun");
        await told;
        isAborted = true;
        return { log: ["too late"] };
      })
      .addEdge(START, "a")
      .addEdge("a", "slow")
      .compile({ checkpointer: new library.MemorySaver() });
    for await (const chunk of await graph.stream({ log: [] }, { ...config, streamMode: "custom" })) {
      expect(chunk).toBe("begun");
      break;
    }
    await later(5);
    const { log } = await graph.invoke(null, config);
    expect([isAborted, calls, log]).toEqual([true, 2, ["a", "slow"]]);
    return log;
  });
});

it("a run under the id of the one before it", async () => {
  await expectSame(async (library) => {
    const graph = chain(library).compile({ checkpointer: new library.MemorySaver() });
    const runId = "00000000-0000-4000-8000-000000000001";
    const first = await graph.invoke({ log: ["in"] }, { ...config, runId, interruptBefore: ["b"] });
    const second = await graph.invoke({ log: ["in"] }, { ...config, runId });
    const { next } = await graph.getState(config);
    return [first["log"], second["log"], next];
  });
});

it("a graph that a node invokes knows what the caller has configured", async () => {
  await expectSame(async (library) => {
    const seen: unknown[] = [];
    const note = (_: unknown, { configurable, tags, context }: Config): object => {
      seen.push([configurable?.["user"], configurable?.["own"], tags, context]);
      return {};
    };
    const inner = graphOf(library).addNode("in", note).addEdge(START, "in").compile();
    const graph = graphOf(library)
      .addNode("out", async () => inner.invoke({}, { configurable: { own: 1 } }))
      .addEdge(START, "out")
      .compile({ checkpointer: new library.MemorySaver() });
    const context = { role: "admin" };
    await graph.invoke({}, { configurable: { thread_id: "t", user: "u" }, context });
    return seen.map((each) => JSON.stringify(each).replaceAll(/"(seq|graph):step:\d+",?/g, ""));
  });
});
