import {
  CYCLIC,
  FOREIGN,
  inherit,
  inheritCycle,
  isAdopted,
  isForeign,
  mark,
  MUTABLE,
  traitsOf,
} from "./adopted.ts";
import { isDate, isList, isMap, isObject, isPlain, isSet, lockMap, lockSet } from "./containers.ts";
import { copy, markLeaf } from "./copy-new.ts";
import { Copies } from "./copies.ts";
import { copyOpaque, isBytes } from "./opaque.ts";
import { rememberEnds } from "./shared-ends.ts";

export { isAdopted } from "./adopted.ts";

/**
 * State is never changed in place. A value that enters the state is *adopted*: its plain arrays, objects and errors are copied
 * and frozen, Maps, Sets and dates are copied into ones that refuse to change, and what can be neither frozen nor locked
 * (bytes, URLs, patterns) is copied and handed out as further copies. Parts that are adopted already are kept as
 * they are, so the cost is that of what is new, and identity means equality. The caller's own objects stay untouched.
 *
 * Instances of a class with a codec are copied by it, and handed out as further copies, unless they cannot change. Other
 * instances pass through: only their owner knows how to copy them.
 *
 * `before` is the value in whose place it comes, if there is one. What stands at the same end of both is known from there.
 */
export function adopt<T>(value: T, before?: unknown): T {
  return isAdopted(value) ? value : copy(value as T & object, new Copies(), 0, before);
}

/** Adopts several values, each in the place of the one before it: what they share, they go on to share. */
export function adoptAll(values: readonly unknown[], before: readonly unknown[]): unknown[] {
  const copies = new Copies();
  return values.map((value, index) =>
    isAdopted(value) ? value : copy(value as object, copies, 0, before[index]),
  );
}

/**
 * Adopts a new list without looking at its parts one by one: they are parts of an adopted list, and `added`, which are
 * adopted too. The list itself is frozen, not copied. For reducers that append to long lists: `head` is how many members
 * stand at the beginning of both.
 */
export function adoptDerived<T>(
  list: T[],
  from: readonly T[],
  added: readonly T[],
  head?: number,
): readonly T[] {
  mark(list);
  if (head !== undefined) rememberEnds(from, list, list.length, { head, tail: 0 });
  for (const part of [from, ...added]) inherit(list, part);
  return Object.freeze(list);
}

/**
 * The same for a copy of an adopted list in which `others`, which are adopted, have replaced all members that were passed through,
 * or hold such parts.
 */
export function adoptReplaced<T>(list: T[], from: readonly T[], others: readonly T[]): readonly T[] {
  mark(list, (traitsOf(from) ?? 0) & MUTABLE);
  for (const part of others) inherit(list, part);
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

/**
 * Whether all in the value is ours: containers and leaves that are adopted, none of which leads back to itself. False for
 * what is not adopted, and where a part was passed through.
 */
export function isWhollyAdopted(value: object): boolean {
  return ((traitsOf(value) ?? FOREIGN) & (FOREIGN | CYCLIC)) === 0;
}

/** Whether an adopted value is, or contains, something that cannot be made read-only. */
export function isMutable(value: unknown): boolean {
  return isObject(value) && ((traitsOf(value) ?? 0) & MUTABLE) !== 0;
}

/**
 * Whether the value is data that can never change: no part of it has to be copied for anybody, and each can be stored.
 * False for what is not adopted, and where a part is bytes, an instance of a class, or a function.
 */
export function isConstant(value: unknown): boolean {
  return isObject(value) ? traitsOf(value) === 0 : !isForeign(value);
}

/**
 * An adopted value as a node or a caller may have it: the value itself, except that bytes, URLs and the like inside
 * it are copies, since they cannot be made read-only.
 */
export function handOut<T>(value: T): T {
  return isMutable(value) ? (thaw(value as T & object, { copies: new Copies(), stays: noPart }) as T) : value;
}

/** The same, adopted: what could be changed in it, nobody else has. Parts that `stays` names are not copied. */
export function adoptedCopy<T>(value: T, copies = new Copies(), stays: PartTest = noPart): T {
  return isMutable(value) ? (thaw(value as T & object, { copies, stays, isAdopting: true }) as T) : value;
}

type PartTest = (part: object) => boolean;
const noPart: PartTest = () => false;

function own(value: object): void {
  if (isList(value)) {
    mark(value);
    for (const part of value) ownPart(value, part);
    Object.freeze(value);
  } else if (isMap(value)) {
    mark(value);
    for (const [key, part] of value) {
      ownPart(value, key);
      ownPart(value, part);
    }
    lockMap(value);
  } else if (isSet(value)) {
    mark(value);
    for (const part of value) ownPart(value, part);
    lockSet(value);
  } else if (isPlain(value) || value instanceof Error) {
    mark(value);
    // What is hidden in an error, its cause, is a part of it, too.
    for (const key of Object.getOwnPropertyNames(value)) ownPart(value, Reflect.get(value, key));
    Object.freeze(value);
  } else {
    ownOpaque(value);
  }
}

function ownOpaque(value: object): void {
  const clone = isBytes(value) || isDate(value) ? null : copyOpaque(value);
  // One that was given back, or is adopted as it is made, cannot change.
  if (clone !== undefined) markLeaf(value, clone !== null && (clone === value || isAdopted(clone)));
}

function ownPart(parent: object, part: unknown): void {
  if (isObject(part) && !isAdopted(part)) own(part);
  inherit(parent, part);
  inheritCycle(parent, part);
}

interface Thawing {
  readonly copies: Copies;
  readonly stays: PartTest;
  readonly isAdopting?: boolean;
}

function thaw(value: object, to: Thawing): object {
  if (!isMutable(value) || to.stays(value)) return value;
  const known = to.copies.get(value);
  if (known !== undefined) return known;
  const part = (inner: unknown): unknown => (isObject(inner) ? thaw(inner, to) : inner);
  if (isList(value)) {
    const result: unknown[] = thawing(value, [], to);
    for (const inner of value) result.push(part(inner));
    return Object.freeze(result);
  }
  if (isMap(value)) {
    const result = thawing(value, new Map<unknown, unknown>(), to);
    for (const [key, inner] of value) result.set(part(key), part(inner));
    return lockMap(result);
  }
  if (isSet(value)) {
    const result = thawing(value, new Set<unknown>(), to);
    for (const inner of value) result.add(part(inner));
    return lockSet(result);
  }
  if (!isPlain(value)) {
    // An error with an instance in it that only a serializer knows is no more ours to copy than that is.
    const clone = copyOpaque(value) ?? value;
    to.copies.set(value, clone);
    if (to.isAdopting && !isAdopted(clone)) markLeaf(clone, false);
    return clone;
  }
  const result: Record<PropertyKey, unknown> = thawing(value, { ...value }, to);
  for (const key of Object.keys(result)) result[key] = part(result[key]);
  return Object.freeze(result);
}

/** The copy, of which is known what is known of the value: it is to have the same parts. */
function thawing<Copy extends object>(value: object, result: Copy, { copies, isAdopting }: Thawing): Copy {
  copies.set(value, result);
  if (isAdopting) mark(result, traitsOf(value));
  return result;
}
