import { coerceMessage } from "./coerce-message.ts";
import type { Message, Messages } from "./message.ts";
import { inFinalForm, isRemoval } from "./reducer.ts";
import { REMOVE_ALL_MESSAGES } from "./remove-message.ts";

/**
 * Merges all that was written to a list of messages in a superstep, by ids, as the reducer of a `DeltaChannel`. A
 * `RemoveMessage` of an id that is not in the list has no effect; messages without an id get one.
 */
export function messagesDeltaReducer(state: readonly Message[], writes: readonly Messages[]): Message[] {
  let list: (Message | undefined)[] = [...state];
  const positions = new Map(state.map((message, position) => [message.id, position]));
  for (const written of writes.flatMap((write): unknown[] => [write].flat())) {
    const message = inFinalForm(coerceMessage(written), () => crypto.randomUUID()) as Message;
    const position = positions.get(message.id);
    if (isRemoval(message)) {
      if (message.id === REMOVE_ALL_MESSAGES) {
        list = [];
        positions.clear();
      } else if (position !== undefined) {
        list[position] = undefined;
        positions.delete(message.id);
      }
    } else if (position === undefined) positions.set(message.id, list.push(message) - 1);
    else list[position] = message;
  }
  return list.filter((message) => message !== undefined);
}
