import { isRecord } from "../../values/containers.ts";
import {
  beginning,
  blocksOf,
  deltaOf,
  extended,
  finished,
  partsOf,
  type BlockPart,
  type PlainMessage,
} from "./content-blocks.ts";
import type { ProtocolEvent } from "./protocol-event.ts";

/** Where a message comes from. */
interface Source {
  readonly namespace: readonly string[];
  readonly node?: string;
}

/** A message of which more may come. */
interface OpenMessage {
  readonly source: Source;
  readonly id: string;
  /** Of the block that is open, and of it. */
  index: number;
  part: BlockPart | undefined;
  usage: Readonly<Record<string, unknown>> | undefined;
  reason: unknown;
}

type Data = Readonly<Record<string, unknown>>;

const ROLES: Readonly<Record<string, string>> = {
  human: "human",
  user: "human",
  system: "system",
  tool: "tool",
};

/** Turns messages, and pieces of messages, into events of their content blocks. Blocks of one message never interleave. */
export class MessageEvents {
  readonly #open = new Map<string, OpenMessage>();

  /** `graph`: the namespace of the graph that the message comes from. */
  push(message: PlainMessage, metadata: Data, graph: readonly string[]): ProtocolEvent[] {
    const source = sourceOf(metadata, graph);
    const id = typeof message["id"] === "string" ? message["id"] : `${source.namespace.join("|")}-message`;
    if (isPiece(message)) return this.#piece(message, metadata, source, id);
    return this.#open.has(id) ? [] : whole(message, metadata, source, id);
  }

  /** The task with this namespace is over: no more comes of its messages. */
  finishTask(task: string): ProtocolEvent[] {
    const over = [...this.#open.values()].filter(({ source }) => source.namespace.includes(task));
    return over.flatMap((message) => this.#finish(message));
  }

  #piece(chunk: PlainMessage, metadata: Data, source: Source, id: string): ProtocolEvent[] {
    const known = this.#open.get(id);
    const message = known ?? { source, id, index: -1, part: undefined, usage: undefined, reason: undefined };
    this.#open.set(id, message);
    const events = known === undefined ? [started(message, "ai", metadata)] : [];
    message.usage = summed(message.usage, chunk["usage_metadata"]);
    message.reason = finishReason(chunk) ?? message.reason;
    return [...events, ...partsOf(chunk).flatMap((part) => added(message, part))];
  }

  #finish(message: OpenMessage): ProtocolEvent[] {
    this.#open.delete(message.id);
    const { usage, reason = "stop" } = message;
    return [...closed(message), event(message, { event: "message-finish", reason, ...(usage && { usage }) })];
  }
}

function whole(message: PlainMessage, metadata: Data, source: Source, id: string): ProtocolEvent[] {
  const type = String(message["type"]);
  const said = { source, id };
  const call = message["tool_call_id"];
  const usage = message["usage_metadata"];
  return [
    started(said, ROLES[type] ?? "ai", metadata, typeof call === "string" ? { tool_call_id: call } : {}),
    ...blocksOf(message).flatMap((content, index) => [
      event(said, { event: "content-block-start", index, content }),
      event(said, { event: "content-block-finish", index, content }),
    ]),
    event(said, {
      event: "message-finish",
      reason: finishReason(message) ?? "stop",
      ...(isRecord(usage) && { usage }),
    }),
  ];
}

function added(message: OpenMessage, part: BlockPart): ProtocolEvent[] {
  const { index, part: open } = message;
  const isNew = open?.key !== part.key;
  const events = isNew ? closed(message) : [];
  const before = isNew ? beginning(part.block) : open.block;
  message.index = isNew ? index + 1 : index;
  message.part = { key: part.key, block: extended(before, part.block) };
  if (isNew)
    events.push(event(message, { event: "content-block-start", index: message.index, content: before }));
  const delta = deltaOf(part.block);
  if (delta !== undefined)
    events.push(event(message, { event: "content-block-delta", index: message.index, delta }));
  return events;
}

/** The block that is open is complete. */
function closed(message: OpenMessage): ProtocolEvent[] {
  const { index, part } = message;
  if (part === undefined) return [];
  message.part = undefined;
  return [event(message, { event: "content-block-finish", index, content: finished(part.block) })];
}

function started(
  message: Pick<OpenMessage, "source" | "id">,
  role: string,
  metadata: Data,
  more: Data = {},
): ProtocolEvent {
  const { ls_provider: provider, ls_model_name: model, ls_model_type: kind } = metadata;
  const said = Object.entries({ provider, model, model_type: kind }).filter(
    ([, value]) => value !== undefined,
  );
  return event(message, {
    event: "message-start",
    id: message.id,
    role,
    ...more,
    ...(said.length > 0 && { metadata: Object.fromEntries(said) }),
  });
}

/** `run_id` tells apart the messages that one node streams side by side. */
function event({ source, id }: Pick<OpenMessage, "source" | "id">, data: Data): ProtocolEvent {
  return { method: "messages", ...source, data: { ...data, run_id: id.replace(/^run-/, "") } };
}

function sourceOf(metadata: Data, graph: readonly string[]): Source {
  const { langgraph_checkpoint_ns: task, langgraph_node: node } = metadata;
  return {
    namespace: typeof task === "string" && task !== "" ? task.split("|") : graph,
    ...(typeof node === "string" && { node }),
  };
}

/** Whether more may come of the message: instances of LangChain's chunks are known by a field that only they have. */
export function isPiece({ type, tool_call_chunks: chunks }: PlainMessage): boolean {
  return type === "AIMessageChunk" || Array.isArray(chunks);
}

function finishReason({ response_metadata: metadata }: PlainMessage): unknown {
  return isRecord(metadata) ? (metadata["finish_reason"] ?? metadata["stop_reason"] ?? undefined) : undefined;
}

/** Pieces tell the usage of each of them. */
function summed(before: Data | undefined, more: unknown): Data | undefined {
  if (!isRecord(more)) return before;
  const sums = Object.entries(more).map(([key, value]) => {
    const earlier = before?.[key];
    return [key, typeof value === "number" && typeof earlier === "number" ? value + earlier : value];
  });
  return { ...before, ...(Object.fromEntries(sums) as Data) };
}
