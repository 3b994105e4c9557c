import { isRecord } from "../../values/containers.ts";

/** A message's content is a list of blocks; while it is streamed, each comes in parts, one block after the other. */

export type Block = Readonly<Record<string, unknown>> & { readonly type: string };

/** A part of a block. Parts with the same key belong to the same block. */
export interface BlockPart {
  readonly key: string;
  readonly block: Block;
}

/** A message as JSON. */
export type PlainMessage = Readonly<Record<string, unknown>>;

/** What a whole message consists of. */
export function blocksOf(message: PlainMessage): readonly Block[] {
  const content = contentBlocks(message["content"]);
  const calls = listOf(message["tool_calls"]).map((call) => ({ ...call, type: "tool_call" }));
  return [...content.filter(({ type }) => !isToolUse(type)), ...calls];
}

/** What a piece of a message adds. */
export function partsOf(chunk: PlainMessage): readonly BlockPart[] {
  const content = contentBlocks(chunk["content"])
    .filter(({ type }) => !isToolUse(type))
    .map((block) => ({ key: keyOf(block), block }));
  const calls = listOf(chunk["tool_call_chunks"]).map((call) => {
    const block = { ...call, type: "tool_call_chunk" };
    return { key: keyOf(block), block };
  });
  return [...content, ...calls];
}

/** How a block begins: without what is added to it piece by piece. */
export function beginning(block: Block): Block {
  const { type, id, name } = block;
  switch (type) {
    case "text":
      return { type, text: "" };
    case "reasoning":
      return { type, reasoning: "" };
    case "tool_call_chunk":
      return { type, id: id ?? null, name: name ?? null, args: "" };
    default:
      return block;
  }
}

/** What a part adds to the block that it belongs to; undefined when that is nothing. */
export function deltaOf({ type, ...fields }: Block): Readonly<Record<string, unknown>> | undefined {
  switch (type) {
    case "text":
      return fields["text"] === "" ? undefined : { type: "text-delta", text: fields["text"] };
    case "reasoning":
      return fields["reasoning"] === ""
        ? undefined
        : { type: "reasoning-delta", reasoning: fields["reasoning"] };
    case "tool_call_chunk":
      return typeof fields["args"] === "string" && fields["args"] !== ""
        ? { type: "tool-call-delta", args: fields["args"] }
        : undefined;
    default:
      return undefined;
  }
}

/** The block with the part added. */
export function extended(block: Block, part: Block): Block {
  const added = { ...block, ...present(part) };
  for (const field of ["text", "reasoning", "args"]) {
    const [before, more] = [block[field], part[field]];
    if (typeof before === "string" && typeof more === "string")
      Object.assign(added, { [field]: before + more });
  }
  return added;
}

/** A block that is complete: the call of a tool has its arguments as data, where they are JSON. */
export function finished(block: Block): Block {
  if (block.type !== "tool_call_chunk") return block;
  const { id = null, name = null, args } = block;
  const text = typeof args === "string" && args !== "" ? args : "{}";
  try {
    return { type: "tool_call", id, name, args: JSON.parse(text) as unknown };
  } catch {
    return { type: "invalid_tool_call", id, name, args: text, error: "The arguments are not JSON." };
  }
}

function contentBlocks(content: unknown): readonly Block[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return listOf(content).map(({ type, ...block }) =>
    type === "thinking"
      ? { type: "reasoning", ...block, reasoning: block["thinking"] }
      : { ...block, type: typeof type === "string" ? type : "non_standard" },
  );
}

/** The forms in which providers repeat among the content what the message says as calls of tools. */
function isToolUse(type: string): boolean {
  return (
    type === "tool_use" || type === "input_json_delta" || type === "tool_call" || type === "tool_call_chunk"
  );
}

/** Providers number their blocks; where they do not, text follows on text, and others are told apart by their ids. */
function keyOf({ type, index, id }: Block): string {
  const isText = type === "text" || type === "reasoning";
  return JSON.stringify([type, index ?? (isText ? null : id)]);
}

/** Fields that say something: later pieces repeat names as null. */
function present(block: Block): Block {
  const entries = Object.entries(block).filter(([, value]) => value !== null && value !== undefined);
  return { ...Object.fromEntries(entries), type: block.type };
}

function listOf(value: unknown): readonly PlainMessage[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
