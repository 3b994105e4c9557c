import { adopt, adoptDerived, isAdopted } from "../../values/adopt.ts";
import { InvalidUpdateError } from "../../graph-errors.ts";
import { coerceMessage } from "./coerce-message.ts";
import {
  isLangChainMessage,
  messageType,
  type LangChainMessage,
  type Message,
  type Messages,
} from "./message.ts";
import { indexOf, MessageIndex, rememberIndex } from "./message-index.ts";
import { instanceWithId, wholeMessage } from "./register-messages.ts";
import { REMOVE_ALL_MESSAGES } from "./remove-message.ts";

type Stored = Message | LangChainMessage;
export type MessagesReducer = (left: Messages, right: Messages) => Message[];

/**
 * Merges messages into a list by their ids: a known id replaces its message, a `RemoveMessage` removes it, all others are
 * appended; those without an id get one. The work follows what is new, not the length of the list.
 */
export function messagesReducer(newId: () => string): MessagesReducer {
  const results = new WeakMap<object, { left: WeakRef<object>; result: WeakRef<Stored[]> }>();
  return (left, right) => {
    if (!isList(left) || !isAdopted(left)) return typed(merge(complete(left, newId), complete(right, newId)));
    // A conditional edge and the superstep reduce the same update: the ids that it gets have to be the same.
    const key = typeof right === "object" ? right : undefined;
    const known = key && results.get(key);
    const before = known?.left.deref() === left ? known.result.deref() : undefined;
    if (before !== undefined) return typed(before);
    const list = indexOf(left as Stored[]) === undefined ? adopt(complete(left, newId)) : (left as Stored[]);
    const result = merge(list, complete(right, newId).map(adopt));
    if (key !== undefined) results.set(key, { left: new WeakRef(left), result: new WeakRef(result) });
    return typed(result);
  };
}

/** Merges messages into a list by their ids. Also known as `addMessages`. */
export const messagesStateReducer: MessagesReducer = messagesReducer(() => crypto.randomUUID());

/** The state's type says plain messages; who uses LangChain's classes knows that it has written them. */
function typed(list: readonly Stored[]): Message[] {
  return list as Message[];
}

function isList(messages: Messages): messages is readonly Exclude<Messages, readonly unknown[]>[] {
  return Array.isArray(messages);
}

/** The messages in their final form, each with an id. The same list when all are already. */
function complete(messages: Messages, newId: () => string): readonly Stored[] {
  const given: readonly unknown[] = isList(messages) ? messages : [messages];
  const list = given.map((message) => inFinalForm(coerceMessage(message), newId));
  return list.every((message, index) => message === given[index]) ? (given as readonly Stored[]) : list;
}

export function inFinalForm(given: Stored, newId: () => string): Stored {
  const message = isLangChainMessage(given) ? wholeMessage(given) : given;
  if (message.id !== undefined && message.id !== null) return message;
  const id = newId();
  if (!isLangChainMessage(message)) return { ...message, id };
  const instance = instanceWithId(message, id);
  if (instance !== undefined) return instance;
  message.id = id;
  return message;
}

function merge(left: readonly Stored[], right: readonly Stored[]): Stored[] {
  const clearedAt = right.findLastIndex(
    (message) => isRemoval(message) && message.id === REMOVE_ALL_MESSAGES,
  );
  if (clearedAt !== -1) return derived(right.slice(clearedAt + 1), left, right);

  const index = indexOf(left) ?? new MessageIndex(left);
  const changes = changesOf(left, right, index);
  const { appended, replaced, removed } = changes;
  const list = left.concat(appended);
  for (const [position, message] of replaced) list[position] = message;
  if (removed.size > 0)
    return derived(
      list.filter((message) => !removed.has(message.id ?? "")),
      left,
      right,
    );
  const head = Array.from(replaced.keys()).reduce(
    (first, position) => Math.min(first, position),
    left.length,
  );
  const result = derived(list, left, right, head);
  index.add(appended, left.length);
  rememberIndex(result, index);
  return result;
}

interface Changes {
  readonly appended: readonly Stored[];
  readonly replaced: ReadonlyMap<number, Stored>;
  readonly removed: ReadonlySet<string>;
}

/** What an update does to a list. */
function changesOf(left: readonly Stored[], right: readonly Stored[], index: MessageIndex): Changes {
  const appended: Stored[] = [];
  const appendedAt = new Map<string, number>();
  const replaced = new Map<number, Stored>();
  const removed = new Set<string>();
  for (const message of right) {
    const id = message.id ?? "";
    const added = appendedAt.get(id);
    const position = index.positionOf(id, left);
    if (added === undefined && position === undefined) {
      if (isRemoval(message)) throw unknownMessage(id);
      appendedAt.set(id, appended.push(message) - 1);
    } else if (isRemoval(message)) {
      removed.add(id);
    } else {
      removed.delete(id);
      if (added !== undefined) appended[added] = message;
      else if (position !== undefined) replaced.set(position, message);
    }
  }
  return { appended, replaced, removed };
}

export function isRemoval(message: Stored): boolean {
  return messageType(message) === "remove";
}

/** A list of parts of both, as read-only as the first. */
function derived(list: Stored[], left: readonly Stored[], right: readonly Stored[], head?: number): Stored[] {
  if (isAdopted(left)) adoptDerived(list, left, right, head);
  return list;
}

function unknownMessage(id: string): InvalidUpdateError {
  return new InvalidUpdateError(`There is no message "${id}" to remove. Remove only what the list has.`, {
    details: { message_id: id },
  });
}
