import { expect, it } from "vitest";
import { MemorySaver, type NodeConfig, START, StateGraph } from "tidemark";
import { later, State, thread, type Builder } from "./support.ts";

async function* text(...parts: string[]): AsyncGenerator<string> {
  for (const part of parts) {
    await later();
    yield part;
  }
}

type Chunk = [message: Record<string, unknown>, metadata: Record<string, unknown>];

function speaking(): Builder {
  return new StateGraph(State)
    .addNode("say", async (_, config: NodeConfig) => {
      const first = await config.writer.message(text("Grü", "ß ", "dich"), { name: "model" });
      const second = await config.writer.message(["a", "b"]);
      return { log: [first, second, { type: "ai", id: "whole", content: "at once" }] };
    })
    .addEdge(START, "say");
}

async function chunks(subgraphs = false): Promise<Chunk[]> {
  const found: Chunk[] = [];
  const graph = speaking().compile({ checkpointer: new MemorySaver() });
  const options = { ...thread, streamMode: "messages" as const, subgraphs };
  const input = { log: [{ type: "human", id: "q", content: "Hi" }] };
  for await (const chunk of graph.stream(input, options)) found.push(chunk as Chunk);
  return found;
}

it("text that goes through the writer is streamed as pieces of a message, and returned whole", async () => {
  const found = await chunks();
  const [first] = found;
  const id = first?.[0]["id"];
  expect(found.map(([message]) => [message["type"], message["content"]])).toEqual([
    ["AIMessageChunk", "Grü"],
    ["AIMessageChunk", "ß "],
    ["AIMessageChunk", "dich"],
    ["AIMessageChunk", "a"],
    ["AIMessageChunk", "b"],
    ["ai", "at once"],
  ]);
  expect(found.slice(0, 3).map(([message]) => [message["id"], message["name"]])).toEqual([
    [id, "model"],
    [id, "model"],
    [id, "model"],
  ]);
  expect(found[3]?.[0]["id"]).not.toBe(id);
  expect(first?.[1]).toMatchObject({ langgraph_node: "say", langgraph_step: 1 });
});

it("the whole message is what is saved", async () => {
  const graph = speaking().compile({ checkpointer: new MemorySaver() });
  const { log } = await graph.invoke({}, thread);
  expect(log).toMatchObject([
    { type: "ai", name: "model", content: "Grüß dich" },
    { type: "ai", content: "ab" },
    { type: "ai", id: "whole" },
  ]);
});

it("of a graph inside a task the pieces come only when they are asked for, the whole message in any case", async () => {
  const inner = speaking().compile();
  const graph = new StateGraph(State).addNode("p", inner).addEdge(START, "p").compile();
  const collect = async (subgraphs: boolean): Promise<string[]> => {
    const found: string[] = [];
    for await (const chunk of graph.stream({ sum: 1 }, { streamMode: ["messages"], subgraphs })) {
      const [message] = (chunk as unknown[]).at(-1) as Chunk;
      found.push(String(message["content"]));
    }
    return found;
  };
  expect(await collect(true)).toEqual(["Grü", "ß ", "dich", "a", "b", "at once"]);
  expect(await collect(false)).toEqual(["Grüß dich", "ab", "at once"]);
});

it("a message that a node returns again is not streamed again", async () => {
  const message = { type: "ai", id: "m", content: "x" };
  const graph = new StateGraph(State)
    .addNode("a", () => ({ v: message }))
    .addNode("b", () => ({ log: [message] }))
    .addEdge(START, "a")
    .addEdge("a", "b")
    .compile();
  const found = [];
  for await (const chunk of graph.stream({ sum: 1 }, { streamMode: "messages" })) found.push(chunk);
  expect(found).toHaveLength(1);
});
