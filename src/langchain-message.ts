import { isObject } from "./values/containers.ts";

/** LangChain's messages are known by their shape: nothing here depends on LangChain. */

/** An instance of one of LangChain's classes. */
export interface LangChainMessage {
  id?: string | undefined;
  readonly content: unknown;
  getType(): string;
}

export function isLangChainMessage(value: unknown): value is LangChainMessage {
  return isObject(value) && "content" in value && "getType" in value && typeof value.getType === "function";
}

/** What a message holds, without what its class adds to every instance. */
export function fieldsOf(message: object): Record<string, unknown> {
  const fields = Object.entries(message).filter(
    ([key, value]) => value !== undefined && key !== "type" && !key.startsWith("lc_"),
  );
  return Object.fromEntries(fields);
}

/** The plain form in which LangChain's messages go over the wire. */
export function wireMessage(message: LangChainMessage): Record<string, unknown> {
  return { ...fieldsOf(message), type: message.getType() };
}
