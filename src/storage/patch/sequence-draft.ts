import type { Steps } from "./align.ts";
import { ENTRY, MEMBER } from "../../checkpoint/serde/budget.ts";
import type { Change } from "./change.ts";
import { COPY, INSERT, MAP, PATCH, SET } from "./node.ts";

/** A member as it is kept. */
interface Kept<Member> {
  readonly member: Member;
  /** Whether it is not the one that the new sequence has. */
  readonly isOther: boolean;
}

interface Added<Member> extends Kept<Member> {
  readonly nodes: readonly unknown[];
  readonly bytes: number;
  readonly growth: number;
  readonly built: number;
}

export interface Sequence<Member> {
  readonly length: number;
  slice(start: number, end: number): Member[];
}

/** What the members of a sequence are made of. */
export interface Members<Member> {
  /** Writes a new member out. */
  add(newIndex: number): Added<Member>;
  /** What an old member has become, of which `value` has changed. */
  patch(oldIndex: number, newIndex: number, value: unknown): Kept<Member>;
  weigh(oldIndex: number): number;
}

/** Members that stand together: old ones from a position on, or (below 0) new ones. */
interface Run {
  readonly from: number;
  count: number;
}

const WRITTEN = -1;

/** Bytes of a node without what is in it, and of a step. */
const NODE = 3;
const STEP = 5;

/** Collects the steps from one sequence to another. */
export class SequenceDraft<Member> implements Steps {
  readonly #type: number;
  readonly #old: Sequence<Member>;
  readonly #members: Members<Member>;
  readonly #steps: unknown[] = [];
  readonly #runs: Run[] = [];
  /** The members that are inserted or patched, in their order. */
  readonly #written: Member[] = [];
  /** What the last step inserts, if it is one that does. */
  #inserted: unknown[] | undefined;
  #bytes = NODE;
  #growth = 0;
  #built = ENTRY;
  readonly #cost: number;
  #isOther = false;

  constructor(type: number, old: Sequence<Member>, members: Members<Member>) {
    this.#type = type;
    this.#cost = type === SET || type === MAP ? ENTRY : MEMBER;
    this.#old = old;
    this.#members = members;
  }

  copy(oldIndex: number, count: number): void {
    if (count === 0) return;
    this.#inserted = undefined;
    this.#built += this.#cost * count;
    const last = this.#runs.at(-1);
    if (last !== undefined && last.from !== WRITTEN && last.from + last.count === oldIndex) {
      last.count += count;
      this.#steps[this.#steps.length - 1] = last.count;
      return;
    }
    this.#runs.push({ from: oldIndex, count });
    this.#steps.push(COPY, oldIndex, count);
    this.#bytes += STEP;
  }

  insert(newIndex: number): void {
    const added = this.#members.add(newIndex);
    if (this.#inserted === undefined) {
      this.#inserted = [];
      this.#steps.push(INSERT, this.#inserted);
      this.#bytes += STEP;
    }
    this.#inserted.push(...added.nodes);
    this.#built += this.#cost * added.nodes.length + added.built;
    this.#write(added, added.bytes, added.growth);
  }

  patch(oldIndex: number, newIndex: number, { node, value, bytes, growth, built }: Change): void {
    this.#inserted = undefined;
    this.#built += this.#cost + built;
    this.#steps.push(PATCH, oldIndex, node);
    this.#write(this.#members.patch(oldIndex, newIndex, value), bytes + STEP, growth);
  }

  remove(oldIndex: number): void {
    this.#growth -= this.#members.weigh(oldIndex);
  }

  /** Undefined when nothing has changed. `make` is called when members are kept that the new sequence does not have. */
  finish(
    sequence: object,
    isSubstituted: boolean,
    make: (members: Member[], written: readonly Member[]) => object,
  ): Change | undefined {
    if (this.#isUnchanged()) return undefined;
    return {
      node: [this.#type, ...this.#steps],
      value: this.#isOther || isSubstituted ? make(this.#build(), this.#written) : sequence,
      bytes: this.#bytes,
      growth: this.#growth,
      built: this.#built,
    };
  }

  #write({ member, isOther }: Kept<Member>, bytes: number, growth: number): void {
    const last = this.#runs.at(-1);
    if (last?.from === WRITTEN) last.count++;
    else this.#runs.push({ from: WRITTEN, count: 1 });
    this.#written.push(member);
    this.#bytes += bytes;
    this.#growth += growth;
    this.#isOther ||= isOther;
  }

  #isUnchanged(): boolean {
    const [run, second] = this.#runs;
    const count = this.#old.length;
    return second === undefined && (run === undefined ? count === 0 : run.from === 0 && run.count === count);
  }

  #build(): Member[] {
    let members: Member[] | undefined;
    let written = 0;
    // A frozen list is sliced several times as fast from a copy.
    const old = Array.isArray(this.#old) ? [...(this.#old as Member[])] : this.#old;
    for (const { from, count } of this.#runs) {
      const isWritten = from === WRITTEN;
      const source = isWritten ? this.#written : old;
      const start = isWritten ? written : from;
      const run = source.slice(start, start + count);
      members = members === undefined ? run : members.concat(run);
      if (isWritten) written += count;
    }
    return members ?? [];
  }
}
