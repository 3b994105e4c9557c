import { isObject } from "../values/containers.ts";
import { isLangChainMessage, wireMessage } from "../langchain-message.ts";

/**
 * Turns the messages of LangChain's classes that a value holds into plain objects of the same shape, which a thread keeps
 * without those classes. Everything else stays as it is.
 */
export function plainMessages<Value>(value: Value): Value;
export function plainMessages(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (Array.isArray(value)) return value.map((part: unknown) => plainMessages(part));
  if (isLangChainMessage(value)) return plainMessages(wireMessage(value));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plainMessages(part)]));
}
