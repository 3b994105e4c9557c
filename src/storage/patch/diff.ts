import type { Change } from "./change.ts";
import { Differ } from "./differ.ts";
import type { DiffContext } from "./differ.ts";
import { isLookedFor } from "./elsewhere.ts";
import { writtenOut } from "./node.ts";
import { weigh } from "./weigh.ts";

export interface Difference {
  /** Undefined when the values are equal: the old one stays. */
  readonly change: Change | undefined;
  /** The parts that the change writes out, as the graph has them. */
  readonly written: readonly unknown[];
  /** Whether it is a change of this one state alone, since it refers to other places of it. */
  readonly refers: boolean;
}

interface WrittenOut extends Difference {
  readonly change: Change;
}

/** How a value becomes another one, both adopted. One with cycles is written out. `name`: the channel. */
export function diff(old: unknown, next: unknown, context: DiffContext, name?: string): Difference {
  if (Object.is(old, next)) return NO_DIFFERENCE;
  const differ = new Differ(context);
  const change = differ.compare(old, next, name);
  if (differ.isCyclic) return write(old, next, context);
  return change === undefined
    ? { ...NO_DIFFERENCE, written: differ.fresh }
    : found(differ, old, next, change);
}

/** The same without a comparison. `old` is absent when there is nothing to compare with. */
export function write(old: unknown, next: unknown, context: DiffContext, name?: string): WrittenOut {
  const differ = new Differ(context);
  return found(differ, old, next, differ.write(old, next, name));
}

/** What of a value stands elsewhere in the state; undefined when nothing does. */
export function refer(next: unknown, context: DiffContext, name: string): WrittenOut | undefined {
  if (context.places === undefined || !isLookedFor(next)) return undefined;
  const differ = new Differ(context);
  const change = differ.refer(next, name);
  return change && differ.refers ? found(differ, undefined, next, change) : undefined;
}

function found(differ: Differ, old: unknown, next: unknown, change: Change): WrittenOut {
  const { refers, isWeighed, fresh: written } = differ;
  return {
    change: isWeighed ? change : { ...change, growth: weigh(next) - weigh(old) },
    written,
    refers,
  };
}

/** What a `Differ` would say of a value that is stored as it is, and is nowhere else to be looked for. */
export function writeSmall(old: unknown, next: unknown, bytes: number): WrittenOut {
  return {
    change: { node: writtenOut(next), value: next, bytes, growth: bytes - weigh(old), built: 0 },
    written: [],
    refers: false,
  };
}

export const NO_DIFFERENCE: Difference = { change: undefined, written: [], refers: false };
