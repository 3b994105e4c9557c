/**
 * All names that LangGraph's tests import from its modules, as far as Tidemark has them.
 *
 * @module
 */
import * as messages from "@langchain/core/messages";
import { registerMessages } from "../../src/index.ts";

export * from "../../src/index.ts";
export * from "../../src/channels/index.ts";
export * from "../../src/checkpoint/index.ts";
export * from "../../src/pregel/index.ts";
export * from "../../src/pregel/constants.ts";
export type { StandardSchema } from "../../src/index.ts";

/** What a user of LangChain's messages does. */
registerMessages(messages);

/** LangGraph needs to be told of `node:async_hooks`; here the package finds it by itself. */
export function initializeAsyncLocalStorageSingleton(): void {}

export async function gatherIterator<T>(
  source: AsyncIterable<T> | Iterable<T> | Promise<AsyncIterable<T> | Iterable<T>>,
): Promise<T[]> {
  const items: T[] = [];
  for await (const item of await source) items.push(item);
  return items;
}

/** The key of an `Overwrite` in JSON. */
export const OVERWRITE = "__overwrite__";
