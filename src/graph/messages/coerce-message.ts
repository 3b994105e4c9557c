import { isObject, isRecord } from "../../values/containers.ts";
import { InvalidUpdateError } from "../../graph-errors.ts";
import { isLangChainMessage, type LangChainMessage, type Message, type MessageType } from "./message.ts";
import { asInstance } from "./register-messages.ts";
import { readToolCalls } from "./tool-calls.ts";

/** What providers, LangChain and its serialized classes call a kind of message. */
const TYPES: ReadonlyMap<string, MessageType> = new Map([
  ["human", "human"],
  ["user", "human"],
  ["HumanMessage", "human"],
  ["HumanMessageChunk", "human"],
  ["ai", "ai"],
  ["assistant", "ai"],
  ["AIMessage", "ai"],
  ["AIMessageChunk", "ai"],
  ["system", "system"],
  ["developer", "system"],
  ["SystemMessage", "system"],
  ["SystemMessageChunk", "system"],
  ["tool", "tool"],
  ["ToolMessage", "tool"],
  ["ToolMessageChunk", "tool"],
  ["remove", "remove"],
  ["RemoveMessage", "remove"],
]);

/**
 * Reads whatever can be read as a message: into a plain object, or an instance where LangChain's classes are registered.
 * What is in its final form already comes back as it is, with its identity; an id is not made here.
 */
export function coerceMessage(value: unknown): Message | LangChainMessage {
  return isLangChainMessage(value) ? value : asInstance(plainMessage(value));
}

function plainMessage(value: unknown): Message {
  if (typeof value === "string") return { type: "human", content: value };
  if (isPair(value)) return fromFields(value[0], { content: value[1] });
  if (!isRecord(value)) return refuse(value);
  const fields: Readonly<Record<string, unknown>> = { ...value };
  if (fields["lc"] === 1 && Array.isArray(fields["id"])) return fromSerialized(fields, fields["id"]);
  if (typeof fields["role"] === "string") {
    const { role, ...others } = fields;
    return fromFields(role, others);
  }
  return isFinal(value) ? value : fromFields(fields["type"], fields);
}

function isPair(value: unknown): value is readonly [string, unknown] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === "string";
}

function isFinal(value: object): value is Message {
  if (!("type" in value) || TYPES.get(String(value.type)) !== value.type || !("content" in value))
    return false;
  return value.type !== "ai" || ("tool_calls" in value && areFinalCalls(value.tool_calls));
}

function areFinalCalls(calls: unknown): boolean {
  return Array.isArray(calls) && !calls.some((call) => Object.hasOwn(Object(call), "function"));
}

function fromFields(name: unknown, fields: Readonly<Record<string, unknown>>): Message {
  const type = typeof name === "string" ? TYPES.get(name) : undefined;
  if (type === undefined) return refuse({ ...fields, type: name });
  // The rest of a message is its provider's own.
  const message = { ...fields, type, content: fields["content"] ?? "" } as Message;
  if (name === "developer")
    return { ...message, additional_kwargs: { ...message.additional_kwargs, __openai_role__: "developer" } };
  return type === "ai" ? { ...message, ...readToolCalls(fields["tool_calls"]) } : message;
}

/** The form in which LangChain's classes are serialized. */
function fromSerialized(fields: Readonly<Record<string, unknown>>, id: readonly unknown[]): Message {
  const kwargs = fields["kwargs"];
  return isObject(kwargs) ? fromFields(id.at(-1), { ...kwargs }) : refuse(fields);
}

function refuse(value: unknown): never {
  throw new InvalidUpdateError(
    `A message has to be text, a pair of role and content, or an object with a role or type (${[...TYPES.keys()].slice(0, 2).join(", ")}, …) and content, not ${describe(value)}.`,
    { lcErrorCode: "MESSAGE_COERCION_FAILURE" },
  );
}

function describe(value: unknown): string {
  if (!isObject(value)) return `${typeof value} ${String(value)}`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  const type = "type" in value && value.type !== undefined ? ` of type ${JSON.stringify(value.type)}` : "";
  return `an object${type} with the keys ${Object.keys(value).join(", ")}`;
}
