import { adopt, adoptFrozen } from "../../values/adopt.ts";
import { registerCodec } from "../../checkpoint/serde/registered-codecs.ts";
import { InvalidArgumentError } from "../../errors.ts";
import { fieldsOf, type LangChainMessage } from "../../langchain-message.ts";
import { keepAmbientConfig } from "../../pregel/ambient-config.ts";
import type { Message } from "./message.ts";

const CLASS_NAMES = [
  "HumanMessage",
  "HumanMessageChunk",
  "AIMessage",
  "AIMessageChunk",
  "SystemMessage",
  "SystemMessageChunk",
  "ToolMessage",
  "ToolMessageChunk",
  "ChatMessage",
  "ChatMessageChunk",
  "FunctionMessage",
  "FunctionMessageChunk",
  "RemoveMessage",
] as const;

/** LangChain's classes of messages by name: the module `@langchain/core/messages`, or some of what it exports. */
export type MessageClasses = {
  readonly [Name in (typeof CLASS_NAMES)[number]]?: MessageClass;
};
type MessageClass = new (fields: never) => LangChainMessage;

/** For what comes as plain data. A removal is gone before anybody could ask for its class. */
const CLASS_NAMES_BY_TYPE: Readonly<Record<string, keyof MessageClasses>> = {
  human: "HumanMessage",
  ai: "AIMessage",
  system: "SystemMessage",
  tool: "ToolMessage",
};

const CHUNK = "Chunk";

const registered = new Map<string, MessageClass>();
/** By prototype. */
const names = new Map<object, string>();

/**
 * Lets state hold instances of LangChain's classes of messages: they are stored as their data and come back as instances
 * of these classes, read-only as all state. Messages that come in another form become instances too, and models that a
 * node calls without a config get that of the node, unless LangGraph itself sees to that. To be called before
 * graphs run and threads are read; a second call with the same classes does nothing.
 *
 * @example
 * import * as messages from "@langchain/core/messages";
 * registerMessages(messages);
 */
export function registerMessages(classes: MessageClasses): void {
  const given = CLASS_NAMES.filter((name) => classes[name] !== undefined);
  if (given.length === 0) {
    throw new InvalidArgumentError(
      "invalid_codec",
      'registerMessages() found none of LangChain\'s classes of messages. Pass it the module: import * as messages from "@langchain/core/messages".',
    );
  }
  keepAmbientConfig();
  for (const name of given) {
    const MessageClass = classes[name];
    if (MessageClass === undefined || registered.get(name) === MessageClass) continue;
    registerCodec({
      name: `langchain.${name}`,
      class: MessageClass,
      encode: fieldsOf,
      decode: (fields) => makeMessage(MessageClass, Object(fields) as object),
    });
    registered.set(name, MessageClass);
    names.set(MessageClass.prototype, name);
  }
}

/** The message as an instance, when its class is registered. */
export function asInstance(message: Message): Message | LangChainMessage {
  const name = CLASS_NAMES_BY_TYPE[message.type];
  const MessageClass = name === undefined ? undefined : registered.get(name);
  return MessageClass === undefined ? message : makeMessage(MessageClass, message);
}

/** The same message with this id; undefined when its class is not registered. */
export function instanceWithId(message: LangChainMessage, id: string): LangChainMessage | undefined {
  const MessageClass = registered.get(classNameOf(message) ?? "");
  return MessageClass && makeMessage(MessageClass, { ...message, id });
}

/** A piece of a message as the message that it is when no more comes; any other message as it is. */
export function wholeMessage(message: LangChainMessage): LangChainMessage {
  const name = classNameOf(message);
  const MessageClass = name?.endsWith(CHUNK) ? registered.get(name.slice(0, -CHUNK.length)) : undefined;
  if (MessageClass === undefined) return message;
  const { tool_call_chunks: _, ...fields } = fieldsOf(message);
  return makeMessage(MessageClass, fields);
}

function classNameOf(message: LangChainMessage): string | undefined {
  return names.get(Object.getPrototypeOf(message) as object);
}

/**
 * Not by the constructor, which reads providers' raw forms and warns of some: what is stored has been through it. Fields
 * may come from anybody: they never hide what the class has.
 */
function makeMessage(MessageClass: MessageClass, given: object): LangChainMessage {
  const fields = adopt(fieldsOf(given));
  const message = new MessageClass({ content: "" } as never);
  const own = Object.entries(fields).filter(([name]) => !(name in MessageClass.prototype));
  return adoptFrozen(Object.assign(message, Object.fromEntries(own), { lc_kwargs: fields }), fields);
}
