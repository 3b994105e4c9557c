import { isContainer, isObject } from "./containers.ts";
import { Onto } from "./onto.ts";

/** Of an adopted value: it is, or contains, something that cannot be made read-only. */
export const MUTABLE = 1;
/** Of an adopted value: it contains something that was passed through, or a key that is a symbol. */
export const FOREIGN = 2;
/** Of an adopted value: it contains something that leads back to itself. */
export const CYCLIC = 4;

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

/** Any of `MUTABLE`, `FOREIGN` and `CYCLIC`, or 0; undefined for a value that is not adopted. */
export function traitsOf(object: object): number | undefined {
  return Mark.traitsOf(object) ?? ofFrozen.get(object);
}

/** Says that the value is adopted, and has these traits too. A new one must not be frozen yet. */
export function mark(object: object, traits = 0): void {
  if (Object.isExtensible(object) || Mark.traitsOf(object) !== undefined) Mark.add(object, traits);
  else ofFrozen.set(object, (ofFrozen.get(object) ?? 0) | traits);
}

/** Whether the value is a part of the state already. */
export function isAdopted(value: unknown): boolean {
  return !isObject(value) || traitsOf(value) !== undefined;
}

/** What is true of a part is true of the whole. What is not adopted was passed through. */
export function inherit(parent: object, part: unknown): void {
  const traits = isObject(part) ? (traitsOf(part) ?? FOREIGN) : isForeign(part) ? FOREIGN : 0;
  if (traits !== 0) mark(parent, traits);
}

/** What leads back to a part that is not complete yet counts as mutable: nobody knows what else will be in it. */
export function inheritCycle(parent: object, part: unknown): void {
  if (!isObject(part) || Object.isFrozen(part) || !isAdopted(part)) return;
  if (isContainer(part) || part instanceof Error) mark(parent, MUTABLE | CYCLIC);
}

/** Neither data nor an object. */
export function isForeign(value: unknown): boolean {
  return typeof value === "function" || typeof value === "symbol";
}
