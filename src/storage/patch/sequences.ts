import { adoptDerived, adoptOwned } from "../../adopt.ts";
import { align, WHOLE } from "./align.ts";
import type { Pair } from "./align.ts";
import type { Change } from "./change.ts";
import type { Differ } from "./differ.ts";
import { isObject, kindOf } from "./kind.ts";
import { LIST, MAP, SET } from "./node.ts";
import { SequenceDraft } from "./sequence-draft.ts";
import type { Members } from "./sequence-draft.ts";
import { weigh } from "./weigh.ts";

type Entry = readonly [key: unknown, value: unknown];

export function diffList(
  differ: Differ,
  old: readonly unknown[],
  next: readonly unknown[],
): Change | undefined {
  const draft = new SequenceDraft(LIST, old, plainMembers(differ, old, next));
  const before = differ.substitutions;
  align(plainPair(differ, old, next), draft);
  return draft.finish(next, differ.substitutions > before, (members, written) =>
    adoptDerived(members, old, written),
  );
}

export function diffSet(
  differ: Differ,
  old: ReadonlySet<unknown>,
  next: ReadonlySet<unknown>,
): Change | undefined {
  const [oldMembers, members] = [Array.from(old), Array.from(next)];
  const draft = new SequenceDraft(SET, oldMembers, plainMembers(differ, oldMembers, members));
  const before = differ.substitutions;
  align({ ...plainPair(differ, oldMembers, members), patch: () => WHOLE }, draft);
  const made = new Made<Set<unknown>>();
  const change = draft.finish(next, differ.substitutions > before, (all) =>
    made.of(new Set(all), all.length),
  );
  return made.isComplete ? change : unusable(change);
}

export function diffMap(
  differ: Differ,
  old: ReadonlyMap<unknown, unknown>,
  next: ReadonlyMap<unknown, unknown>,
): Change | undefined {
  const [oldEntries, entries] = [Array.from(old), Array.from(next)];
  const draft = new SequenceDraft(MAP, oldEntries, entryMembers(differ, oldEntries, entries));
  const before = differ.substitutions;
  align(entryPair(differ, oldEntries, entries), draft);
  const made = new Made<Map<unknown, unknown>>();
  const change = draft.finish(next, differ.substitutions > before, (all) =>
    made.of(new Map(all), all.length),
  );
  return made.isComplete ? change : unusable(change);
}

/**
 * A Set, or a Map by its keys, holds an object once, and equal ones beside each other. One old object must not stand for
 * two of them.
 */
class Made<Collection extends { readonly size: number }> {
  isComplete = true;

  of(collection: Collection, members: number): Collection {
    this.isComplete = collection.size === members;
    return adoptOwned(collection);
  }
}

/** A change that is longer than any value, which is written out then. */
function unusable(change: Change | undefined): Change | undefined {
  return change && { ...change, bytes: Infinity };
}

function plainPair(differ: Differ, old: readonly unknown[], next: readonly unknown[]): Pair {
  return {
    oldLength: old.length,
    newLength: next.length,
    identical: identicalMembers(old, next),
    isSame: (i, j) => differ.isSame(old[i], next[j]),
    isEqual: (i, j) => differ.isEqual(old[i], next[j]),
    oldKey: (i) => old[i],
    newKey: (j) => next[j],
    patch: (i, j) => (isAlike(old[i], next[j]) ? differ.compare(old[i], next[j]) : WHOLE),
  };
}

/** Long lists mostly differ at their end: all the work on the rest is in this loop. */
function identicalMembers(old: readonly unknown[], next: readonly unknown[]): number {
  const length = Math.min(old.length, next.length);
  for (let index = 0; index < length; index++) {
    const [before, after] = [old[index], next[index]];
    if (before === after && before !== 0) continue;
    if (!Object.is(before, after)) return index;
  }
  return length;
}

function plainMembers(differ: Differ, old: readonly unknown[], next: readonly unknown[]): Members<unknown> {
  return {
    add: (index) => {
      const { node, value, bytes } = differ.add(next[index]);
      return { nodes: [node], member: value, bytes, isOther: !Object.is(value, next[index]) };
    },
    patch: (_, index, value) => ({ member: value, isOther: !Object.is(value, next[index]) }),
    weigh: (index) => weigh(old[index]),
  };
}

function entryPair(differ: Differ, old: readonly Entry[], next: readonly Entry[]): Pair {
  const isSame = (i: number, j: number, part: 0 | 1) => differ.isSame(old[i]?.[part], next[j]?.[part]);
  const isEqual = (i: number, j: number, part: 0 | 1) => differ.isEqual(old[i]?.[part], next[j]?.[part]);
  return {
    oldLength: old.length,
    newLength: next.length,
    identical: 0,
    isSame: (i, j) => isSame(i, j, 0) && isSame(i, j, 1),
    isEqual: (i, j) => isEqual(i, j, 0) && isEqual(i, j, 1),
    oldKey: (i) => old[i]?.[0],
    newKey: (j) => next[j]?.[0],
    patch: (i, j) => (isEqual(i, j, 0) ? differ.compare(old[i]?.[1], next[j]?.[1]) : WHOLE),
  };
}

function entryMembers(differ: Differ, old: readonly Entry[], next: readonly Entry[]): Members<Entry> {
  return {
    add: (index) => {
      const entry = next[index];
      const [key, value] = [differ.add(entry?.[0]), differ.add(entry?.[1])];
      return {
        nodes: [key.node, value.node],
        member: [key.value, value.value],
        bytes: key.bytes + value.bytes,
        isOther: !Object.is(key.value, entry?.[0]) || !Object.is(value.value, entry?.[1]),
      };
    },
    patch: (oldIndex, _, value) => ({ member: [old[oldIndex]?.[0], value], isOther: true }),
    weigh: (index) => weigh(old[index]?.[0]) + weigh(old[index]?.[1]),
  };
}

/** Whether comparing them part by part may lead to something. */
function isAlike(old: unknown, next: unknown): boolean {
  return isObject(old) && isObject(next) && kindOf(old) === kindOf(next);
}
