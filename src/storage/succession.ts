import type { CheckpointFrame } from "../checkpoint/carry-over.ts";
import type { CachedCheckpoint, SaverCache } from "./saver-cache.ts";
import type { NamedValue, StoredForm } from "./stored-values.ts";

/** The values that a checkpoint keeps of its parent's, in stored form. */
export type CarriedValues = Pick<CachedCheckpoint, "values" | "mutable">;

export const NOTHING_CARRIED: CarriedValues = { values: new Map(), mutable: new Set() };

export function carryOver(parent: CachedCheckpoint | undefined, channels: readonly string[]): CarriedValues {
  if (parent === undefined) return NOTHING_CARRIED;
  const values = new Map<string, unknown>();
  const mutable = new Set<string>();
  for (const channel of channels) {
    if (parent.values.has(channel)) values.set(channel, parent.values.get(channel));
    if (parent.mutable.has(channel)) mutable.add(channel);
  }
  return { values, mutable };
}

/** A new checkpoint, complete: what it carries over and what is new in it. */
export function nextCheckpoint(
  frame: CheckpointFrame,
  carried: CarriedValues,
  parts: readonly NamedValue[],
  stored: StoredForm,
): CachedCheckpoint {
  const values = new Map(carried.values);
  const mutable = new Set(carried.mutable);
  for (const [index, { channel }] of parts.entries()) {
    const form = stored.values[index];
    values.set(channel, form?.value);
    if (form?.isMutable === true) mutable.add(channel);
  }
  return { id: frame.id, frame, values, mutable };
}

/** Caches what is committed, without the values that somebody could change. */
export function keep(cache: SaverCache, namespace: number, checkpoint: CachedCheckpoint): void {
  if (checkpoint.mutable.size === 0) {
    cache.setCheckpoint(namespace, checkpoint);
    return;
  }
  const values = new Map(
    Array.from(checkpoint.values).filter(([channel]) => !checkpoint.mutable.has(channel)),
  );
  cache.setCheckpoint(namespace, { ...checkpoint, values });
}
