import { adoptDerived, adoptOwned } from "../../values/adopt.ts";
import { setMembers } from "../../columns.ts";
import { endsOf, type SharedEnds } from "../../values/shared-ends.ts";
import { align, WHOLE } from "./align.ts";
import type { Pair } from "./align.ts";
import type { Change } from "./change.ts";
import type { MemberComparison } from "./part-comparison.ts";
import { Entries } from "./entries.ts";
import type { Entry } from "./entries.ts";
import { isObject, kindOf } from "./kind.ts";
import { LIST, MAP, NEW_LIST, SET } from "./node.ts";
import { SequenceDraft } from "./sequence-draft.ts";
import type { Members } from "./sequence-draft.ts";
import { weigh } from "./weigh.ts";

export function diffList(
  differ: MemberComparison,
  old: readonly unknown[],
  next: readonly unknown[],
): Change | undefined {
  const draft = new SequenceDraft(LIST, old, plainMembers(differ, old, next));
  const before = differ.substitutions;
  align(plainPair(differ, old, next, differ.knownEnds(old, next)), draft);
  return draft.finish(next, differ.substitutions > before, (members, written) =>
    adoptDerived(members, old, written),
  );
}

/** A list that takes no other's place, each of its members written by itself. */
export function newList(differ: MemberComparison, next: readonly unknown[]): Change | undefined {
  const draft = new SequenceDraft(NEW_LIST, [], plainMembers(differ, [], next));
  for (const index of next.keys()) draft.insert(index);
  return draft.finish(next, false, adoptOwned);
}

export function diffSet(
  differ: MemberComparison,
  old: ReadonlySet<unknown>,
  next: ReadonlySet<unknown>,
): Change | undefined {
  const [oldMembers, members] = [setMembers(old), setMembers(next)];
  const draft = new SequenceDraft(SET, oldMembers, plainMembers(differ, oldMembers, members));
  const before = differ.substitutions;
  const pair = plainPair(differ, oldMembers, members, differ.knownEnds(old, next));
  align({ ...pair, patch: () => WHOLE }, draft);
  const made = new Made<Set<unknown>>();
  const change = draft.finish(next, differ.substitutions > before, (all) =>
    made.of(new Set(all), all.length),
  );
  return made.isComplete ? change : unusable(change);
}

export function diffMap(
  differ: MemberComparison,
  old: ReadonlyMap<unknown, unknown>,
  next: ReadonlyMap<unknown, unknown>,
): Change | undefined {
  const [oldEntries, entries] = [new Entries(old), new Entries(next)];
  const draft = new SequenceDraft(MAP, oldEntries, entryMembers(differ, oldEntries, entries));
  const before = differ.substitutions;
  align(entryPair(differ, oldEntries, entries, differ.knownEnds(old, next)), draft);
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

function plainPair(
  differ: MemberComparison,
  old: readonly unknown[],
  next: readonly unknown[],
  known: SharedEnds | undefined,
): Pair {
  const isSame = (i: number, j: number) => differ.isSame(old[i], next[j]);
  return {
    oldLength: old.length,
    newLength: next.length,
    ends: known ?? endsOf([old], [next], [isSame]),
    isSame,
    isEqual: (i, j) => differ.isEqual(old[i], next[j]),
    oldKey: (i) => old[i],
    newKey: (j) => next[j],
    patch: (i, j) => (isAlike(old[i], next[j]) ? differ.compare(old[i], next[j]) : WHOLE),
  };
}

function plainMembers(
  differ: MemberComparison,
  old: readonly unknown[],
  next: readonly unknown[],
): Members<unknown> {
  return {
    add: (index) => {
      const { node, value, ...added } = differ.add(next[index]);
      return { ...added, nodes: [node], member: value, isOther: !Object.is(value, next[index]) };
    },
    patch: (_, index, value) => ({ member: value, isOther: !Object.is(value, next[index]) }),
    weigh: (index) => weigh(old[index]),
  };
}

function entryPair(
  differ: MemberComparison,
  old: Entries,
  next: Entries,
  known: SharedEnds | undefined,
): Pair {
  const key = (i: number, j: number) => differ.isSame(old.keys[i], next.keys[j]);
  const value = (i: number, j: number) => differ.isSame(old.values[i], next.values[j]);
  const isEqualKey = (i: number, j: number) => differ.isEqual(old.keys[i], next.keys[j]);
  return {
    oldLength: old.length,
    newLength: next.length,
    ends: known ?? endsOf([old.keys, old.values], [next.keys, next.values], [key, value]),
    isSame: (i, j) => key(i, j) && value(i, j),
    isEqual: (i, j) => isEqualKey(i, j) && differ.isEqual(old.values[i], next.values[j]),
    oldKey: (i) => old.keys[i],
    newKey: (j) => next.keys[j],
    patch: (i, j) => (isEqualKey(i, j) ? differ.compare(old.values[i], next.values[j]) : WHOLE),
  };
}

function entryMembers(differ: MemberComparison, old: Entries, next: Entries): Members<Entry> {
  return {
    add: (index) => {
      const [key, value] = [next.keys[index], next.values[index]];
      const [keyChange, change] = [differ.add(key), differ.add(value)];
      return {
        nodes: [keyChange.node, change.node],
        member: [keyChange.value, change.value],
        bytes: keyChange.bytes + change.bytes,
        growth: keyChange.growth + change.growth,
        built: keyChange.built + change.built,
        isOther: !Object.is(keyChange.value, key) || !Object.is(change.value, value),
      };
    },
    patch: (oldIndex, _, value) => ({ member: [old.keys[oldIndex], value], isOther: true }),
    weigh: (index) => weigh(old.keys[index]) + weigh(old.values[index]),
  };
}

/** Whether comparing them part by part may lead to something. */
function isAlike(old: unknown, next: unknown): boolean {
  return isObject(old) && isObject(next) && kindOf(old) === kindOf(next);
}
