import { isObject, isPlain } from "../values/containers.ts";
import type { PendingWrite } from "../checkpoint/types.ts";
import type { LoopState } from "./loop-state.ts";
import { traceHandler } from "./trace-callbacks.ts";
import { streamHandler } from "./stream-callbacks.ts";
import { isOutput } from "./stream.ts";
import type { TaskScope } from "./task-scope.ts";
import type { TextMessage } from "./text-message.ts";
import type { NodeConfig } from "./types.ts";

/**
 * The chunks of the stream mode `messages`: pairs of a message, or a piece of one, and the metadata of the task it comes
 * from. They come from four places: chat models of LangChain that a node hands its `config` to, text that a node passes
 * through `config.writer.message()`, messages that a node pushes, and whole messages among what a node returns. Of these
 * last a message with an id comes only when it has not come before.
 */

/** When what models and tools do is wanted: the caller's callbacks, and one that streams it, or makes spans of it. */
export function callbacksFor(loop: LoopState, taskId: string): { readonly callbacks: unknown } | undefined {
  const { run } = loop;
  const span = loop.trace?.taskSpan(taskId);
  const isStreamed = run.modes.has("messages") || run.modes.has("tools");
  if (!isStreamed && span === undefined) return undefined;
  const handlers = span === undefined ? [] : [traceHandler(span)];
  if (isStreamed)
    handlers.push(streamHandler((mode, payload) => emit(loop, mode, payload), run.config.tags ?? []));
  const { callbacks } = run.config;
  if (callbacks === undefined || callbacks === null) return { callbacks: handlers };
  if (Array.isArray(callbacks)) return { callbacks: [...(callbacks as unknown[]), ...handlers] };
  return { callbacks: handlers.reduce<unknown>(withHandler, callbacks) };
}

/** LangChain's callback manager, copied, with one handler more. */
function withHandler(manager: unknown, handler: object): unknown {
  if (!isObject(manager)) return manager;
  if (!("copy" in manager && typeof manager.copy === "function")) return manager;
  const copy: unknown = manager.copy();
  if (isObject(copy) && "addHandler" in copy && typeof copy.addHandler === "function") {
    copy.addHandler(handler, true);
  }
  return copy;
}

/** Emits text as it comes, as pieces of one message, and returns the whole. */
export async function streamText(
  loop: LoopState,
  metadata: NodeConfig["metadata"],
  parts: AsyncIterable<string> | Iterable<string>,
  message: { readonly id: string; readonly name?: string },
): Promise<TextMessage> {
  let content = "";
  for await (const part of parts) {
    content += part;
    emit(loop, "messages", [
      { type: "AIMessageChunk", ...message, content: part },
      metadataOf(loop, metadata),
    ]);
  }
  if (loop.run.modes.has("messages")) loop.run.seenMessages.add(message.id);
  return { type: "ai", ...message, content };
}

/** A task is given these messages: they are not news. */
export function noteMessages(loop: LoopState, input: unknown): void {
  if (!loop.run.modes.has("messages")) return;
  for (const message of messagesIn(input))
    if (message.id !== undefined) loop.run.seenMessages.add(message.id);
}

/** A whole message that a task shows while it runs, also one that was shown before. */
export function emitMessage(scope: TaskScope, { metadata }: NodeConfig, message: object): void {
  if (!scope.isOver) emit(scope.loop, "messages", [message, metadata]);
}

/** Whole messages that a task has written. */
export function emitMessages(loop: LoopState, config: NodeConfig, writes: readonly PendingWrite[]): void {
  const { run } = loop;
  if (!run.modes.has("messages")) return;
  for (const [channel, value] of writes) {
    if (!isOutput(run.graph, channel)) continue;
    for (const message of messagesIn(value)) {
      if (message.id !== undefined && run.seenMessages.has(message.id)) continue;
      emit(loop, "messages", [
        message,
        { ...metadataOf(loop, config.metadata), name: config.metadata["langgraph_node"] },
      ]);
    }
  }
}

function metadataOf({ run }: LoopState, metadata: NodeConfig["metadata"]): Record<string, unknown> {
  const { tags } = run.config;
  return { ...(tags === undefined ? {} : { tags }), ...metadata };
}

function emit(loop: LoopState, mode: "messages" | "tools", payload: unknown): void {
  const { run } = loop;
  if (loop.hasEnded || !run.modes.has(mode)) return;
  const [message] = Array.isArray(payload) ? (payload as unknown[]) : [];
  if (mode === "messages" && isMessage(message) && message.id !== undefined) run.seenMessages.add(message.id);
  run.emit({ mode, payload });
}

interface Message {
  readonly id?: string | undefined;
}

/** Messages that are the value, in its list, or in the channels or lists of a state. */
function* messagesIn(value: unknown, depth = 0): Generator<Message> {
  if (isMessage(value)) yield value;
  else if (isObject(value) && depth < 2) {
    const parts: unknown[] = Array.isArray(value) ? value : isPlain(value) ? Object.values(value) : [];
    for (const part of parts) yield* messagesIn(part, depth + 1);
  }
}

const TYPES: ReadonlySet<unknown> = new Set(["human", "ai", "system", "tool", "function", "AIMessageChunk"]);

/** A message of LangChain, or plain data of that shape. */
function isMessage(value: unknown): value is Message {
  if (!isObject(value) || !("content" in value)) return false;
  if ("id" in value && value.id !== undefined && typeof value.id !== "string") return false;
  if ("_getType" in value && typeof value["_getType"] === "function") return true;
  return "type" in value && TYPES.has(value.type);
}
