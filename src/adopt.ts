import { FOREIGN, mark, MUTABLE, traitsOf } from "./adopted.ts";
import { Copies } from "./copies.ts";
import { UnserializableError } from "./errors.ts";
import { copyOpaque, isBytes } from "./opaque.ts";

/**
 * State is never changed in place. A value that enters the state is *adopted*: its plain arrays and objects are copied
 * and frozen, Maps and Sets are copied into ones that refuse to change, and what can be neither frozen nor locked
 * (bytes, dates, URLs, patterns) is copied and handed out as further copies. Parts that are adopted already are kept as
 * they are, so the cost is that of what is new, and identity means equality. The caller's own objects stay untouched.
 *
 * Instances of a class with a codec are copied by it, and handed out as further copies, unless they cannot change. Other
 * instances, and errors, pass through: only their owner knows how to copy them.
 */
export function adopt<T>(value: T): T {
  return isAdopted(value) ? value : copy(value as T & object, new Copies(), 0);
}

/** Adopts several values: what they share, they go on to share. */
export function adoptAll(values: readonly unknown[]): unknown[] {
  const copies = new Copies();
  return values.map((value) => (isAdopted(value) ? value : copy(value as object, copies, 0)));
}

/**
 * Adopts a new list without looking at its parts one by one: they are parts of an adopted list, and `added`, which are
 * adopted too. The list itself is frozen, not copied. For reducers that append to long lists.
 */
export function adoptDerived<T>(list: T[], from: readonly T[], added: readonly T[]): readonly T[] {
  mark(list);
  for (const part of [from, ...added]) inherit(list, part);
  return Object.freeze(list);
}

/** Freezes an instance and makes it a part of the state as it is: `parts`, which are adopted, are all that it holds. */
export function adoptFrozen<T extends object>(instance: T, parts: object): Readonly<T> {
  const traits = traitsOf(parts) ?? FOREIGN;
  if ((traits & MUTABLE) === 0) mark(instance, traits);
  return Object.freeze(instance);
}

/** Adopts a value that nobody else holds: it is frozen as it is, not copied. */
export function adoptOwned<T>(value: T): T {
  if (!isAdopted(value)) own(value as T & object);
  return value;
}

/** Whether an adopted value is, or contains, something that cannot be made read-only. */
export function isMutable(value: unknown): boolean {
  return isObject(value) && ((traitsOf(value) ?? 0) & MUTABLE) !== 0;
}

/** Whether the value is a part of the state already. */
export function isAdopted(value: unknown): boolean {
  return !isObject(value) || traitsOf(value) !== undefined;
}

/**
 * Whether the value is data that can never change: no part of it has to be copied for anybody, and each can be stored.
 * False for what is not adopted, and where a part is bytes or a date, an instance of a class, or a function.
 */
export function isConstant(value: unknown): boolean {
  return isObject(value) ? traitsOf(value) === 0 : !isForeign(value);
}

/**
 * An adopted value as a node or a reducer may have it: the value itself, except that bytes, dates and the like inside
 * it are copies, since they cannot be made read-only. Parts that `stays` names are not copied.
 */
export function handOut<T>(value: T, copies?: Copies, stays: PartTest = noPart): T {
  return isMutable(value) ? thaw(value as T & object, copies ?? new Copies(), stays) : value;
}

type PartTest = (part: object) => boolean;
const noPart: PartTest = () => false;

/** Deeper values are refused: they would end in a stack overflow in a reader that is less careful. */
const MAX_DEPTH = 1000;

function copy<T extends object>(value: T, copies: Copies, depth: number): T;
function copy(value: object, copies: Copies, depth: number): object {
  const known = copies.get(value);
  if (known !== undefined) return known;
  if (depth > MAX_DEPTH) throw new UnserializableError(`it is nested more than ${MAX_DEPTH} levels deep`, []);
  if (Array.isArray(value)) return copyArray(value, copies, depth);
  if (isPlain(value)) return copyRecord(value, copies, depth);
  if (isMap(value)) return copyMap(value, copies, depth);
  if (isSet(value)) return copySet(value, copies, depth);
  const clone = copyOpaque(value);
  if (clone === undefined) return value;
  copies.set(value, clone);
  // One that was given back, or is adopted as it is made, cannot change.
  if (!isAdopted(clone)) mark(clone, clone === value ? 0 : MUTABLE);
  return clone;
}

function copyArray(value: readonly unknown[], copies: Copies, depth: number): object {
  const result: unknown[] = value.slice();
  copies.set(value, result);
  mark(result);
  for (let index = 0; index < result.length; index++) {
    const part = result[index];
    // What is stored of a hole is undefined.
    result[index] = part === undefined ? undefined : child(result, part, copies, depth);
  }
  return Object.freeze(result);
}

function copyRecord(value: object, copies: Copies, depth: number): object {
  const result: Record<PropertyKey, unknown> = { ...value };
  copies.set(value, result);
  mark(result);
  for (const key of Object.keys(result)) {
    const part = result[key];
    // Assigning is safe for "__proto__" too: the spread made it a property of the copy's own.
    result[key] = child(result, part, copies, depth);
  }
  if (Object.getOwnPropertySymbols(result).length > 0) mark(result, FOREIGN);
  return Object.freeze(result);
}

function copyMap(value: ReadonlyMap<unknown, unknown>, copies: Copies, depth: number): object {
  const result = new Map<unknown, unknown>();
  copies.set(value, result);
  mark(result);
  for (const [key, part] of value) {
    result.set(child(result, key, copies, depth), child(result, part, copies, depth));
  }
  return lock(result, LOCKED_MAP);
}

function copySet(value: ReadonlySet<unknown>, copies: Copies, depth: number): object {
  const result = new Set<unknown>();
  copies.set(value, result);
  mark(result);
  for (const part of value) result.add(child(result, part, copies, depth));
  return lock(result, LOCKED_SET);
}

function child(parent: object, part: unknown, copies: Copies, depth: number): unknown {
  const isNew = isObject(part) && !isAdopted(part);
  const result = isNew ? copy(part, copies, depth + 1) : part;
  inherit(parent, result);
  if (isNew) inheritCycle(parent, result);
  return result;
}

/** What is true of a part is true of the whole. What is not adopted was passed through. */
function inherit(parent: object, part: unknown): void {
  const traits = isObject(part) ? (traitsOf(part) ?? FOREIGN) : isForeign(part) ? FOREIGN : 0;
  if (traits !== 0) mark(parent, traits);
}

function own(value: object): void {
  if (Array.isArray(value)) {
    mark(value);
    for (const part of value) ownPart(value, part);
    Object.freeze(value);
  } else if (isMap(value)) {
    mark(value);
    for (const [key, part] of value) {
      ownPart(value, key);
      ownPart(value, part);
    }
    lock(value, LOCKED_MAP);
  } else if (isSet(value)) {
    mark(value);
    for (const part of value) ownPart(value, part);
    lock(value, LOCKED_SET);
  } else if (isPlain(value)) {
    mark(value);
    for (const key of Object.keys(value)) ownPart(value, Reflect.get(value, key));
    Object.freeze(value);
  } else {
    ownOpaque(value);
  }
}

function ownOpaque(value: object): void {
  const clone = isBytes(value) ? undefined : copyOpaque(value);
  if (isBytes(value)) mark(value, MUTABLE);
  // One that was given back, or is adopted as it is made, cannot change.
  else if (clone !== undefined) mark(value, clone === value || isAdopted(clone) ? 0 : MUTABLE);
}

function ownPart(parent: object, part: unknown): void {
  if (isObject(part) && !isAdopted(part)) own(part);
  inherit(parent, part);
  inheritCycle(parent, part);
}

/** What leads back to a part that is not complete yet counts as mutable: nobody knows what else will be in it. */
function inheritCycle(parent: object, part: unknown): void {
  if (isObject(part) && !Object.isFrozen(part) && isAdopted(part) && isContainer(part)) mark(parent, MUTABLE);
}

function isContainer(value: object): boolean {
  return Array.isArray(value) || isPlain(value) || isMap(value) || isSet(value);
}

function thaw<T extends object>(value: T, copies: Copies, stays: PartTest): T;
function thaw(value: object, copies: Copies, stays: PartTest): object {
  if (!isMutable(value) || stays(value)) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  const part = (inner: unknown): unknown => (isObject(inner) ? thaw(inner, copies, stays) : inner);
  if (Array.isArray(value)) {
    const result: unknown[] = [];
    copies.set(value, result);
    for (const inner of value) result.push(part(inner));
    return Object.freeze(result);
  }
  if (isMap(value)) {
    const result = new Map<unknown, unknown>();
    copies.set(value, result);
    for (const [key, inner] of value) result.set(part(key), part(inner));
    return lock(result, LOCKED_MAP);
  }
  if (isSet(value)) {
    const result = new Set<unknown>();
    copies.set(value, result);
    for (const inner of value) result.add(part(inner));
    return lock(result, LOCKED_SET);
  }
  const clone = copyOpaque(value);
  if (clone !== undefined) {
    copies.set(value, clone);
    return clone;
  }
  const result: Record<PropertyKey, unknown> = { ...value };
  copies.set(value, result);
  for (const key of Object.keys(result)) result[key] = part(result[key]);
  return Object.freeze(result);
}

function refuse(kind: string): PropertyDescriptor {
  return {
    value: () => {
      throw new TypeError(`Cannot change a ${kind} that is part of the state`);
    },
  };
}

/** Own properties that hide the methods which change a Map or a Set. */
const LOCKED_MAP = { set: refuse("Map"), delete: refuse("Map"), clear: refuse("Map") };
const LOCKED_SET = { add: refuse("Set"), delete: refuse("Set"), clear: refuse("Set") };

function lock<T extends object>(collection: T, methods: PropertyDescriptorMap): T {
  return Object.freeze(Object.defineProperties(collection, methods));
}

function isMap(value: object): value is Map<unknown, unknown> {
  return Object.getPrototypeOf(value) === Map.prototype;
}

function isSet(value: object): value is Set<unknown> {
  return Object.getPrototypeOf(value) === Set.prototype;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isForeign(value: unknown): boolean {
  return typeof value === "function" || typeof value === "symbol";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
