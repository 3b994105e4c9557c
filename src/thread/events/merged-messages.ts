import { isRecord } from "../../values/containers.ts";

/** A message of a stream, as JSON has it. */
export interface MessageData {
  readonly id: string;
  readonly type?: unknown;
  readonly [key: string]: unknown;
}

export function isMessageData(value: unknown): value is MessageData {
  return isRecord(value) && typeof value["id"] === "string" && "content" in value;
}

/** What has come of the messages of a run, piece by piece. */
export class MergedMessages {
  readonly #partial = new Map<string, MessageData>();
  readonly #complete: Set<string>;

  constructor(complete = new Set<string>()) {
    this.#complete = complete;
  }

  /** The pieces come from the beginning once more; what was complete stays so. */
  again(): MergedMessages {
    return new MergedMessages(this.#complete);
  }

  /** The message with this piece of it. */
  add(chunk: MessageData): { readonly message: MessageData; readonly isNew: boolean } {
    const before = this.#partial.get(chunk.id);
    const message = before === undefined ? chunk : mergedMessage(before, chunk);
    this.#partial.set(chunk.id, message);
    return { message, isNew: before === undefined };
  }

  /** Whether that is news. */
  complete({ id }: MessageData): boolean {
    const isNew = !this.#complete.has(id);
    this.#complete.add(id);
    return isNew;
  }
}

type Data = Readonly<Record<string, unknown>>;

/** As LangChain joins the chunks of a message. */
export function mergedMessage(left: MessageData, right: MessageData): MessageData {
  const merged: Data = {
    ...mergedObjects(left, right),
    content: mergedContent(left["content"], right["content"]),
  };
  const chunks = merged["tool_call_chunks"];
  const isCalling = Array.isArray(chunks) && chunks.length > 0;
  return {
    ...merged,
    id: left.id,
    ...(left.type !== undefined && { type: left.type }),
    // Calls are whole when their arguments are; until then nothing is wrong with them.
    ...(isCalling && { tool_calls: chunks.flatMap(toolCall), invalid_tool_calls: [] }),
  };
}

function mergedContent(left: unknown, right: unknown): unknown {
  if (typeof left === "string" && typeof right === "string") return left + right;
  return mergedLists(blocksOf(left), blocksOf(right));
}

function blocksOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  return content === "" || content === undefined ? [] : [{ type: "text", text: content }];
}

/** Members with the same `index` are pieces of one. */
function mergedLists(left: readonly unknown[], right: readonly unknown[]): readonly unknown[] {
  const merged = [...left];
  for (const piece of right) {
    const index = isRecord(piece) ? piece["index"] : undefined;
    const place = merged.findIndex(
      (each) => index !== undefined && isRecord(each) && each["index"] === index,
    );
    const before = merged[place];
    if (isRecord(before) && isRecord(piece)) merged[place] = mergedObjects(before, piece);
    else merged.push(piece);
  }
  return merged;
}

/** What names something is said once; texts go on, numbers are added up. */
function mergedObjects(left: Data, right: Data): Data {
  const merged = new Map(Object.entries(left));
  for (const [key, value] of Object.entries(right)) merged.set(key, mergedValue(key, merged.get(key), value));
  return Object.fromEntries(merged);
}

const NAMING: ReadonlySet<string> = new Set([
  "id",
  "type",
  "index",
  "name",
  "model_name",
  "model_provider",
  "role",
]);

function mergedValue(key: string, left: unknown, right: unknown): unknown {
  if (left === undefined || left === null) return right;
  if (right === undefined || right === null || NAMING.has(key)) return left;
  if (typeof left === "string" && typeof right === "string") return left + right;
  if (typeof left === "number" && typeof right === "number") return left + right;
  if (Array.isArray(left) && Array.isArray(right)) return mergedLists(left, right);
  return isRecord(left) && isRecord(right) ? mergedObjects(left, right) : right;
}

/** A call whose arguments are all there. */
function toolCall(chunk: unknown): readonly unknown[] {
  if (!isRecord(chunk) || typeof chunk["args"] !== "string") return [];
  try {
    const args: unknown = JSON.parse(chunk["args"]);
    return [{ name: chunk["name"], args, id: chunk["id"], type: "tool_call" }];
  } catch {
    return [];
  }
}
