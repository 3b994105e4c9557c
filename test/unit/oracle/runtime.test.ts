import * as theirLibrary from "@langchain/langgraph";
import { expect, it } from "vitest";
import { z } from "zod";
import * as ourLibrary from "tidemark";
import { ours, START, theirs, type Compiled, type Config, type Library, type SavedTuple } from "./engine.ts";
import { graphOf } from "./policy-cases.ts";

/** What nodes reach from anywhere, what graphs say of those inside them, and what a saver keeps of writes: as in LangGraph. */

const config: Config = { configurable: { thread_id: "t" } };

async function expectSame(play: (library: Library) => Promise<unknown>): Promise<void> {
  const expected = await play(theirs);
  expect(expected).toBeDefined();
  expect(await play(ours)).toEqual(expected);
}

it("a node's functions reach the config, the store, the writer and the node's input", async () => {
  await expectSame(async (library) => {
    const { getConfig, getCurrentTaskInput, getStore, getWriter, InMemoryStore } =
      library === ours ? ourLibrary : theirLibrary;
    const helper = async (): Promise<unknown> => {
      await Promise.resolve();
      getWriter()?.("from afar");
      await getStore()?.put(["n"], "k", { v: 1 });
      const item = await getStore()?.get(["n"], "k");
      return [getConfig()?.metadata?.["langgraph_node"], getCurrentTaskInput(), item?.value];
    };
    const graph = graphOf(library)
      .addNode("a", async () => ({ last: await helper() }))
      .addEdge(START, "a")
      .compile({ store: new InMemoryStore() });
    const chunks: unknown[] = [];
    const options = { streamMode: ["custom", "values"] };
    for await (const chunk of await graph.stream({ log: ["in"] }, options)) chunks.push(chunk);
    return chunks;
  });
});

it("graphs are found by the paths of their nodes", async () => {
  await expectSame(async (library) => {
    const leaf = graphOf(library)
      .addNode("l", () => ({}))
      .addEdge(START, "l")
      .compile();
    const middle = graphOf(library).addNode("leaf", leaf).addEdge(START, "leaf").compile();
    const graph = graphOf(library)
      .addNode("mid", middle)
      .addNode("mid2", () => ({}), { subgraphs: [leaf] })
      .addNode("none", () => ({}))
      .addEdge(START, "mid")
      .addEdge(START, "mid2")
      .addEdge(START, "none")
      .compile() as Compiled & {
      getSubgraphs(namespace?: string, recurse?: boolean): Iterable<readonly [string, unknown]>;
    };
    return [undefined, "mid", "mid2", "mid|leaf", "mi", "leaf"].flatMap((path) =>
      [false, true].map((recurse) => [
        path,
        recurse,
        [...graph.getSubgraphs(path, recurse)].map(([name]) => name),
      ]),
    );
  });
});

it("graphs are found asynchronously too, in any order of asking", async () => {
  await expectSame(async (library) => {
    const leaf = graphOf(library)
      .addNode("l", () => ({}))
      .addEdge(START, "l")
      .compile();
    const graph = graphOf(library).addNode("leaf", leaf).addEdge(START, "leaf").compile() as Compiled & {
      getSubgraphsAsync(namespace?: string, recurse?: boolean): AsyncIterable<readonly [string, unknown]>;
    };
    const names: string[] = [];
    for await (const [name] of graph.getSubgraphsAsync(undefined, true)) names.push(name);
    return names;
  });
});

it("results, Commands, Sends and errors are told apart by functions, and have a form as JSON", async () => {
  await expectSame(async (library) => {
    const of = library === ours ? ourLibrary : theirLibrary;
    const caught = async (call: Promise<unknown>): Promise<unknown> =>
      call.then(
        () => undefined,
        (error: unknown) => error,
      );
    const asking = graphOf(library)
      .addNode("a", () => ({ last: library.interrupt("q") }))
      .addEdge(START, "a")
      .compile({ checkpointer: new library.MemorySaver() });
    const slow = graphOf(library)
      .addNode("a", () => new Promise(() => undefined), { timeout: 5 })
      .addEdge(START, "a")
      .compile({});
    const late = await caught(slow.invoke({}));
    const command = new library.Command({ update: { a: 1 }, goto: ["b", new library.Send("w", { i: 1 })] });
    return [
      [await asking.invoke({}, config), {}, undefined].map((value) => of.isInterrupted(value)),
      [command, { lg_name: "Command", update: {} }, null].map((value) => of.isCommand(value)),
      JSON.parse(JSON.stringify(command)),
      [late, new Error("x"), undefined].map((error) => of.isNodeTimeoutError(error)),
      [late, new Error("x"), undefined].map((error) => of.isGraphInterrupt(error as Error)),
    ];
  });
});

it("of writes that come again a saver keeps the first, of errors and questions the last, in the order of paths", async () => {
  await expectSame(async (library) => {
    const saver = new library.MemorySaver();
    const graph = graphOf(library)
      .addNode("a", () => ({}))
      .addEdge(START, "a")
      .compile({ checkpointer: saver });
    await graph.updateState(config, { log: [] }, "a");
    const { configurable } = (await graph.getState(config)).config;
    const at = { configurable: { checkpoint_ns: "", ...configurable } };
    await saver.putWrites(
      at,
      [
        ["x", 1],
        ["y", 2],
      ],
      "task b",
      "~b",
    );
    await saver.putWrites(
      at,
      [
        ["x", 3],
        ["y", 4],
        ["z", 5],
      ],
      "task b",
      "~b",
    );
    await saver.putWrites(at, [["__interrupt__", 1]], "task b", "~b");
    await saver.putWrites(at, [["__interrupt__", 2]], "task b", "~b");
    await saver.putWrites(
      at,
      [
        ["__error__", 1],
        ["x", 9],
      ],
      "task a",
      "~c",
    );
    await saver.putWrites(at, [["x", 9]], "task 0");
    const tuples: SavedTuple[] = [];
    for await (const tuple of saver.list(at)) tuples.push(tuple);
    return tuples[0]?.pendingWrites;
  });
});

const approval = z.object({ amount: z.number().transform((amount) => amount * 2) });
const responseSchemas = {
  zod: approval,
  json: { type: "object", properties: { amount: { type: "number" } } },
};

it.each(Object.entries(responseSchemas))(
  "an answer is held against its schema: %s",
  async (_, responseSchema) => {
    await expectSame(async (library) => {
      const graph = graphOf(library)
        .addNode("ask", () => ({ last: library.interrupt("how much?", { responseSchema }) }))
        .addEdge(START, "ask")
        .compile({ checkpointer: new library.MemorySaver() });
      await graph.invoke({}, config);
      const seen: unknown[] = [];
      for (const resume of [{ amount: "much" }, { amount: 5 }]) {
        const { next } = await graph.getState(config);
        if (next.length === 0) break;
        const result = await graph.invoke(new library.Command({ resume }), config).then(
          ({ last }) => last,
          () => "refused",
        );
        const { tasks } = await graph.getState(config);
        seen.push(result, tasks.flatMap(({ interrupts }) => interrupts).length);
      }
      return seen;
    });
  },
);

it("nodes see the server that their run is on", async () => {
  const user = { identity: "u", role: "admin" };
  const servers: Config[] = [
    {},
    { configurable: { assistant_id: "a", graph_id: "g", langgraph_auth_user: user } },
    { metadata: { assistant_id: "a", graph_id: "g" } },
    { configurable: { assistant_id: "a" }, metadata: { graph_id: "g" } },
    { configurable: { langgraph_auth_user: user } },
  ];
  for (const server of servers) {
    await expectSame(async (library) => {
      let seen: unknown;
      const graph = graphOf(library)
        .addNode("a", (_, { serverInfo }) => {
          seen = serverInfo;
          return {};
        })
        .addEdge(START, "a")
        .compile();
      await graph.invoke({}, server);
      return [server, seen];
    });
  }
});
