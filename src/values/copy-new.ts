import { FOREIGN, inherit, inheritCycle, isAdopted, mark, MUTABLE } from "./adopted.ts";
import {
  type Columns,
  mapColumns,
  recordColumns,
  rememberColumns,
  rememberRecordColumns,
  setMembers,
} from "../columns.ts";
import { isBare, membersOf } from "./bare.ts";
import { isDate, isList, isMap, isObject, isPlain, isSet, lockDate, lockMap, lockSet } from "./containers.ts";
import type { Copies } from "./copies.ts";
import { UnserializableError } from "../errors.ts";
import { copyOpaque } from "./opaque.ts";
import { setOwn } from "./set-own.ts";
import { endsOf, lengthOf, LONG, NO_ENDS, rememberEnds } from "./shared-ends.ts";

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
  const old = isObject(before) && isAdopted(before) && isLikely(before, value) ? before : NOTHING;
  if (isPlain(value)) return copyRecord(value, copies, depth, old);
  const members = Array.isArray(value) ? membersOf(value) : undefined;
  if (members !== undefined) return copyList(value, members, copies, depth, old);
  if (isMap(value) && isBare(value)) return copyMap(value, copies, depth, old);
  if (isSet(value) && isBare(value)) return copySet(value, copies, depth, old);
  const clone = copyOpaque(value);
  if (clone === undefined) return value;
  copies.set(value, clone);
  // One that was given back, or is adopted as it is made, cannot change.
  if (!isAdopted(clone)) markLeaf(clone, clone === value);
  return clone;
}

/** Makes a leaf a part of the state. A Date is locked; others, unless they are constant, are handed out as copies. */
export function markLeaf(leaf: object, isConstant: boolean): void {
  const canLock = isDate(leaf) && Object.isExtensible(leaf);
  mark(leaf, isConstant || canLock ? 0 : MUTABLE);
  if (canLock) lockDate(leaf);
}

/** Whether the value may be what came of the other one. What is written to a long list is often what a reducer adds to it. */
function isLikely(before: object, value: object): boolean {
  return lengthOf(before) <= 2 * lengthOf(value) + LONG;
}

/** `result` has the members of the list, and becomes the copy. */
function copyList(value: object, result: unknown[], copies: Copies, depth: number, before: object): object {
  copies.set(value, result);
  mark(result);
  copyMembers(result, [result], copies, depth, before, isList(before) ? [before] : undefined);
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
  keys: string[],
  copies: Copies,
  depth: number,
  before: object,
): object {
  const result: Record<PropertyKey, unknown> = {};
  copies.set(value, result);
  mark(result);
  const columns: Columns<string> = { keys, values: keys.map((key): unknown => Reflect.get(value, key)) };
  const old = isPlain(before) ? listsOf(recordColumns(before)) : undefined;
  copyMembers(result, listsOf(columns), copies, depth, before, old);
  keys.forEach((key, index) => setOwn(result, key, columns.values[index]));
  const symbols = Object.getOwnPropertySymbols(value);
  if (symbols.length === 0) rememberRecordColumns(result, columns);
  else mark(result, FOREIGN);
  for (const symbol of symbols) result[symbol] = Reflect.get(value, symbol);
  return Object.freeze(result);
}

function copyMap(
  value: ReadonlyMap<unknown, unknown>,
  copies: Copies,
  depth: number,
  before: object,
): object {
  const result = new Map<unknown, unknown>();
  copies.set(value, result);
  mark(result);
  const columns = mapColumns(value);
  const old = isMap(before) ? listsOf(mapColumns(before)) : undefined;
  copyMembers(result, listsOf(columns), copies, depth, before, old);
  columns.keys.forEach((key, index) => result.set(key, columns.values[index]));
  rememberColumns(result, columns);
  return lockMap(result);
}

function copySet(value: ReadonlySet<unknown>, copies: Copies, depth: number, before: object): object {
  const result = new Set(value);
  copies.set(value, result);
  mark(result);
  const members = setMembers(value);
  const old = isSet(before) ? [setMembers(before)] : undefined;
  if (copyMembers(result, [members], copies, depth, before, old)) {
    result.clear();
    for (const member of members) result.add(member);
  }
  rememberColumns(result, { keys: members, values: members });
  return lockSet(result);
}

/**
 * Copies what is new of the members, in columns, into their places. What `before` has at the same ends is a part of the copy as
 * it is. Whether any of them is another one now.
 */
function copyMembers(
  result: object,
  columns: readonly unknown[][],
  copies: Copies,
  depth: number,
  before: object,
  old: readonly (readonly unknown[])[] | undefined,
): boolean {
  const length = columns[0]?.length ?? 0;
  // A short one is looked through in less time than it takes to compare it.
  const ends = old === undefined || length <= LONG ? NO_ENDS : endsOf(old, columns);
  if (ends.head + ends.tail > 0) inherit(result, before);
  if (old !== undefined) rememberEnds(before, result, length, ends);
  let hasNew = false;
  for (const [place, column] of columns.entries()) {
    for (let index = ends.head; index < length - ends.tail; index++) {
      const part = column[index];
      column[index] = child(result, part, copies, depth, old?.[place]?.[index]);
      hasNew ||= column[index] !== part;
    }
  }
  return hasNew;
}

function listsOf({ keys, values }: Columns): unknown[][] {
  return [keys, values];
}

function child(parent: object, part: unknown, copies: Copies, depth: number, before?: unknown): unknown {
  const isNew = isObject(part) && !isAdopted(part);
  const result = isNew ? copy(part, copies, depth + 1, before) : part;
  inherit(parent, result);
  if (isNew) inheritCycle(parent, result);
  return result;
}
