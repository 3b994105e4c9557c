import { describe, expect, it } from "vitest";
import { END, ours, START, theirs, type Compiled, type Config, type Library } from "./engine.ts";
import { stateOf } from "./cases.ts";

/** `encoding: "text/event-stream"`: the body of a `Response`, the same on both engines. */

type Streaming = (
  input: unknown,
  options: Config,
) => ReadableStream<Uint8Array> | Promise<ReadableStream<Uint8Array>>;

const thread = { configurable: { thread_id: "t" } };

function graphOf(library: Library, fails: boolean): Compiled {
  const inner = new library.StateGraph(stateOf(library))
    .addNode("in", () => ({ log: ["in"] }))
    .addEdge(START, "in")
    .addEdge("in", END)
    .compile();
  return new library.StateGraph(stateOf(library))
    .addNode("a", (_, { writer }) => {
      writer?.({ said: "hello\n\nyou" });
      return { log: ["a"] };
    })
    .addNode("b", inner)
    .addNode("c", () => {
      if (fails) throw new RangeError("no further");
      return { log: ["c"] };
    })
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("b", "c")
    .addEdge("c", END)
    .compile({ checkpointer: new library.MemorySaver() });
}

async function textOf(library: Library, options: Config, fails = false): Promise<string> {
  const graph = graphOf(library, fails);
  const stream = graph.stream.bind(graph) as unknown as Streaming;
  const body = await stream({ log: ["x"] }, { ...thread, ...options, encoding: "text/event-stream" });
  return new Response(body).text();
}

interface Event {
  readonly event: string;
  readonly data: unknown;
}

/** What differs from run to run, or by a difference that is listed, is left out. */
function eventsOf(text: string): Event[] {
  const volatile = new Set([
    "id",
    "timestamp",
    "checkpoint_id",
    "config",
    "parent_config",
    "metadata",
    "path",
    "error",
  ]);
  return text
    .split("\n\n")
    .filter((part) => part !== "")
    .map((part) => {
      const [event = "", data = ""] = part.split("\n");
      const shown: unknown = JSON.parse(data.slice("data: ".length), (key, value: unknown) =>
        volatile.has(key) || (key === "checkpoint_map" && value !== null) ? undefined : value,
      );
      return {
        event: event.slice("event: ".length).replaceAll(/:[0-9a-f-]{36}/g, ":id"),
        data: JSON.parse(JSON.stringify(shown).replaceAll(/:[0-9a-f-]{36}/g, ":id")) as unknown,
      };
    });
}

describe("a run as server-sent events", () => {
  for (const streamMode of [
    "values",
    "updates",
    "custom",
    "tasks",
    "checkpoints",
    "debug",
    ["values", "updates", "custom"],
  ]) {
    for (const subgraphs of [false, true]) {
      it(`is LangGraph's: ${String(streamMode)}${subgraphs ? ", with the graphs inside" : ""}`, async () => {
        const [mine, their] = await Promise.all(
          [ours, theirs].map((library) => textOf(library, { streamMode, subgraphs })),
        );
        expect(mine).not.toBe("");
        expect(eventsOf(mine ?? "")).toEqual(eventsOf(their ?? ""));
      });
    }
  }

  it("ends with the error, when it fails", async () => {
    const [mine, their] = await Promise.all(
      [ours, theirs].map((library) => textOf(library, { streamMode: "updates" }, true)),
    );
    expect(mine).toContain('event: error\ndata: {"error":"RangeError","message":"no further"}\n\n');
    expect(their).toContain('event: error\ndata: {"error":"RangeError","message":"no further"}\n\n');
  });

  it("is cancelled with its reader", async () => {
    let aborted = false;
    const graph = new ours.StateGraph(stateOf(ours))
      .addNode("quick", () => ({ log: ["quick"] }))
      .addNode("slow", (_, { signal }) => {
        return new Promise((resolve, reject) => {
          signal?.addEventListener("abort", () => {
            aborted = true;
            reject(new Error("aborted"));
          });
        });
      })
      .addEdge(START, "quick")
      .addEdge("quick", "slow")
      .compile();
    const stream = graph.stream.bind(graph) as unknown as Streaming;
    const reader = (await stream({}, { encoding: "text/event-stream", streamMode: "updates" })).getReader();
    await reader.read();
    await reader.cancel();
    expect(aborted).toBe(true);
  });
});
