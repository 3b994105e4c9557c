import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { AIMessage, AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { describe, expect, it } from "vitest";
import { ours, START, theirs, type Compiled, type Config, type Library } from "./engine.ts";

/** The stream modes `messages` and `tools`, with LangChain's own models, messages and tools. */

const inputSchema = {
  type: "object" as const,
  properties: { a: { type: "number" as const } },
  required: ["a"],
};

function stateOf({ Annotation }: Library): unknown {
  return Annotation.Root({
    messages: Annotation({
      reducer: (left: unknown[], right: unknown[]) => left.concat(right),
      default: () => [],
    }),
    other: Annotation(),
  });
}

function graphOf(library: Library): Compiled {
  const { StateGraph } = library;
  const state = stateOf(library);
  const model = new FakeListChatModel({ responses: ["hey"] });
  const silent = new FakeListChatModel({ responses: ["quiet"] }).withConfig({ tags: ["nostream"] });
  const add = tool((input: unknown) => `sum ${JSON.stringify(input)}`, { name: "add", schema: inputSchema });
  const fail = tool(
    () => {
      throw new Error("broken");
    },
    { name: "fail", schema: inputSchema },
  );
  const inner = new StateGraph(state)
    .addNode("inner", async (_, config: object) => ({
      messages: [await model.invoke("q", config)],
    }))
    .addEdge(START, "inner")
    .compile();
  return new StateGraph(state)
    .addNode("model", async (_, config: object) => {
      const message = await model.invoke("q", { ...config, runName: "named", tags: ["t"] });
      await silent.invoke("x", config);
      return { messages: [message] };
    })
    .addNode("direct", () => ({ messages: [new AIMessage({ content: "direct", id: "d1" })] }))
    .addNode("again", () => ({
      messages: [new AIMessage({ content: "direct", id: "d1" })],
      other: new HumanMessage({ content: "single", id: "s" }),
    }))
    .addNode("tools", async (_, config: object) => {
      await add.invoke({ type: "tool_call", id: "c1", name: "add", args: { a: 1 } }, config);
      await add.invoke({ a: 5 }, config);
      await fail.invoke({ a: 1 }, config).catch(() => undefined);
      return {};
    })
    .addNode("sub", inner)
    .addEdge(START, "model")
    .addEdge("model", "direct")
    .addEdge("direct", "again")
    .addEdge("again", "tools")
    .addEdge("tools", "sub")
    .compile();
}

/** Messages that are pushed: by a node, which returns one of them too, by what it calls, and in a graph inside. */
function pushingGraphOf(library: Library): Compiled {
  const { StateGraph, pushMessage } = library;
  const pushed = (id: string, content = id): AIMessage => new AIMessage({ id, content });
  const called = library.task("called", () => {
    pushMessage(pushed("of a task"), { stateKey: null });
    return 1;
  });
  const inner = new StateGraph(stateOf(library))
    .addNode("inner", () => {
      pushMessage(pushed("inside"));
      return {};
    })
    .addEdge(START, "inner")
    .compile();
  return new StateGraph(stateOf(library))
    .addNode("pushes", () => {
      pushMessage(pushed("kept"));
      pushMessage(pushed("kept", "again"), { stateKey: null });
      pushMessage(pushed("shown"), { stateKey: null });
      return { messages: [pushed("kept", "returned"), pushed("shown", "returned"), pushed("new")] };
    })
    .addNode("calls", async () => {
      await called();
      return {};
    })
    .addNode("sub", inner)
    .addEdge(START, "pushes")
    .addEdge("pushes", "calls")
    .addEdge("calls", "sub")
    .compile();
}

/** A piece that a model gives as text alone is plain data here, and a model that nobody listens to does not stream. */
function typeOf(message: { readonly type: string }): string {
  return message.constructor.name === "Object"
    ? message.type.replace("Chunk", "")
    : message.constructor.name.replace("Chunk", "");
}

const OURS_ALONE = new Set(["ls_integration", "versions", "tags"]);

function showMetadata(metadata: Record<string, unknown>): unknown {
  const { tags, ...rest } = metadata;
  const own = Object.entries(rest).filter(([key]) => !OURS_ALONE.has(key));
  return {
    ...JSON.parse(withoutIds(Object.fromEntries(own))),
    // LangGraph counts supersteps in a tag.
    tags: (Array.isArray(tags) ? tags : []).filter((tag) => !String(tag).startsWith("graph:step")),
  };
}

function withoutIds(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "<id>");
}

async function chunksOf(graph: Compiled, options: Config): Promise<unknown[]> {
  const chunks: unknown[] = [];
  const input = { messages: [new HumanMessage({ content: "in", id: "in" })] };
  for await (const chunk of await graph.stream(input, options)) {
    const parts = (options["subgraphs"] ? chunk : [[], ...(chunk as unknown[])]) as [
      string[],
      string,
      unknown,
    ];
    const [namespace, mode, payload] = parts;
    const where = JSON.parse(withoutIds(namespace)) as unknown;
    if (mode === "tools") {
      chunks.push([where, mode, JSON.parse(withoutIds(payload))]);
      continue;
    }
    const [message, metadata] = payload as [AIMessage, Record<string, unknown>];
    const id = withoutIds(message.id);
    chunks.push([where, mode, typeOf(message), id, message.content, showMetadata(metadata)]);
  }
  return chunks;
}

describe.each([false, true])("with subgraphs: %s", (subgraphs) => {
  it("messages and tools: as in LangGraph", async () => {
    const options = {
      streamMode: ["messages", "tools"],
      subgraphs,
      metadata: { user: "u" },
      tags: ["root"],
      runName: "a run",
      runId: "00000000-0000-4000-8000-000000000001",
    };
    const expected = await chunksOf(graphOf(theirs), options);
    expect(expected.length).toBeGreaterThan(8);
    expect(await chunksOf(graphOf(ours), options)).toEqual(expected);
  });

  it("pushed messages: as in LangGraph", async () => {
    const options = { streamMode: ["messages"], subgraphs, metadata: { user: "u" }, tags: ["root"] };
    const expected = await chunksOf(pushingGraphOf(theirs), options);
    expect(expected.length).toBeGreaterThan(4);
    expect(await chunksOf(pushingGraphOf(ours), options)).toEqual(expected);
  });
});

/** Says with some pieces of its message which id that has. */
class NamingModel extends FakeListChatModel {
  readonly #isNamed: (piece: number) => boolean;

  constructor(isNamed: (piece: number) => boolean) {
    super({ responses: [] });
    this.#isNamed = isNamed;
  }

  override async *_streamResponseChunks(_: unknown, __: unknown, run?: CallbackManagerForLLMRun) {
    for (const [piece, content] of ["a", "b", "c"].entries()) {
      const message = new AIMessageChunk({ content, ...(this.#isNamed(piece) && { id: "m1" }) });
      const chunk = new ChatGenerationChunk({ message, text: content });
      yield chunk;
      await run?.handleLLMNewToken(content, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

describe.each([
  ["LangGraph", theirs],
  ["Tidemark", ours],
])("%s: the pieces of a message", (_, library) => {
  it.each([
    ["the first one", (piece: number) => piece === 0, ["m1"]],
    ["each", () => true, ["m1"]],
    ["none", () => false, [expect.stringMatching(/^run-/u)]],
  ])("have one id, of a model that says it with %s", async (_which, isNamed, ids) => {
    const graph = new library.StateGraph(stateOf(library))
      .addNode("model", async (_state, config: object) => ({
        messages: [await new NamingModel(isNamed).invoke("q", config)],
      }))
      .addEdge(START, "model")
      .compile();
    const heard: unknown[] = [];
    for await (const chunk of await graph.stream({ messages: [] }, { streamMode: "messages" }))
      heard.push((chunk as [AIMessage])[0].id);
    expect(heard).toHaveLength(3);
    expect([...new Set(heard)]).toEqual(ids);
  });
});

describe.each([
  ["LangGraph", theirs],
  ["Tidemark", ours],
])("%s: a pushed message", (_, library) => {
  const pushing = (then: () => unknown): Compiled =>
    new library.StateGraph(stateOf(library))
      .addNode("a", async () => {
        library.pushMessage(new AIMessage({ id: "m", content: "pushed" }));
        return then();
      })
      .addEdge(START, "a")
      .compile();

  it("comes while its node still runs", async () => {
    const came = Promise.withResolvers<object>();
    const ids: unknown[] = [];
    for await (const chunk of await pushing(() => came.promise).stream({}, { streamMode: "messages" })) {
      ids.push((chunk as [AIMessage])[0].id);
      came.resolve({});
    }
    expect(ids).toEqual(["m"]);
  });

  it("comes also when its node fails afterwards", async () => {
    const failing = pushing(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      throw new Error("broken");
    });
    const ids: unknown[] = [];
    const read = async (): Promise<void> => {
      for await (const chunk of await failing.stream({}, { streamMode: "messages" }))
        ids.push((chunk as [AIMessage])[0].id);
    };
    await expect(read()).rejects.toThrow("broken");
    expect(ids).toEqual(["m"]);
  });
});
