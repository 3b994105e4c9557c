import { Annotation } from "../annotation.ts";
import { withLangGraph, type ReducedSchema, type SchemaMeta } from "../schema/meta.ts";
import { DeltaValue } from "../schema/delta-value.ts";
import { ReducedValue } from "../schema/reduced-value.ts";
import type { StandardSchema } from "../schema/standard-schema.ts";
import { messagesDeltaReducer } from "./delta-reducer.ts";
import type { Message, Messages } from "./message.ts";
import { messagesInputSchema, messagesSchema } from "./messages-schema.ts";
import { messagesStateReducer } from "./reducer.ts";

/** Tells clients that a key holds messages. */
const MESSAGES_EXTRA = { langgraph_type: "messages", description: "A list of chat messages" };

/** A state of one key, `messages`, that grows. To have more keys, spread its `spec` into another definition. */
export const MessagesAnnotation = Annotation.Root({
  messages: Annotation<Message[], Messages>({ reducer: messagesStateReducer, default: () => [] }),
});

/** Messages as a key of a `StateSchema`. */
export const MessagesValue = new ReducedValue<Message[], Messages>(messagesSchema, {
  inputSchema: messagesInputSchema,
  reducer: messagesStateReducer,
  jsonSchemaExtra: MESSAGES_EXTRA,
});

/** Messages as a key of a `StateSchema`, merged once a superstep. */
export const MessagesDeltaValue = new DeltaValue<Message[], Messages>(messagesSchema, {
  inputSchema: messagesInputSchema,
  reducer: messagesDeltaReducer,
  jsonSchemaExtra: MESSAGES_EXTRA,
});

/** Makes a key of an object schema one of messages: `withLangGraph(z.custom<Message[]>(), MessagesZodMeta)`. */
export const MessagesZodMeta: SchemaMeta<Message[], Messages> = {
  reducer: { schema: messagesInputSchema, fn: messagesStateReducer },
  default: () => [],
  jsonSchemaExtra: MESSAGES_EXTRA,
};

/** A schema of an object that more keys can be added to. Made without zod, and mixes with its schemas. */
export interface ExtensibleSchema<Shape> extends StandardSchema {
  readonly shape: Shape;
  extend<More extends Readonly<Record<string, StandardSchema>>>(
    more: More,
  ): ExtensibleSchema<Omit<Shape, keyof More> & More>;
}

type MessagesShape = {
  readonly messages: ReducedSchema<StandardSchema<Message[] | undefined, Message[]>, Messages>;
};

/** `MessagesAnnotation` as an object schema, for `extend` with keys of zod. */
export const MessagesZodState: ExtensibleSchema<MessagesShape> = extensible({
  messages: withLangGraph<typeof messagesSchema, Messages>(messagesSchema, MessagesZodMeta),
});

function extensible<Shape>(shape: Shape): ExtensibleSchema<Shape> {
  return {
    shape,
    extend: <More>(more: More) => extensible<Omit<Shape, keyof More> & More>({ ...shape, ...more }),
    // A graph checks each key by itself.
    "~standard": { version: 1, vendor: "tidemark", validate: (value) => ({ value }) },
  };
}
