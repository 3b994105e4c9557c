import { RunnableEach, RunnableLambda } from "@langchain/core/runnables";
import * as theirRoot from "@langchain/langgraph";
import * as theirChannels from "@langchain/langgraph/channels";
import * as theirPregel from "@langchain/langgraph/pregel";
import { describe, expect, it } from "vitest";
import * as ourRoot from "tidemark";
import * as ourChannels from "tidemark/channels";
import * as ourPregel from "tidemark/pregel";
import type { Compiled, Config } from "./engine.ts";
import { show } from "./show.ts";

/** Graphs made by hand of nodes and channels, on both engines. */

type Step = ((input: never) => unknown) | object;
interface Node {
  pipe(step: Step): Node;
  join(channels: readonly string[]): Node;
}
interface LowLevel {
  readonly Channel: {
    subscribeTo(channels: string | readonly string[], options?: object): Node;
    writeTo(channels: readonly string[], writes?: Record<string, unknown>): object;
  };
  readonly PregelNode: new (args: object) => Node;
  readonly Pregel: new (params: object) => Compiled & {
    batch(inputs: readonly unknown[], options?: Config): Promise<unknown[]>;
    withConfig(config: Config): Compiled;
    getSubgraphs(namespace?: string, recurse?: boolean): Iterable<readonly [string, unknown]>;
    readonly streamChannelsList: readonly string[];
    readonly streamChannelsAsIs: string | readonly string[];
  };
  readonly LastValue: new () => object;
  readonly EphemeralValue: new () => object;
  readonly Topic: new (options?: object) => object;
  readonly BinaryOperatorAggregate: new (
    reduce: (a: never, b: never) => unknown,
    initial?: () => unknown,
  ) => object;
  readonly MemorySaver: new () => object;
  readonly Command: new (params: object) => object;
  readonly Send: new (node: string, args: unknown) => object;
  readonly interrupt: (value: unknown) => unknown;
}

// The two have different types for what is the same at run time.
const ours = { ...ourRoot, ...ourChannels, ...ourPregel } as unknown as LowLevel;
const theirs = {
  ...theirRoot,
  ...theirChannels,
  ...theirPregel,
  PregelNode: (theirPregel.Channel.subscribeTo("x") as unknown as { constructor: unknown }).constructor,
} as unknown as LowLevel;

const addOne = (x: number): number => x + 1;
const thread = { configurable: { thread_id: "t" } };

/** What both come to, or throw. */
async function both(act: (library: LowLevel) => Promise<unknown>): Promise<void> {
  const [mine, their] = await Promise.all([ours, theirs].map((library) => outcome(() => act(library))));
  expect(mine).toEqual(their);
}

async function outcome(act: () => Promise<unknown>): Promise<unknown> {
  try {
    return { value: show(await act()) };
  } catch (error) {
    return { error: (error as Error).name };
  }
}

async function all(chunks: AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>): Promise<unknown[]> {
  const found = [];
  for await (const chunk of await chunks) found.push(chunk);
  return found;
}

const modes = ["values", "updates", ["values", "updates"]];

async function runs(app: Compiled, input: unknown, options: Config = {}): Promise<unknown[]> {
  const results: unknown[] = [await app.invoke(input, options), await all(app.stream(input, options))];
  for (const streamMode of modes) {
    results.push(await all(app.stream(input, { ...options, streamMode })));
    results.push(await app.invoke(input, { ...options, streamMode }));
  }
  return results;
}

/** input → one → inbox → two → output. */
function chain({ Channel, Pregel, LastValue }: LowLevel, more: object = {}) {
  return new Pregel({
    nodes: {
      one: Channel.subscribeTo("input")
        .pipe(addOne)
        .pipe(Channel.writeTo(["inbox"])),
      two: Channel.subscribeTo("inbox")
        .pipe(addOne)
        .pipe(Channel.writeTo(["output"])),
    },
    channels: { input: new LastValue(), inbox: new LastValue(), output: new LastValue() },
    inputChannels: "input",
    outputChannels: "output",
    ...more,
  });
}

describe("a graph made by hand", () => {
  it("runs, and shows what it is told to show", async () => {
    await both((library) => runs(chain(library), 2));
    await both((library) => runs(chain(library, { streamChannels: ["inbox", "output"] }), 2));
    await both((library) => runs(chain(library, { streamChannels: "output" }), 2));
    await both((library) => runs(chain(library, { streamChannels: "inbox" }), 2));
    await both((library) => runs(chain(library, { outputChannels: ["output"] }), 2));
    await both((library) => runs(chain(library, { inputChannels: ["input"] }), { input: 2 }));
    await both((library) => runs(chain(library, { streamMode: "updates" }), 2));
  });

  it("gives output by other channels than its own when a call says so", async () => {
    await both((library) => runs(chain(library), 2, { outputKeys: "inbox" }));
    await both((library) => runs(chain(library), 2, { outputKeys: ["output"] }));
  });

  it("names its channels", async () => {
    await both(async (library) => {
      const shown = [undefined, "output", ["input", "output"]].map((streamChannels) =>
        chain(library, streamChannels === undefined ? {} : { streamChannels }),
      );
      return shown.map((app) => [app.streamChannelsList, app.streamChannelsAsIs]);
    });
  });

  it("stops at its recursion limit, and runs a batch", async () => {
    for (const recursionLimit of [1, 2, 3])
      await both((library) => chain(library).invoke(2, { recursionLimit }));
    await both((library) => chain(library).batch([3, 2, 1, 3, 5]));
    await both((library) => chain(library).batch([3, 2, 1], { maxConcurrency: 1 }));
  });

  it("writes fixed values, and what functions make of the output", async () => {
    await both(({ Channel, Pregel, LastValue }) => {
      const app = new Pregel({
        nodes: {
          one: Channel.subscribeTo("input")
            .pipe(addOne)
            .pipe(
              Channel.writeTo(["a"], { b: 6, c: async (x: number) => x * 2, d: () => undefined, e: null }),
            ),
        },
        channels: Object.fromEntries(
          ["input", "a", "b", "c", "d", "e"].map((name) => [name, new LastValue()]),
        ),
        inputChannels: "input",
        outputChannels: ["a", "b", "c", "d", "e"],
      });
      return runs(app, 1);
    });
  });

  it("gives writes the output of the last step, wherever they were added", async () => {
    await both(({ Channel, Pregel, LastValue }) => {
      const app = new Pregel({
        nodes: {
          one: Channel.subscribeTo("input")
            .pipe(Channel.writeTo(["output"]))
            .pipe(addOne)
            .pipe(addOne),
        },
        channels: { input: new LastValue(), output: new LastValue() },
        inputChannels: "input",
        outputChannels: "output",
      });
      return runs(app, 1);
    });
  });

  it("reads one channel, the first of several, several by name, and waits for those that start it", async () => {
    await both(async ({ Channel, Pregel, PregelNode, LastValue }) => {
      const read = (node: Node, input: object): Promise<unknown> =>
        new Pregel({
          nodes: { node: node.pipe((value: unknown) => [value]).pipe(Channel.writeTo(["output"])) },
          channels: Object.fromEntries(["a", "b", "c", "output"].map((name) => [name, new LastValue()])),
          inputChannels: ["a", "b", "c"],
          outputChannels: "output",
        }).invoke(input);
      return [
        await read(Channel.subscribeTo("a"), { a: 1 }),
        await read(Channel.subscribeTo("a", { key: "k" }), { a: 1 }),
        await read(Channel.subscribeTo("a", { key: "k" }).join(["b", "c"]), { a: 1, c: 3 }),
        await read(Channel.subscribeTo(["a", "b"]), { a: 1 }),
        await read(Channel.subscribeTo(["a", "b"]), { a: 1, b: 2 }),
        await read(new PregelNode({ channels: ["b", "c"], triggers: ["a"] }), { a: 1, c: 3 }),
        await read(new PregelNode({ channels: ["b"], triggers: ["a"] }), { a: 1 }),
        await read(
          new PregelNode({
            channels: { x: "b", y: "a" },
            triggers: ["a"],
            mapper: (v: object) => ({ ...v, m: 1 }),
          }),
          {
            a: 1,
          },
        ),
      ];
    });
  });

  it("combines what several nodes write", async () => {
    await both(({ Channel, Pregel, LastValue, Topic }) => {
      const writer = () =>
        Channel.subscribeTo("input")
          .pipe(addOne)
          .pipe(Channel.writeTo(["inbox"]));
      const app = new Pregel({
        nodes: {
          one: writer(),
          three: writer(),
          four: Channel.subscribeTo("inbox")
            .pipe((x: number[]) => x.map((y) => y + 10))
            .pipe(Channel.writeTo(["output"])),
        },
        channels: { inbox: new Topic(), output: new LastValue(), input: new LastValue() },
        inputChannels: "input",
        outputChannels: "output",
      });
      return runs(app, 2);
    });
    await both(({ Channel, Pregel, LastValue }) => {
      const writer = () => Channel.subscribeTo("input").pipe(Channel.writeTo(["output"]));
      return new Pregel({
        nodes: { one: writer(), two: writer() },
        channels: { output: new LastValue(), input: new LastValue() },
        inputChannels: "input",
        outputChannels: "output",
      }).invoke(2);
    });
  });

  it("returns nothing where nothing was written", async () => {
    await both(({ Channel, Pregel, LastValue }) => {
      const app = new Pregel({
        nodes: {
          one: Channel.subscribeTo("input").pipe(Channel.writeTo(["between"])),
          two: Channel.subscribeTo("between").pipe(addOne),
        },
        channels: { input: new LastValue(), between: new LastValue(), output: new LastValue() },
        inputChannels: "input",
        outputChannels: "output",
      });
      return runs(app, 2);
    });
  });

  it("runs LangChain's runnables, also around its writes and around graphs", async () => {
    await both(async ({ Channel, Pregel, LastValue, Topic }) => {
      const inner = new Pregel({
        nodes: {
          one: Channel.subscribeTo("input")
            .pipe(addOne)
            .pipe(Channel.writeTo(["output"])),
        },
        channels: { output: new LastValue(), input: new LastValue() },
        inputChannels: "input",
        outputChannels: "output",
      });
      const app = new Pregel({
        nodes: {
          one: Channel.subscribeTo("input")
            .pipe(RunnableLambda.from((x: number[]) => x.map((y) => y + 10)))
            .pipe(new RunnableEach({ bound: Channel.writeTo(["inbox"]) as never })),
          two: Channel.subscribeTo("inbox")
            .pipe(() => new RunnableEach({ bound: inner as never }))
            .pipe((x: number[]) => x.toSorted((a, b) => a - b))
            .pipe(Channel.writeTo(["outbox"])),
          three: Channel.subscribeTo("outbox")
            .pipe((x: number[]) => x.reduce((a, b) => a + b, 0))
            .pipe(Channel.writeTo(["output"])),
        },
        channels: {
          inbox: new Topic(),
          outbox: new LastValue(),
          output: new LastValue(),
          input: new LastValue(),
        },
        inputChannels: "input",
        outputChannels: "output",
      });
      return runs(app, [2, 3]);
    });
  });

  it("keeps its state on a thread, stops at breakpoints and is updated as a node", async () => {
    await both(async (library) => {
      const app = chain(library, { checkpointer: new library.MemorySaver(), interruptAfter: ["one"] });
      const seen: unknown[] = [await app.invoke(2, thread)];
      const note = async (): Promise<void> => {
        const { values, next, metadata } = await app.getState(thread);
        seen.push({ values, next, step: metadata?.step, source: metadata?.source });
      };
      await note();
      seen.push(await app.invoke(null, thread));
      await note();
      seen.push(await app.invoke(20, thread));
      await app.updateState(thread, 25, "one");
      await note();
      seen.push(await app.invoke(null, thread));
      const history = [];
      for await (const { values, next, metadata } of app.getStateHistory(thread))
        history.push({ values, next, step: metadata?.step, source: metadata?.source });
      return [...seen, history];
    });
  });

  it("asks, is answered, sends, and keeps totals", async () => {
    await both(
      async ({ Channel, Pregel, LastValue, MemorySaver, BinaryOperatorAggregate, Command, interrupt }) => {
        const app = new Pregel({
          nodes: {
            one: Channel.subscribeTo(["input"])
              .join(["total"])
              .pipe(({ total, input }: { total?: number; input: number }) => (total ?? 0) + input)
              .pipe((x: number) => x + Number(interrupt("more?")))
              .pipe(Channel.writeTo(["output", "total"])),
          },
          channels: {
            total: new BinaryOperatorAggregate((a: number, b: number) => a + b),
            input: new LastValue(),
            output: new LastValue(),
          },
          inputChannels: "input",
          outputChannels: "output",
          checkpointer: new MemorySaver(),
        });
        const values = async (): Promise<unknown> => (await app.getState(thread)).values;
        await app.invoke(2, thread);
        const first = await app.invoke(new Command({ resume: 1 }), thread);
        const state = await values();
        await app.invoke(10, thread);
        return [first, state, await app.invoke(new Command({ resume: 5 }), thread), await values()];
      },
    );
  });

  it("shows nothing of tasks that are hidden, and does not stop at them where it stops at all", async () => {
    await both(async (library) => {
      const { Channel, Pregel, LastValue, MemorySaver } = library;
      const hidden = { tags: ["langsmith:hidden"] };
      const app = new Pregel({
        nodes: {
          one: Channel.subscribeTo("input", hidden)
            .pipe(addOne)
            .pipe(Channel.writeTo(["inbox"])),
          two: Channel.subscribeTo("inbox")
            .pipe(addOne)
            .pipe(Channel.writeTo(["output"])),
        },
        channels: { input: new LastValue(), inbox: new LastValue(), output: new LastValue() },
        inputChannels: "input",
        outputChannels: "output",
        streamChannels: ["inbox", "output"],
        checkpointer: new MemorySaver(),
      });
      const named = (chunk: unknown): unknown => (chunk as { name: string }).name;
      const tasks = await all(app.stream(2, { ...thread, streamMode: "tasks" }));
      const updates = await all(app.stream(2, { ...thread, streamMode: "updates" }));
      await app.invoke(2, { ...thread, interruptBefore: "*" });
      const { next } = await app.getState(thread);
      expect(next).toEqual(["two"]);
      return [tasks.map(named), updates, next];
    });
  });

  it("shows its tasks and checkpoints", async () => {
    const bare = (chunk: unknown): unknown =>
      JSON.parse(
        JSON.stringify(chunk, (key, value: unknown) =>
          ["id", "timestamp", "config", "parentConfig", "metadata", "path", "error"].includes(key)
            ? undefined
            : value,
        ),
      );
    for (const streamMode of ["tasks", "debug", "checkpoints"]) {
      for (const streamChannels of [["inbox", "output"], "output"]) {
        await both(async (library) => {
          const app = chain(library, { checkpointer: new library.MemorySaver(), streamChannels });
          return (await all(app.stream(2, { ...thread, streamMode }))).map(bare);
        });
      }
    }
  });

  it("finds the graphs inside it", async () => {
    await both(async (library) => {
      const { Channel, Pregel, LastValue } = library;
      const inner = chain(library);
      const middle = new Pregel({
        nodes: {
          m: Channel.subscribeTo("input")
            .pipe(addOne)
            .pipe(inner)
            .pipe(Channel.writeTo(["output"])),
        },
        channels: { input: new LastValue(), output: new LastValue() },
        inputChannels: "input",
        outputChannels: "output",
      });
      const outer = new Pregel({
        nodes: {
          x: Channel.subscribeTo("input")
            .pipe(middle)
            .pipe(Channel.writeTo(["output"])),
          y: Channel.subscribeTo("output").pipe(addOne),
        },
        channels: { input: new LastValue(), output: new LastValue() },
        inputChannels: "input",
        outputChannels: "output",
      });
      const names = (...args: [string?, boolean?]): string[] =>
        [...outer.getSubgraphs(...args)].map(([name]) => name);
      return [
        names(),
        names(undefined, true),
        names("x"),
        names("x|m", true),
        names("x|m"),
        names("y"),
        await outer.invoke(1),
      ];
    });
  });

  it.each([
    ["ours", { ...ourRoot, ...ourPregel }],
    ["theirs", { ...theirRoot, ...theirPregel }],
  ])("is what compiled graphs and entrypoints are, too (%s)", (_, library) => {
    const { entrypoint, MessagesAnnotation, Pregel, START, StateGraph } = library as typeof ourRoot &
      typeof ourPregel;
    const graph = new StateGraph(MessagesAnnotation).addNode("a", () => ({})).addEdge(START, "a");
    class Special extends Pregel {}
    for (const made of [graph.compile(), entrypoint("main", () => 1)]) {
      expect(made).toBeInstanceOf(Pregel);
      expect(made).not.toBeInstanceOf(Special);
    }
    expect({}).not.toBeInstanceOf(Pregel);
  });

  it("can be of a class of the user's", () => {
    class Special extends ourPregel.Pregel {}
    const nodes = { a: ourPregel.Channel.subscribeTo("x") };
    const channels = { x: new ourChannels.EphemeralValue() };
    const special = new Special({ nodes, channels, inputChannels: "x", outputChannels: "x" });
    expect(special).toBeInstanceOf(Special);
    expect(special.withConfig({})).toBeInstanceOf(Special);
  });

  it("leaves the object of channels that it is given as it is", () => {
    const keys = ({ LastValue, Channel, Pregel }: LowLevel): string[] => {
      const channels = { input: new LastValue() };
      const nodes = { one: Channel.subscribeTo("input") };
      void new Pregel({ nodes, channels, inputChannels: "input", outputChannels: "input" });
      return Object.keys(channels);
    };
    expect(keys(theirs)).toEqual(["input", "__pregel_tasks"]);
    expect(keys(ours)).toEqual(["input"]);
  });

  it("refuses an update as a node that writes nothing", async () => {
    for (const library of [ours, theirs]) {
      const { Channel, Pregel } = library;
      const app = new Pregel({
        nodes: { silent: Channel.subscribeTo("input").pipe((value: number) => value) },
        channels: { input: new library.LastValue(), output: new library.LastValue() },
        inputChannels: "input",
        outputChannels: "output",
        checkpointer: new library.MemorySaver(),
      });
      await app.invoke(1, thread);
      await expect(app.updateState(thread, 2, "silent")).rejects.toThrow(
        expect.objectContaining({ name: "InvalidUpdateError" }),
      );
    }
  });

  it("refuses parts that do not fit together", async () => {
    const params = [
      { channels: {} },
      { inputChannels: "output" },
      { inputChannels: ["output"] },
      { outputChannels: "nowhere" },
      { outputChannels: ["nowhere"] },
      { streamChannels: ["nowhere"] },
      { interruptBefore: ["nowhere"] },
      { interruptAfter: ["nowhere"] },
      { nodes: { one: () => 1 } },
      { nodes: undefined },
      { channels: undefined },
    ];
    for (const wrong of params) {
      for (const library of [ours, theirs])
        expect(() => chain(library, wrong), JSON.stringify(wrong)).toThrow();
    }
    expect(() => chain(ours, { interruptBefore: "*", interruptAfter: ["two"] })).not.toThrow();
    expect(() => ours.Channel.subscribeTo(["a"], { key: "k" })).toThrow();
    expect(() => ours.Channel.subscribeTo("a").join(["b"])).toThrow();
  });
});
