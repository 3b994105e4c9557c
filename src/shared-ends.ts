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

/** Compares member by member, unless it is known. */
export function sharedEnds(
  old: readonly unknown[],
  next: readonly unknown[],
  isAlike: Alike = never,
): SharedEnds {
  return knownEnds(old, next) ?? endsOf([old], [next], [isAlike]);
}

/**
 * The same of sequences in columns, whose members are alike when they are so in each. Most long ones differ from those
 * before at their end: all the work on the rest is in `identical`.
 */
export function endsOf(
  old: readonly (readonly unknown[])[],
  next: readonly (readonly unknown[])[],
  isAlike: readonly Alike[] = [],
): SharedEnds {
  let head = Infinity;
  for (const [index, column] of old.entries())
    head = Math.min(head, headOf(column, next[index] ?? [], isAlike[index] ?? never));
  let tail = Infinity;
  for (const [index, column] of old.entries())
    tail = Math.min(tail, tailOf(column, next[index] ?? [], head, isAlike[index] ?? never));
  return { head, tail };
}

function headOf(old: readonly unknown[], next: readonly unknown[], isAlike: Alike): number {
  const most = Math.min(old.length, next.length);
  if (most === 0) return 0;
  const [before, after] = [readable(old), readable(next)];
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

function tailOf(old: readonly unknown[], next: readonly unknown[], head: number, isAlike: Alike): number {
  const most = Math.min(old.length, next.length) - head;
  if (most === 0) return 0;
  const [before, after] = [readable(old), readable(next)];
  const [oldEnd, newEnd] = [before.length - 1, after.length - 1];
  let tail = 0;
  while (tail < most) {
    const [i, j] = [oldEnd - tail, newEnd - tail];
    if (!Object.is(before[i], after[j]) && !isAlike(i, j)) break;
    tail++;
  }
  return tail;
}

/**
 * To read a frozen list member by member takes several times as long as a copy of it, which takes next to nothing; and what
 * reads lists of one kind only is compiled for that.
 */
function readable(list: readonly unknown[]): readonly unknown[] {
  return [...list];
}

/** What is known of a long sequence that cannot change. Numbers stand for sequences, so that none keeps those before it. */
interface Known extends SharedEnds {
  readonly number: number;
  readonly before: number;
}

const known = new WeakMap<object, Known>();
let last = 0;

/** What was found out of two long sequences; undefined where nothing was. */
export function knownEnds(old: object, next: object): SharedEnds | undefined {
  const ends = known.get(next);
  return ends !== undefined && ends.before === known.get(old)?.number ? ends : undefined;
}

/** Neither of the sequences, of which the new one has so many members, may change from now on. */
export function rememberEnds(old: object, next: object, length: number, { head, tail }: SharedEnds): void {
  if (length <= LONG) return;
  known.set(next, { number: ++last, before: numberOf(old), head, tail });
}

function numberOf(old: object): number {
  const number = known.get(old)?.number;
  if (number !== undefined) return number;
  known.set(old, { number: ++last, before: 0, head: 0, tail: 0 });
  return last;
}
