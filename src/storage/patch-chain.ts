import type { CheckpointState } from "./checkpoint-state.ts";
import { MOST_BUILT } from "./patch/budget.ts";

/**
 * A row holds a patch, and the rows below it what it is a patch of. So that a value is read from few of them, there are
 * levels: a row of level 0 is a patch of its parent's value, and after so many of them comes one of level 1, a patch of
 * the value at the last row of level 1 or more, which skips all in between; and so on. A row of the highest level, a
 * snapshot, is the whole value. So a value is never more than a few hundred rows away, and bytes are written again
 * once a level.
 */
export const SNAPSHOT = 4;
/** Of the first row of a visit of a nested graph: a snapshot, but that parts of it stand in a checkpoint of the graph around. */
export const OUTWARD = 5;
/** Rows of one level in a row, the last of which goes one level up. */
const FANOUT = 64;
/** More rows than any value is read from: rows of elsewhere may refer to each other in a circle. */
export const LONGEST_CHAIN = 2 * SNAPSHOT * FANOUT;
/** What reading one more row costs, in bytes that could be read instead. */
const ROW_COST = 512;
/** What may be read beside the value, however small it is. */
const FREE_COST = 8 * ROW_COST;

/** A row that others can be patches of. */
export interface ChainBase {
  readonly id: string;
  readonly state: CheckpointState;
  /** Of reading its value. */
  readonly cost: number;
  /** Of all patches, before its value is there. */
  readonly built: number;
}

/** The rows that a value is read from. */
export interface PatchChain {
  /** About how many bytes the value takes. */
  readonly weight: number;
  /** By level: the last row of that level or a higher one. The first is the row of the value itself. */
  readonly bases: readonly [ChainBase, ...ChainBase[]];
  /** By level: how many rows of it come after the last row of a higher one. */
  readonly counts: readonly number[];
}

/** A row as it stands in its chain. */
export interface ChainLink {
  readonly id: string;
  readonly state: CheckpointState;
  readonly level: number;
  /** Of its body. */
  readonly bytes: number;
  readonly weight: number;
  /** Of its patch, and of what it refers to in another namespace. */
  readonly built: number;
}

/** Of a snapshot. */
const NOTHING = { cost: 0, built: 0 };

/** The chain that ends with a further row. `below` is absent for a snapshot. */
export function extend(
  below: PatchChain | undefined,
  { id, state, level, bytes, weight, built }: ChainLink,
): PatchChain {
  const from = below === undefined ? NOTHING : baseOf(below, level);
  const base = { id, state, cost: from.cost + bytes + ROW_COST, built: from.built + built };
  const bases: [ChainBase, ...ChainBase[]] = [base];
  const counts: number[] = [];
  for (let each = 0; each < SNAPSHOT; each++) {
    if (each > 0) bases.push(below === undefined || each <= level ? base : baseOf(below, each));
    counts.push(
      each > level ? (below?.counts[each] ?? 0) : each === level ? (below?.counts[each] ?? 0) + 1 : 0,
    );
  }
  return { weight, bases, counts };
}

export function baseOf({ bases }: PatchChain, level: number): ChainBase {
  return bases[level] ?? bases[0];
}

/** The level that the next row is due to have. */
export function dueLevel({ counts }: PatchChain): number {
  let level = 0;
  while (level < SNAPSHOT && (counts[level] ?? 0) >= FANOUT - 1) level++;
  return level;
}

/** A value that takes less than a row costs: where a patch of the parent's will not do, looking for another saves nothing. */
export function isLight(weight: number): boolean {
  return weight <= ROW_COST;
}

/**
 * Whether a row of that level would keep the value as cheap to read as it should be: not more than twice what a snapshot
 * costs. A row that goes up before it is due has to leave room for those after it.
 */
export function isCheap(
  chain: PatchChain,
  level: number,
  patch: Pick<ChainLink, "bytes" | "built">,
  weight: number,
): boolean {
  const { cost, built } = baseOf(chain, level);
  if (patch.bytes >= weight || built + patch.built > MOST_BUILT) return false;
  const limit = 2 * weight + FREE_COST;
  return cost + patch.bytes + ROW_COST <= (level > dueLevel(chain) ? 0.75 * limit : limit);
}
