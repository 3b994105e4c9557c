import { adoptOwned } from "../../values/adopt.ts";
import { keysOf } from "../../columns.ts";
import { knownEnds } from "../../values/shared-ends.ts";
import { RECORD_ROOM, roomOfMembers } from "./budget.ts";
import type { Change } from "./change.ts";
import type { PartComparison } from "./part-comparison.ts";
import { KEEP, NEW_RECORD, ORDERED_RECORD, RECORD } from "./node.ts";
import { weigh } from "./weigh.ts";

type PlainRecord = Readonly<Record<string, unknown>>;

/** Bytes of a node without what is in it, and of a position. */
const NODE = 3;
const POSITION = 2;

export function diffRecord(differ: PartComparison, old: PlainRecord, next: PlainRecord): Change | undefined {
  const oldKeys = keysOf(old);
  const keys = keysOf(next);
  const known = knownEnds(old, next);
  const start = known?.areSame ? known.head : 0;
  if (!isInOrder(oldKeys, keys, old, next, start)) return diffOrdered(differ, old, next, oldKeys, keys);
  const removed: number[] = [];
  const draft = new Draft(next, [RECORD, 0], oldKeys.length);
  let place = start;
  for (let position = start; position < oldKeys.length; position++) {
    const key = oldKeys[position] ?? "";
    const before = old[key];
    if (keys[place] !== key) {
      removed.push(position);
      draft.remove(key, before);
      continue;
    }
    place++;
    const after = next[key];
    if (Object.is(before, after)) continue;
    const change = differ.compare(before, after, key);
    if (change === undefined) draft.keep(key, before);
    else draft.set(position, key, change);
  }
  for (; place < keys.length; place++) {
    const key = keys[place] ?? "";
    draft.set(key, key, differ.add(next[key], key));
  }
  if (draft.isEmpty && removed.length === 0) return undefined;
  if (removed.length > 0) draft.node[1] = removed;
  return draft.finish();
}

/** Whether the new keys are the old ones without some of them, and then others. They are the same up to `start`. */
function isInOrder(
  oldKeys: readonly string[],
  keys: readonly string[],
  old: PlainRecord,
  next: PlainRecord,
  start: number,
): boolean {
  let place = start;
  for (let position = start; position < oldKeys.length; position++) {
    const key = oldKeys[position] ?? "";
    if (keys[place] === key) place++;
    else if (Object.hasOwn(next, key)) return false;
  }
  for (; place < keys.length; place++) if (Object.hasOwn(old, keys[place] ?? "")) return false;
  return true;
}

function diffOrdered(
  differ: PartComparison,
  old: PlainRecord,
  next: PlainRecord,
  oldKeys: readonly string[],
  keys: readonly string[],
): Change {
  const positions = new Map(oldKeys.map((key, position) => [key, position]));
  const draft = new Draft(next, [ORDERED_RECORD]);
  for (const key of keys) {
    const position = positions.get(key);
    if (position === undefined) {
      draft.set(key, key, differ.add(next[key], key));
      continue;
    }
    positions.delete(key);
    const change = differ.compare(old[key], next[key], key);
    if (change === undefined) {
      draft.keep(key, old[key]);
      draft.node.push(position, KEEP);
    } else {
      draft.set(position, key, change);
    }
  }
  for (const key of positions.keys()) draft.remove(key, old[key]);
  return draft.finish();
}

/** A record that takes no other's place, each of its parts written by itself. */
export function newRecord(differ: PartComparison, next: PlainRecord): Change {
  const draft = new Draft(next, [NEW_RECORD]);
  for (const key of keysOf(next)) draft.set(key, key, differ.add(next[key], key));
  return draft.finish();
}

class Draft {
  /** The head of the node, then places and what becomes of the parts there. */
  readonly node: unknown[];
  readonly #head: number;
  readonly #next: PlainRecord;
  /** Parts that are not those of the new record: equal old ones, or the form in which they are stored. */
  #others: Map<string, unknown> | undefined;
  #bytes = 0;
  #growth = 0;
  #built: number;

  /** `copied`: of how many old parts all begins. */
  constructor(next: PlainRecord, head: readonly unknown[], copied = 0) {
    this.#built = RECORD_ROOM + roomOfMembers(copied);
    this.node = [...head];
    this.#head = head.length;
    this.#next = next;
  }

  get isEmpty(): boolean {
    return this.node.length === this.#head;
  }

  keep(key: string, old: unknown): void {
    this.#take(key, old);
  }

  /** `place` is the key's position in the old record, or its name. */
  set(place: number | string, key: string, { node, value, bytes, growth, built }: Change): void {
    const isNew = place === key;
    this.node.push(place, node);
    this.#bytes += bytes + (isNew ? key.length : 0);
    this.#growth += growth + (isNew ? key.length + 1 : 0);
    this.#built += built;
    this.#take(key, value);
  }

  remove(key: string, old: unknown): void {
    this.#bytes += POSITION;
    this.#growth -= key.length + 1 + weigh(old);
  }

  finish(): Change {
    const parts = (this.node.length - this.#head) / 2;
    return {
      node: this.node,
      value: this.#value(),
      bytes: NODE + POSITION * parts + this.#bytes,
      growth: this.#growth,
      built: this.#built + roomOfMembers(parts),
    };
  }

  #take(key: string, value: unknown): void {
    if (Object.is(value, this.#next[key])) return;
    this.#others ??= new Map();
    this.#others.set(key, value);
  }

  #value(): PlainRecord {
    if (this.#others === undefined) return this.#next;
    const copy: Record<string, unknown> = { ...this.#next };
    // Assigning is safe for "__proto__" too: the spread made it a property of the copy's own.
    for (const [key, value] of this.#others) copy[key] = value;
    return adoptOwned(copy);
  }
}
