import { Onto } from "./onto.ts";

/** Of an adopted value: it is, or contains, something that cannot be made read-only. */
export const MUTABLE = 1;
/** Of an adopted value: it contains something that was passed through, a key that is a symbol, or itself. */
export const FOREIGN = 2;

/** What is known of an adopted value. */
class Mark extends Onto {
  #traits = 0;

  static traitsOf(object: object): number | undefined {
    return #traits in object ? object.#traits : undefined;
  }

  static add(object: object, traits: number): void {
    const marked = #traits in object ? object : new Mark(object);
    if (traits !== 0) marked.#traits |= traits;
  }
}

/** Of values that take no field any more, because their owner had frozen them before. */
const ofFrozen = new WeakMap<object, number>();

/** `MUTABLE`, `FOREIGN`, both or neither; undefined for a value that is not adopted. */
export function traitsOf(object: object): number | undefined {
  return Mark.traitsOf(object) ?? ofFrozen.get(object);
}

/** Says that the value is adopted, and has these traits too. A new one must not be frozen yet. */
export function mark(object: object, traits = 0): void {
  if (Object.isExtensible(object) || Mark.traitsOf(object) !== undefined) Mark.add(object, traits);
  else ofFrozen.set(object, (ofFrozen.get(object) ?? 0) | traits);
}
