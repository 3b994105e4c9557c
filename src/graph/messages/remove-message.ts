import type { Message } from "./message.ts";

/** As the id of a `RemoveMessage`: removes all messages. Those after it in the same update stay. */
export const REMOVE_ALL_MESSAGES = "__remove_all__";

export interface RemoveMessage extends Message {
  readonly type: "remove";
  readonly id: string;
}

/** Makes a message that removes the one with its id. It is a plain object, as all messages are. */
export const RemoveMessage = removeMessage as unknown as new (fields: {
  readonly id: string;
}) => RemoveMessage;

function removeMessage({ id }: { readonly id: string }): RemoveMessage {
  return { type: "remove", id, content: "" };
}
