import type { Change } from "./change.ts";
import { Differ } from "./differ.ts";
import type { DiffContext } from "./differ.ts";
import { isObject } from "./kind.ts";
import { writtenOut } from "./node.ts";
import { partsOf, weigh } from "./weigh.ts";

export interface Difference {
  /** Undefined when the values are equal: the old one stays. */
  readonly change: Change | undefined;
  /** The parts that the change writes out, as the graph has them. */
  readonly written: readonly unknown[];
  /** To be called when the new value is the one that others are compared with. */
  settle(): void;
}

/** How often a comparison is begun anew with more objects that have to be written out. */
const MAX_ATTEMPTS = 4;

/**
 * How a value becomes another one, both adopted. Objects that stand in several places do so in what the change makes,
 * too. `old` is absent (a value of its own) when there is nothing to compare with.
 */
export function diff(old: unknown, next: unknown, context: DiffContext): Difference {
  if (isPlainLeaf(next, context)) return Object.is(old, next) ? NO_DIFFERENCE : writeLeaf(old, next);
  const whole = new Set<object>();
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const differ = new Differ(context, whole);
    const change = differ.compare(old, next);
    if (differ.conflicts.size === 0) {
      if (standsTwice(next, differ.displaced)) break;
      return { change, written: differ.fresh, settle: () => differ.settle() };
    }
    for (const object of differ.conflicts) whole.add(object);
  }
  return write(old, next, context);
}

/** The same without a comparison: the new value is written out. */
export function write(old: unknown, next: unknown, context: DiffContext): Difference {
  if (isPlainLeaf(next, context)) return writeLeaf(old, next);
  const differ = new Differ(context, new Set());
  const change = differ.write(old, next);
  return { change, written: differ.fresh, settle: () => differ.settle() };
}

/** Whether the value is stored as it is, and has nothing in it. */
function isPlainLeaf(value: unknown, { shortText }: DiffContext): boolean {
  return typeof value === "string" ? value.length <= shortText : !isObject(value);
}

/** What a `Differ` would say of such a value. */
function writeLeaf(old: unknown, next: unknown): Difference {
  const bytes = weigh(next);
  const change = { node: writtenOut(next), value: next, bytes, growth: bytes - weigh(old) };
  return { change, written: [], settle: () => undefined };
}

const NO_DIFFERENCE: Difference = { change: undefined, written: [], settle: () => undefined };

/** Whether one of the objects is in the value more than once. */
function standsTwice(value: unknown, objects: ReadonlySet<object>): boolean {
  if (objects.size === 0) return false;
  const seen = new Set<object>();
  const visit = (part: unknown): boolean => {
    if (!isObject(part)) return false;
    if (seen.has(part)) return objects.has(part);
    seen.add(part);
    for (const inner of partsOf(part)) if (visit(inner)) return true;
    return false;
  };
  return visit(value);
}
