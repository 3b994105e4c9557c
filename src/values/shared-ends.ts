/** How many members two sequences have alike at their beginnings and, of the others, at their ends. */
export interface SharedEnds {
  readonly head: number;
  readonly tail: number;
}

/** Whether members that are not identical count as alike. */
export type Alike = (oldIndex: number, newIndex: number) => boolean;
const never: Alike = () => false;

/** Of longer sequences it is remembered what they have in common. */
export const LONG = 64;

/**
 * What two sequences in columns have in common, whose members are alike when they are so in each. Most long ones differ from those
 * before at their end: all the work on the rest is in `identical`.
 */
export function endsOf(
  old: readonly (readonly unknown[])[],
  next: readonly (readonly unknown[])[],
  isAlike: readonly Alike[] = [],
): SharedEnds {
  const pairs = old.map((column, index): [before: readonly unknown[], after: readonly unknown[], Alike] => {
    return [readable(column), readable(next[index] ?? []), isAlike[index] ?? never];
  });
  const head = Math.min(...pairs.map((pair) => headOf(...pair)));
  return { head, tail: Math.min(...pairs.map((pair) => tailOf(head, ...pair))) };
}

function headOf(before: readonly unknown[], after: readonly unknown[], isAlike: Alike): number {
  const most = Math.min(before.length, after.length);
  let head = identical(before, after, 0, most);
  while (head < most && isAlike(head, head)) head = identical(before, after, head + 1, most);
  return head;
}

/** The first place from `start` on where the lists do not have the very same member. */
function identical(
  before: readonly unknown[],
  after: readonly unknown[],
  start: number,
  end: number,
): number {
  let index = start;
  while (index < end && Object.is(before[index], after[index])) index++;
  return index;
}

function tailOf(head: number, before: readonly unknown[], after: readonly unknown[], isAlike: Alike): number {
  const most = Math.min(before.length, after.length) - head;
  const [oldEnd, newEnd] = [before.length - 1, after.length - 1];
  let tail = 0;
  while (tail < most) {
    const [i, j] = [oldEnd - tail, newEnd - tail];
    if (!Object.is(before[i], after[j]) && !isAlike(i, j)) break;
    tail++;
  }
  return tail;
}

/** To read a frozen list member by member takes several times as long as a copy of it, which takes next to nothing. */
function readable(list: readonly unknown[]): readonly unknown[] {
  return Object.isExtensible(list) ? list : [...list];
}

/** What is known of a long sequence that cannot change. Numbers stand for sequences, so that none keeps those before it. */
interface Known extends SharedEnds {
  readonly number: number;
  readonly before: number;
  /** Whether another sequence has the same number. */
  isTwin: boolean;
}

/** The members at the ends are the same, or else those of the old sequence stand for those of the new one. */
export interface KnownEnds extends SharedEnds {
  readonly areSame: boolean;
}

const known = new WeakMap<object, Known>();
let last = 0;

/** What was found out of two long sequences; undefined where nothing was. */
export function knownEnds(old: object, next: object): KnownEnds | undefined {
  const [before, ends] = [known.get(old), known.get(next)];
  if (before === undefined || ends?.before !== before.number) return undefined;
  return { head: ends.head, tail: ends.tail, areSame: !before.isTwin };
}

/** Neither of the sequences, of which the new one has so many members, may change from now on. */
export function rememberEnds(old: object, next: object, length: number, ends: SharedEnds): void {
  if (length > LONG) know(next, ++last, ends, knownOf(old).number);
}

/**
 * The twin has as many members as the sequence, each of which stands for the one at its place, for ever: what is found
 * out of either, and those after it, holds of the other. So it is with a value and the form in which it is stored.
 */
export function rememberTwin(sequence: object, twin: object): void {
  if (sequence === twin || !(known.has(sequence) || lengthOf(sequence) > LONG)) return;
  const own = knownOf(sequence);
  own.isTwin = true;
  know(twin, own.number).isTwin = true;
}

/** The same for a sequence and its twins; undefined for one of which nothing is known. */
export function sequenceNumber(sequence: object): number | undefined {
  return known.get(sequence)?.number;
}

/** Of a list, a Map or a Set; 0 for a record. */
export function lengthOf(sequence: object): number {
  if (Array.isArray(sequence)) return sequence.length;
  return sequence instanceof Map || sequence instanceof Set ? sequence.size : 0;
}

function knownOf(sequence: object): Known {
  return known.get(sequence) ?? know(sequence, ++last);
}

function know(sequence: object, number: number, { head, tail }: SharedEnds = NO_ENDS, before = 0): Known {
  const all = { number, before, head, tail, isTwin: false };
  known.set(sequence, all);
  return all;
}

export const NO_ENDS: SharedEnds = { head: 0, tail: 0 };
