import { isObject } from "../values/containers.ts";
import type { Span, SpanResult } from "./span.ts";
import { ownHandler } from "./stream-callbacks.ts";

/** A handler for LangChain's callbacks that makes spans of what models and tools do inside a task. */
export function traceHandler(task: Span): object {
  const spans = new Map<string, Span>();
  const end = (runId: string, result: SpanResult): void => {
    spans.get(runId)?.end(result);
    spans.delete(runId);
  };
  const fail = (error: unknown, runId: string): void => end(runId, { status: "failed", error });
  return ownHandler({
    ...modelMethods(task, spans, end),
    handleLLMError: fail,
    handleToolStart(
      _tool: unknown,
      input: unknown,
      runId: string,
      _parentRunId?: string,
      _tags?: unknown,
      _metadata?: unknown,
      name = "unknown",
      callId?: string,
    ): void {
      spans.set(runId, task.begin({ kind: "tool", name, callId, input: () => input }));
    },
    handleToolEnd: (output: unknown, runId: string) => end(runId, { status: "done", output: () => output }),
    handleToolError: fail,
  });
}

function modelMethods(
  task: Span,
  spans: Map<string, Span>,
  end: (runId: string, result: SpanResult) => void,
): object {
  const begin = (
    serialized: unknown,
    input: unknown,
    runId: string,
    _parentRunId?: string,
    extra: unknown = {},
    _tags?: unknown,
    metadata: unknown = {},
    given?: string,
  ): void => {
    const name = given ?? nameOf(serialized);
    const model = textAt(metadata, "ls_model_name") ?? textAt(extra, "invocation_params", "model");
    const provider = textAt(metadata, "ls_provider");
    spans.set(runId, task.begin({ kind: "model", name, provider, model, input: () => input }));
  };
  return {
    handleChatModelStart: begin,
    handleLLMStart: begin,
    handleLLMEnd(output: unknown, runId: string): void {
      const message = at(output, "generations", "0", "0", "message");
      const used = at(message, "usage_metadata");
      const [input, out] = [at(used, "input_tokens"), at(used, "output_tokens")];
      end(runId, {
        status: "done",
        output: () => at(output, "generations", "0", "0"),
        model: textAt(message, "response_metadata", "model_name"),
        usage: typeof input === "number" && typeof out === "number" ? { input, output: out } : undefined,
      });
    },
  };
}

/** The last part of what LangChain calls the class: ["langchain", "chat_models", "openai", "ChatOpenAI"]. */
function nameOf(serialized: unknown): string {
  const id = at(serialized, "id");
  return (Array.isArray(id) ? textAt(id, String(id.length - 1)) : undefined) ?? "model";
}

/** What models say of themselves has no fixed shape. */
function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (of, key) => (isObject(of) ? (Reflect.get(of, key) as unknown) : undefined),
    value,
  );
}

function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const text = at(value, ...path);
  return typeof text === "string" ? text : undefined;
}
