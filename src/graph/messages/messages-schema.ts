import { messageOf } from "../../errors.ts";
import type { StandardResult, StandardSchema } from "../schema/standard-schema.ts";
import { coerceMessage } from "./coerce-message.ts";
import type { Message, Messages } from "./message.ts";

/** Of a list of messages; without one, of an empty one. */
export const messagesSchema: StandardSchema<Message[] | undefined, Message[]> = schemaOf((value) => {
  if (value === undefined) return { value: [] };
  return Array.isArray(value)
    ? readable(value, value as Message[])
    : issue("A list of messages is expected.");
});

/** Of what a node may write to a list of messages. It stays as it is: the reducer reads it. */
export const messagesInputSchema: StandardSchema<Messages, Messages> = schemaOf((value) =>
  readable(Array.isArray(value) ? value : [value], value as Messages),
);

function schemaOf<Input, Output>(
  validate: (value: unknown) => StandardResult<Output>,
): StandardSchema<Input, Output> {
  return { "~standard": { version: 1, vendor: "tidemark", validate } };
}

function readable<Output>(messages: readonly unknown[], value: Output): StandardResult<Output> {
  for (const [index, message] of messages.entries()) {
    try {
      coerceMessage(message);
    } catch (error) {
      return { issues: [{ message: messageOf(error), path: [index] }] };
    }
  }
  return { value };
}

function issue(message: string): StandardResult<never> {
  return { issues: [{ message }] };
}
