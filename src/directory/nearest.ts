import type { StoredItem } from "./protocol.ts";

/** So many items, the nearest first; those that have no score keep their order at the end. */
export function nearest(items: readonly StoredItem[], count: number): StoredItem[] {
  return items.toSorted((a, b) => scoreOf(b) - scoreOf(a)).slice(0, count);
}

/** Less than any that there can be. */
function scoreOf({ score = -2 }: StoredItem): number {
  return score;
}
