import { InvalidArgumentError } from "../../errors.ts";
import { taskContext } from "../../pregel/task-context.ts";
import { coerceMessage } from "./coerce-message.ts";
import type { LangChainMessage, Message, MessageLike } from "./message.ts";

export interface PushMessageOptions {
  /** The key of the state that gets the message, `messages` unless said otherwise. Null: none, it is only streamed. */
  readonly stateKey?: string | null;
}

/**
 * Shows a message in the stream at once, and writes it to the state when the node ends. It needs an id, by which the
 * stream and the state are known to mean the same message. Outside of a running node it does neither.
 */
export function pushMessage(
  message: MessageLike,
  { stateKey = "messages" }: PushMessageOptions = {},
): Message | LangChainMessage {
  const pushed = coerceMessage(message);
  if (pushed.id === undefined || pushed.id === null)
    throw new InvalidArgumentError(
      "invalid_message",
      "pushMessage was given a message without an id. Give it one, so that a later message can take its place.",
    );
  const task = taskContext.get();
  task?.emitMessage?.(pushed);
  if (stateKey !== null) task?.send?.([[stateKey, pushed]]);
  return pushed;
}
