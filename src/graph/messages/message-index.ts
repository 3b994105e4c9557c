import { isAdopted } from "../../values/adopt.ts";
import type { LangChainMessage, Message } from "./message.ts";

type List = readonly (Message | LangChainMessage)[];

/**
 * Where in a list which message is, without looking through the list: lists that grow from one another share an index,
 * which knows the ids of all of them. A position that holds another message in this list says that they have parted; only
 * then the list is searched.
 */
export class MessageIndex {
  readonly #positions = new Map<string, number>();

  constructor(list: List) {
    this.add(list, 0);
  }

  /** Notes messages that come at this position. */
  add(messages: List, at: number): void {
    messages.forEach((message, index) => {
      if (message.id !== undefined) this.#positions.set(message.id, at + index);
    });
  }

  positionOf(id: string, list: List): number | undefined {
    const known = this.#positions.get(id);
    if (known === undefined || list[known]?.id === id) return known;
    const found = list.findLastIndex((message) => message.id === id);
    return found === -1 ? undefined : found;
  }
}

const indexes = new WeakMap<List, MessageIndex>();

/** The index of a list whose messages are in their final form; undefined when that is not known. */
export function indexOf(list: List): MessageIndex | undefined {
  return indexes.get(list);
}

/** Remembers the index of a list that cannot be changed any more. */
export function rememberIndex(list: List, index: MessageIndex): void {
  if (isAdopted(list)) indexes.set(list, index);
}
