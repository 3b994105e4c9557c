import type { Change } from "./change.ts";
import { Differ } from "./differ.ts";
import type { DiffContext } from "./differ.ts";
import { isObject } from "./kind.ts";
import { writtenOut } from "./node.ts";
import { weigh } from "./weigh.ts";

export interface Difference {
  /** Undefined when the values are equal: the old one stays. */
  readonly change: Change | undefined;
  /** The parts that the change writes out, as the graph has them. */
  readonly written: readonly unknown[];
}

interface WrittenOut extends Difference {
  readonly change: Change;
}

/** How a value becomes another one, both adopted. One with cycles is written out. */
export function diff(old: unknown, next: unknown, context: DiffContext): Difference {
  if (isPlainLeaf(next, context)) return Object.is(old, next) ? NO_DIFFERENCE : writeLeaf(old, next);
  const differ = new Differ(context);
  const change = differ.compare(old, next);
  return differ.isCyclic ? write(old, next, context) : { change, written: differ.fresh };
}

/** The same without a comparison. `old` is absent when there is nothing to compare with. */
export function write(old: unknown, next: unknown, context: DiffContext): WrittenOut {
  if (isPlainLeaf(next, context)) return writeLeaf(old, next);
  const differ = new Differ(context);
  return { change: differ.write(old, next), written: differ.fresh };
}

/** Whether the value is stored as it is, and has nothing in it. */
function isPlainLeaf(value: unknown, { shortText }: DiffContext): boolean {
  return typeof value === "string" ? value.length <= shortText : !isObject(value);
}

/** What a `Differ` would say of such a value. */
function writeLeaf(old: unknown, next: unknown): WrittenOut {
  const bytes = weigh(next);
  return {
    change: { node: writtenOut(next), value: next, bytes, growth: bytes - weigh(old) },
    written: [],
  };
}

const NO_DIFFERENCE: Difference = { change: undefined, written: [] };
