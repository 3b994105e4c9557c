import { describe, expect, it } from "vitest";
import { RecordedSpan } from "../../../src/otlp/recorded-span.ts";
import type { SpanRecord } from "../../../src/otlp/span-record.ts";

function recorded(work: (run: RecordedSpan) => void, hasPayloads = false): SpanRecord[] {
  const spans: SpanRecord[] = [];
  const recorder = { now: () => 1, hasPayloads, add: (span: SpanRecord) => void spans.push(span) };
  const place = { traceId: "1".repeat(32), spanId: "2".repeat(16) };
  work(new RecordedSpan(recorder, { place, described: { name: "run", attributes: {} } }));
  return spans;
}

function attributesOf(span: SpanRecord | undefined): Record<string, unknown> {
  return Object.fromEntries(span?.attributes.map(({ key, value }) => [key, Object.values(value)[0]]) ?? []);
}

const input = (): unknown => ({ text: "an-input" });
const output = (): unknown => "an-output";

describe("RecordedSpan", () => {
  it("tells of calls of models and tools in the words of the conventions", () => {
    const [chat, tool] = recorded((run) => {
      const model = { kind: "model", name: "ChatOpenAI", provider: "openai", model: "gpt-5", input } as const;
      run.begin(model).end({
        status: "done",
        output,
        model: "gpt-5-2026",
        usage: { input: 12, output: 3 },
      });
      run.begin({ kind: "tool", name: "search", callId: "c1", input }).end({ status: "done", output });
    });
    expect(chat).toMatchObject({ name: "chat gpt-5", kind: 3, parentSpanId: "2".repeat(16) });
    expect(attributesOf(chat)).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-5",
      "gen_ai.response.model": "gpt-5-2026",
      "gen_ai.usage.input_tokens": "12",
      "gen_ai.usage.output_tokens": "3",
      "tidemark.status": "done",
    });
    expect(tool).toMatchObject({ name: "execute_tool search", kind: 1 });
    expect(attributesOf(tool)).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "search",
      "gen_ai.tool.call.id": "c1",
      "tidemark.status": "done",
    });
  });

  it("has what was given and what came of it only when it is asked for, cut off where it is long", () => {
    const long = (): unknown => "x".repeat(20_000);
    const [span] = recorded(
      (run) =>
        run
          .begin({ kind: "tool", name: "t", callId: undefined, input })
          .end({ status: "done", output: long }),
      true,
    );
    const { "gen_ai.tool.call.arguments": given, "gen_ai.tool.call.result": result } = attributesOf(span);
    expect(given).toBe('{"text":"an-input"}');
    expect(result).toMatch(/^"x{16383}…$/);
  });

  it("does no harm where what was given cannot be read", () => {
    const broken = (): never => {
      throw new TypeError("broken");
    };
    const [span] = recorded(
      (run) =>
        run.begin({ kind: "tool", name: "t", callId: undefined, input: broken }).end({ status: "done" }),
      true,
    );
    expect(attributesOf(span)["gen_ai.tool.call.arguments"]).toBe("unreadable: TypeError");
  });

  it("ends its parts with it, and only once", () => {
    const spans = recorded((run) => {
      const superstep = run.begin({ kind: "superstep", step: 1, namespace: "" });
      superstep.begin({ kind: "task", name: "slow", taskId: "t", input });
      run.end({ status: "failed", error: new TypeError("x") });
      superstep.end({ status: "done" });
    });
    expect(spans.map(({ name }) => name)).toEqual(["slow", "superstep 1", "run"]);
    expect(spans.map((span) => attributesOf(span)["tidemark.status"])).toEqual(["left", "left", "failed"]);
    expect(spans[2]?.status).toEqual({ code: 2 });
  });
});
