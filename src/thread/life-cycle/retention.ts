import { mintedAt } from "../../checkpoint/id.ts";
import { TidemarkError } from "../../errors.ts";
import type { ThreadStorage } from "../thread-storage.ts";

/** What a thread's object removes by itself. Times are in milliseconds; what is absent is never removed. */
export interface Retention {
  /** So many of the newest checkpoints stay, in each namespace. Others go when the thread has been quiet for a while. */
  readonly keepLast?: number;
  /** Checkpoints that are older go, except the newest `keepLast`, or the newest one. */
  readonly maxAge?: number;
  /** The whole thread goes so long after its last run or edit, also when it waits for an answer. Reading does not count. */
  readonly deleteAfter?: number;
}

export function checkRetention({ keepLast, maxAge, deleteAfter }: Retention): void {
  const isCount = keepLast === undefined || (Number.isSafeInteger(keepLast) && keepLast > 0);
  const areTimes = [maxAge, deleteAfter].every((time) => time === undefined || time > 0);
  if (isCount && areTimes) return;
  throw new TidemarkError(
    "invalid_retention",
    "retention: keepLast must be a whole number above 0, maxAge and deleteAfter milliseconds above 0.",
    { details: { keepLast, maxAge, deleteAfter } },
  );
}

export interface PrunedThread {
  readonly keepLast: number;
  /** Milliseconds since 1970. */
  readonly olderThan?: number;
}

/**
 * Prunes the checkpoints, and the runs that had ended before the oldest of the newest that stay. A run that a key of a
 * request still leads to stays too: the request must not start another one. So does one that is still to be told of.
 */
export async function pruneThread(
  storage: ThreadStorage,
  threadId: string,
  keep: PrunedThread,
  now: number,
): Promise<void> {
  const { saver, runs, answers, deliveries, events, keys, checkpoints } = storage;
  const oldest = checkpoints.newestBut(threadId, keep.keepLast - 1);
  const time = oldest === undefined ? undefined : mintedAt(oldest);
  await saver.prune([threadId], keep, () => {
    if (time === undefined) return;
    storage.transaction(() => {
      keys.removeOld(now);
      runs.removeEndedBefore(Math.min(time, keep.olderThan ?? Infinity));
      answers.removeLost();
      events.removeLost();
      deliveries.removeLost();
    });
  });
}
