import { isLangChainMessage, type LangChainMessage } from "../../langchain-message.ts";

export { isLangChainMessage, type LangChainMessage };

/** A call of a tool that a model asks for. */
export interface ToolCall {
  readonly id?: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly type?: "tool_call";
}

export type MessageType = "human" | "ai" | "system" | "tool" | "remove";

/** Text, or parts of several kinds. */
export type MessageContent = string | { readonly type: string; readonly [key: string]: unknown }[];

/** A message in the form in which LangChain's messages go over the wire: a plain object. */
export interface Message {
  /** In a state, every message has one. */
  readonly id?: string;
  readonly type: MessageType;
  readonly content: MessageContent;
  readonly name?: string;
  /** Of a model: a list, also when it is empty. */
  readonly tool_calls?: ToolCall[];
  /** Of a tool: the call that it answers. */
  readonly tool_call_id?: string;
  readonly status?: "success" | "error";
  readonly additional_kwargs?: Readonly<Record<string, unknown>>;
  readonly response_metadata?: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

/** Whatever can be read as a message: also text of a human, and pairs of role and text. */
export type MessageLike =
  | Message
  | LangChainMessage
  | string
  | readonly [role: string, content: MessageContent]
  | { readonly role: string; readonly content: MessageContent; readonly [key: string]: unknown }
  | { readonly type: string; readonly [key: string]: unknown };

/** One message or several, as nodes write them. */
export type Messages = MessageLike | readonly MessageLike[];

export function messageType(message: Message | LangChainMessage): string {
  return isLangChainMessage(message) ? message.getType() : message.type;
}
