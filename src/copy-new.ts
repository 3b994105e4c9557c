import { FOREIGN, inherit, inheritCycle, isAdopted, mark, MUTABLE } from "./adopted.ts";
import { type Columns, mapColumns, recordColumns, rememberMap, rememberRecord } from "./columns.ts";
import { isMap, isObject, isPlain, isSet, lockMap, lockSet } from "./containers.ts";
import type { Copies } from "./copies.ts";
import { UnserializableError } from "./errors.ts";
import { copyOpaque } from "./opaque.ts";
import { setOwn } from "./set-own.ts";
import { endsOf, LONG, NO_ENDS, rememberEnds, type SharedEnds } from "./shared-ends.ts";

const NOTHING = Object.freeze({});

/** Deeper values are refused: they would end in a stack overflow in a reader that is less careful. */
const MAX_DEPTH = 1000;

/**
 * An adopted copy of a value that is not adopted. Where both the value and `before`, which is adopted, have the same member at
 * the same end, it is not looked at: what is in it is known.
 */
export function copy<T extends object>(value: T, copies: Copies, depth: number, before?: unknown): T;
export function copy(value: object, copies: Copies, depth: number, before?: unknown): object {
  const known = copies.get(value);
  if (known !== undefined) return known;
  if (depth > MAX_DEPTH) throw new UnserializableError(`it is nested more than ${MAX_DEPTH} levels deep`, []);
  const old = isObject(before) && isAdopted(before) ? before : NOTHING;
  if (Array.isArray(value)) return copyList(value, copies, depth, old);
  if (isPlain(value)) return copyRecord(value, copies, depth, old);
  if (isMap(value)) return copyMap(value, copies, depth, old);
  if (isSet(value)) return copySet(value, copies, depth, old);
  const clone = copyOpaque(value);
  if (clone === undefined) return value;
  copies.set(value, clone);
  // One that was given back, or is adopted as it is made, cannot change.
  if (!isAdopted(clone)) mark(clone, clone === value ? 0 : MUTABLE);
  return clone;
}

function copyList(value: readonly unknown[], copies: Copies, depth: number, before: object): object {
  // What is stored of a hole is undefined.
  const result: unknown[] = [...value];
  copies.set(value, result);
  mark(result);
  const ends = Array.isArray(before) ? takeOver(result, before, [before], [result]) : NO_ENDS;
  const end = result.length - ends.tail;
  for (let index = ends.head; index < end; index++)
    result[index] = child(result, result[index], copies, depth);
  return Object.freeze(result);
}

function copyRecord(value: object, copies: Copies, depth: number, before: object): object {
  const keys = Object.keys(value);
  if (keys.length > LONG) return copyLongRecord(value, keys, copies, depth, before);
  const result: Record<PropertyKey, unknown> = { ...value };
  copies.set(value, result);
  mark(result);
  for (const key of keys) {
    const part = result[key];
    // Assigning is safe for "__proto__" too: the spread made it a property of the copy's own.
    if (isObject(part)) result[key] = child(result, part, copies, depth, Reflect.get(before, key));
    else inherit(result, part);
  }
  if (Object.getOwnPropertySymbols(result).length > 0) mark(result, FOREIGN);
  return Object.freeze(result);
}

/** To copy one with thousands of keys by a spread takes twice as long. */
function copyLongRecord(
  value: object,
  keys: readonly string[],
  copies: Copies,
  depth: number,
  before: object,
): object {
  const result: Record<PropertyKey, unknown> = {};
  copies.set(value, result);
  mark(result);
  const values: unknown[] = keys.map((key) => Reflect.get(value, key));
  const ends = isPlain(before)
    ? takeOver(result, before, listsOf(recordColumns(before)), [keys, values])
    : NO_ENDS;
  const end = keys.length - ends.tail;
  for (const [index, key] of keys.entries()) {
    if (index >= ends.head && index < end)
      values[index] = child(result, values[index], copies, depth, Reflect.get(before, key));
    setOwn(result, key, values[index]);
  }
  const symbols = Object.getOwnPropertySymbols(value);
  if (symbols.length === 0) rememberRecord(result, { keys, values });
  else {
    mark(result, FOREIGN);
    for (const symbol of symbols) result[symbol] = Reflect.get(value, symbol);
  }
  return Object.freeze(result);
}

function copyMap(
  value: ReadonlyMap<unknown, unknown>,
  copies: Copies,
  depth: number,
  before: object,
): object {
  const result = new Map(value);
  copies.set(value, result);
  mark(result);
  const keys: unknown[] = Array.from(value.keys());
  const values: unknown[] = Array.from(value.values());
  const old = isMap(before) ? before : undefined;
  const ends = old ? takeOver(result, old, listsOf(mapColumns(old)), [keys, values]) : NO_ENDS;
  const end = keys.length - ends.tail;
  let hasNewKeys = false;
  for (let index = ends.head; index < end; index++) {
    const key = keys[index];
    keys[index] = child(result, key, copies, depth);
    values[index] = child(result, values[index], copies, depth, old?.get(key));
    hasNewKeys ||= keys[index] !== key;
    if (!hasNewKeys) result.set(key, values[index]);
  }
  if (hasNewKeys) {
    result.clear();
    for (const [index, key] of keys.entries()) result.set(key, values[index]);
  }
  rememberMap(result, { keys, values });
  return lockMap(result);
}

function copySet(value: ReadonlySet<unknown>, copies: Copies, depth: number, before: object): object {
  const result = new Set(value);
  copies.set(value, result);
  mark(result);
  const members: unknown[] = Array.from(value);
  const ends = isSet(before) ? takeOver(result, before, [Array.from(before)], [members]) : NO_ENDS;
  const end = members.length - ends.tail;
  let hasNewMembers = false;
  for (let index = ends.head; index < end; index++) {
    const member = members[index];
    members[index] = child(result, member, copies, depth);
    hasNewMembers ||= members[index] !== member;
  }
  if (hasNewMembers) {
    result.clear();
    for (const member of members) result.add(member);
  }
  return lockSet(result);
}

/** What a copy has of the value before it, by columns: this is a part of the copy as it is. */
function takeOver(
  result: object,
  before: object,
  old: readonly (readonly unknown[])[],
  next: readonly (readonly unknown[])[],
): SharedEnds {
  const ends = endsOf(old, next);
  if (ends.head + ends.tail > 0) inherit(result, before);
  rememberEnds(before, result, next[0]?.length ?? 0, ends);
  return ends;
}

function listsOf({ keys, values }: Columns): readonly (readonly unknown[])[] {
  return [keys, values];
}

function child(parent: object, part: unknown, copies: Copies, depth: number, before?: unknown): unknown {
  const isNew = isObject(part) && !isAdopted(part);
  const result = isNew ? copy(part, copies, depth + 1, before) : part;
  inherit(parent, result);
  if (isNew) inheritCycle(parent, result);
  return result;
}
