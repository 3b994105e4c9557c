import { FakeListChatModel } from "@langchain/core/utils/testing";
import { describe, expect, it } from "vitest";
import { END, entrypoint, interrupt, MemorySaver, START, StateGraph, task } from "../../../src/index.ts";
import type { RunnableGraph } from "../../../src/pregel/index.ts";
import type { RunOptions } from "../../../src/pregel/pregel-options.ts";
import type { Span, SpanPart, SpanResult } from "../../../src/pregel/span.ts";
import { Log } from "../../support/log.ts";

/** What a span was told. */
class Seen implements Span {
  readonly parts: Seen[] = [];
  readonly of: SpanPart | undefined;
  result: SpanResult | undefined;

  constructor(of?: SpanPart) {
    this.of = of;
  }

  begin(part: SpanPart): Seen {
    const begun = new Seen(part);
    this.parts.push(begun);
    return begun;
  }

  end(result: SpanResult): void {
    expect(this.result).toBeUndefined();
    this.result = result;
  }

  /** As lines, each part below what it is a part of. */
  lines(depth = 0): string[] {
    return this.parts.flatMap((part) => [
      `${"  ".repeat(depth)}${titleOf(part.of)}: ${part.result?.status ?? "open"}`,
      ...part.lines(depth + 1),
    ]);
  }
}

function titleOf(part: SpanPart | undefined): string {
  if (part === undefined) return "";
  return part.kind === "superstep" ? `superstep ${part.step}` : `${part.kind} ${part.name}`;
}

/** The spans of a run of the graph. */
async function seen(graph: RunnableGraph, options: RunOptions = {}, input = {}): Promise<Seen> {
  const span = new Seen();
  await graph.run({ kind: "input", value: input }, { ...options, span });
  return span;
}

const inner = new StateGraph(Log)
  .addNode("deep", () => ({ log: ["deep"] }))
  .addEdge(START, "deep")
  .addEdge("deep", END)
  .compile();

describe("the spans of a run", () => {
  it("are those of its supersteps, their tasks, and the graphs inside these", async () => {
    const graph = new StateGraph(Log)
      .addNode("left", () => ({ log: ["left"] }))
      .addNode("right", inner)
      .addNode("last", async () => Promise.resolve({ log: ["last"] }))
      .addEdge(START, "left")
      .addEdge(START, "right")
      .addEdge(["left", "right"], "last")
      .compile();
    expect((await seen(graph, {}, { log: [] })).lines()).toEqual([
      "superstep 1: done",
      "  task left: done",
      "  task right: done",
      "    superstep 1: done",
      "      task deep: done",
      "superstep 2: done",
      "  task last: done",
    ]);
  });

  it("say what came of them: a question, a failure, an output", async () => {
    const failure = new Error("broken");
    const graph = new StateGraph(Log)
      .addNode("well", () => ({ log: ["well"] }))
      .addNode("ask", () => ({ log: [String(interrupt("Name?"))] }))
      .addNode("fail", () => {
        throw failure;
      })
      .addEdge(START, "well")
      .addEdge(START, "ask")
      .addEdge(START, "fail")
      .compile({ checkpointer: new MemorySaver() });
    const span = await seen(graph, { configurable: { thread_id: "t" } }, { log: ["in"] });
    expect(span.lines()).toEqual([
      "superstep 1: open",
      "  task ask: interrupted",
      "  task fail: failed",
      "  task well: done",
    ]);
    const [asked, failed, well] = span.parts[0]?.parts ?? [];
    expect(failed?.result?.error).toBe(failure);
    expect(asked?.result?.output?.()).toMatchObject([{ value: "Name?" }]);
    expect(well?.of).toMatchObject({ taskId: expect.any(String) });
    expect(well?.result?.output?.()).toEqual({ log: ["well"] });
  });

  it("have the tasks that an entrypoint calls beside its own", async () => {
    const double = task("double", (n: number) => n * 2);
    const graph = entrypoint("sum", async (n: number) => (await double(n)) + (await double(n)));
    const span = new Seen();
    await graph.run({ kind: "input", value: 2 }, { span });
    expect(span.lines()).toEqual([
      "superstep 0: done",
      "  task sum: done",
      "  task double: done",
      "  task double: done",
    ]);
  });

  it("have the calls of models that a node hands its config to", async () => {
    const model = new FakeListChatModel({ responses: ["Hello"] });
    const graph = new StateGraph(Log)
      .addNode("talk", async (_, config) => {
        await model.invoke("Hi", { callbacks: config.callbacks as never });
        return { log: [] };
      })
      .addEdge(START, "talk")
      .compile();
    const span = await seen(graph, {}, { log: [] });
    expect(span.lines()).toEqual([
      "superstep 1: done",
      "  task talk: done",
      "    model FakeListChatModel: done",
    ]);
    const [call] = span.parts[0]?.parts[0]?.parts ?? [];
    expect(JSON.stringify(call?.result?.output?.())).toContain("Hello");
  });
});
