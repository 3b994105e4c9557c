import type { SharedEnds } from "../../values/shared-ends.ts";
import type { Change } from "./change.ts";
import { fingerprint } from "./fingerprint.ts";

/** Two sequences that are compared member by member. */
export interface Pair {
  readonly oldLength: number;
  readonly newLength: number;
  /** By identity. */
  readonly ends: SharedEnds;
  /** By identity. */
  isSame(oldIndex: number, newIndex: number): boolean;
  /** By content. Leaves no trace when it is not so. */
  isEqual(oldIndex: number, newIndex: number): boolean;
  /** What tells a member from others, to find it elsewhere. */
  oldKey(index: number): unknown;
  newKey(index: number): unknown;
  /** How the old member becomes the new one; undefined when it is equal, `WHOLE` when it has to be written out. */
  patch(oldIndex: number, newIndex: number): Change | typeof WHOLE | undefined;
}

export const WHOLE: unique symbol = Symbol("whole");

/** Takes the steps that build the new sequence, in order, and in between what is gone from the old one. */
export interface Steps {
  copy(oldIndex: number, count: number): void;
  insert(newIndex: number): void;
  patch(oldIndex: number, newIndex: number, change: Change): void;
  remove(oldIndex: number): void;
}

/**
 * Finds how a sequence became another one. What stayed in front and at the end is passed over first, by identity and
 * then by content; in between, members are looked up, so that removals and another order cost no more than positions.
 */
export function align(pair: Pair, steps: Steps): void {
  const { oldLength, newLength, ends } = pair;
  let start = ends.head;
  let oldEnd = oldLength - ends.tail;
  let newEnd = newLength - ends.tail;
  while (start < oldEnd && start < newEnd && pair.isEqual(start, start)) start++;
  while (oldEnd > start && newEnd > start && pair.isEqual(oldEnd - 1, newEnd - 1)) {
    oldEnd--;
    newEnd--;
  }
  steps.copy(0, start);
  if (oldEnd === start) {
    for (let index = start; index < newEnd; index++) steps.insert(index);
  } else if (newEnd === start) {
    for (let index = start; index < oldEnd; index++) steps.remove(index);
  } else {
    emit(pair, new Middle(pair, start, oldEnd, newEnd), steps);
  }
  steps.copy(oldEnd, oldLength - oldEnd);
}

const NOWHERE = -1;

/** How many members that look alike a new one is compared with. */
const MAX_CANDIDATES = 8;

/** What is left between the common beginning and the common end: where each new member comes from. */
class Middle {
  readonly start: number;
  readonly oldEnd: number;
  readonly newEnd: number;
  readonly #sources: Int32Array;
  readonly #claimed: Uint8Array;

  constructor(pair: Pair, start: number, oldEnd: number, newEnd: number) {
    this.start = start;
    this.oldEnd = oldEnd;
    this.newEnd = newEnd;
    this.#sources = new Int32Array(newEnd - start).fill(NOWHERE);
    this.#claimed = new Uint8Array(oldEnd - start);
    const isFound = this.#findSame(pair);
    if (!isFound && (oldEnd - start > 1 || newEnd - start > 1)) this.#findEqual(pair);
  }

  sourceOf(newIndex: number): number {
    return this.#sources[newIndex - this.start] ?? NOWHERE;
  }

  isFree(oldIndex: number): boolean {
    return oldIndex < this.oldEnd && this.#claimed[oldIndex - this.start] === 0;
  }

  /** Whether all new members were found. */
  #findSame(pair: Pair): boolean {
    const positions = new Map<unknown, number>();
    for (let index = this.oldEnd - 1; index >= this.start; index--) positions.set(pair.oldKey(index), index);
    let next = this.start;
    let found = 0;
    for (let index = this.start; index < this.newEnd; index++) {
      const isNext = next < this.oldEnd && pair.isSame(next, index);
      const source = isNext ? next : positions.get(pair.newKey(index));
      if (source === undefined || !(isNext || pair.isSame(source, index))) continue;
      this.claim(source, index);
      next = source + 1;
      found++;
    }
    return found === this.newEnd - this.start;
  }

  #findEqual(pair: Pair): void {
    const byPrint = new Map<number, number[]>();
    let next = NOWHERE;
    for (let index = this.start; index < this.oldEnd; index++) {
      if (!this.isFree(index)) continue;
      const print = fingerprint(pair.oldKey(index));
      const alike = byPrint.get(print);
      if (alike === undefined) byPrint.set(print, [index]);
      else alike.push(index);
    }
    if (byPrint.size === 0) return;
    for (let index = this.start; index < this.newEnd; index++) {
      if (this.sourceOf(index) !== NOWHERE) continue;
      // Most often a whole run has moved.
      const isNext = this.isFree(next) && pair.isEqual(next, index);
      const source = isNext
        ? next
        : this.#findAmong(pair, byPrint.get(fingerprint(pair.newKey(index))) ?? [], index);
      if (source === undefined) continue;
      this.claim(source, index);
      next = source + 1;
    }
  }

  #findAmong(pair: Pair, alike: number[], newIndex: number): number | undefined {
    while (alike[0] !== undefined && !this.isFree(alike[0])) alike.shift();
    const candidates = alike.slice(0, MAX_CANDIDATES);
    return candidates.find((index) => this.isFree(index) && pair.isEqual(index, newIndex));
  }

  claim(oldIndex: number, newIndex: number): void {
    this.#sources[newIndex - this.start] = oldIndex;
    this.#claimed[oldIndex - this.start] = 1;
  }
}

/** A new member that was not found is compared with the old one that stood in its place, if that one is gone. */
function emit(pair: Pair, middle: Middle, steps: Steps): void {
  let place = middle.start;
  for (let index = middle.start; index < middle.newEnd; index++) {
    const source = middle.sourceOf(index);
    if (source !== NOWHERE) {
      steps.copy(source, 1);
      place = source + 1;
      continue;
    }
    const isFree = middle.isFree(place);
    const change = isFree ? pair.patch(place, index) : WHOLE;
    if (change === WHOLE) steps.insert(index);
    else if (change === undefined) steps.copy(place, 1);
    else steps.patch(place, index, change);
    if (isFree && change === WHOLE) steps.remove(place);
    if (isFree) middle.claim(place++, index);
  }
  for (let index = middle.start; index < middle.oldEnd; index++)
    if (middle.isFree(index)) steps.remove(index);
}
