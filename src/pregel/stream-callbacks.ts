import { isObject } from "../values/containers.ts";

/**
 * A handler for LangChain's callbacks, without LangChain: its managers take any object with methods of these names. It
 * streams the tokens of chat models and what tools do.
 */

type Emit = (mode: "messages" | "tools", payload: unknown) => void;

const NOSTREAM = ["langsmith:nostream", "nostream"];

/** A call of a model. */
interface ModelRun {
  readonly metadata: Readonly<Record<string, unknown>>;
  hasStreamed: boolean;
  /** Of its message, once a piece has come: many models say it with the first one only. */
  messageId: unknown;
}

interface ToolRun {
  readonly toolCallId?: string;
  readonly name: string;
}

/** `runTags` are those of the run: what a node passes to a model may have others instead. */
export function streamHandler(emit: Emit, runTags: readonly string[]): object {
  return ownHandler({ lc_prefer_streaming: true, ...modelMethods(emit, runTags), ...toolMethods(emit) });
}

/** A handler that a node's config has, and that of a node inside it has not: it has one of its own. */
export function ownHandler(methods: object): object {
  return { [OWN]: true, awaitHandlers: true, ...methods };
}

const OWN = Symbol("tidemark.stream");

/** The callbacks without what `ownHandler` has made. */
export function withoutOwnHandlers(callbacks: unknown): unknown {
  if (!Array.isArray(callbacks)) return callbacks;
  return callbacks.filter((handler) => !(isObject(handler) && OWN in handler));
}

function modelMethods(emit: Emit, runTags: readonly string[]): object {
  const runs = new Map<string, ModelRun>();
  return {
    handleChatModelStart(
      _model: unknown,
      _messages: unknown,
      runId: string,
      _parentRunId?: string,
      _extra?: unknown,
      tags: readonly string[] = [],
      metadata: Readonly<Record<string, unknown>> = {},
      name?: string,
    ): void {
      if (tags.some((tag) => NOSTREAM.includes(tag))) return;
      runs.set(runId, {
        metadata: {
          tags: [...new Set([...runTags, ...tags])],
          ...(name === undefined ? {} : { name }),
          ...metadata,
        },
        hasStreamed: false,
        messageId: undefined,
      });
    },
    handleLLMNewToken(
      token: string,
      _index: unknown,
      runId: string,
      _parentRunId?: string,
      _tags?: unknown,
      fields?: { readonly chunk?: unknown },
    ): void {
      const run = runs.get(runId);
      if (run === undefined) return;
      run.hasStreamed = true;
      const message = messageOf(fields?.chunk) ?? { type: "AIMessageChunk", content: token };
      emit("messages", [identified(message, run, runId), run.metadata]);
    },
    handleLLMEnd(output: { readonly generations?: readonly (readonly unknown[])[] }, runId: string): void {
      const run = runs.get(runId);
      runs.delete(runId);
      const message = messageOf(output.generations?.[0]?.[0]);
      if (run === undefined || run.hasStreamed || message === undefined) return;
      emit("messages", [identified(message, run, runId), run.metadata]);
    },
    handleLLMError(_error: unknown, runId: string): void {
      runs.delete(runId);
    },
  };
}

function toolMethods(emit: Emit): object {
  const runs = new Map<string, ToolRun>();
  const end = (runId: string): ToolRun | undefined => {
    const run = runs.get(runId);
    runs.delete(runId);
    return run;
  };
  return {
    handleToolStart(
      _tool: unknown,
      input: unknown,
      runId: string,
      _parentRunId?: string,
      _tags?: unknown,
      _metadata?: unknown,
      name = "unknown",
      toolCallId?: string,
    ): void {
      const run = { ...(toolCallId === undefined ? {} : { toolCallId }), name };
      runs.set(runId, run);
      emit("tools", { event: "on_tool_start", ...run, input });
    },
    handleToolEvent(data: unknown, runId: string): void {
      const run = runs.get(runId);
      if (run !== undefined) emit("tools", { event: "on_tool_event", ...run, data });
    },
    handleToolEnd(output: unknown, runId: string): void {
      const run = end(runId);
      if (run !== undefined) emit("tools", { event: "on_tool_end", ...run, output });
    },
    handleToolError(error: unknown, runId: string): void {
      const run = end(runId);
      if (run !== undefined) emit("tools", { event: "on_tool_error", ...run, error });
    },
  };
}

function messageOf(generation: unknown): object | undefined {
  if (!isObject(generation) || !("message" in generation)) return undefined;
  const { message } = generation;
  return isObject(message) ? message : undefined;
}

/** All pieces of a message have one id, also those to which LangChain has given one by their run meanwhile. */
function identified(message: object & { id?: unknown }, run: ModelRun, runId: string): object {
  const made = `run-${runId}`;
  const isNamed = message.id !== undefined && message.id !== null && message.id !== made;
  if (!isNamed) message.id = run.messageId ?? made;
  run.messageId ??= message.id;
  return message;
}
