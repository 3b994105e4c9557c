import { backoff } from "../../backoff.ts";
import { idsFrom, mintedAt } from "../../checkpoint/id.ts";
import { compareCheckpointIds } from "../../checkpoint/ordering.ts";
import { isPlatformReset } from "../errors.ts";
import type { ThreadPlatform } from "../platform.ts";
import { pruneThread, type Retention } from "./retention.ts";
import type { RunAdmission } from "../runs/run-admission.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import type { ThreadDeletion } from "./thread-deletion.ts";
import type { ThreadRow } from "../thread-rows.ts";
import type { ThreadStorage } from "../thread-storage.ts";

/** What gets too old bit by bit is removed at most so often in the time in which it does. */
const PASSES = 16;

/** What has failed is tried again at least so often, in milliseconds: once a day. */
const MAX_BACKOFF = 24 * 60 * 60 * 1000;

export interface RetentionParts {
  readonly storage: ThreadStorage;
  readonly queue: RunQueue;
  readonly platform: ThreadPlatform;
  /** Read whenever it matters. */
  readonly retention: Retention;
  readonly deletion: ThreadDeletion;
  readonly admission: RunAdmission;
}

/**
 * Removes from a thread what its retention says. Its timer is set for the time at which something will be due, and there is
 * none when nothing will, or while runs are in the queue: the last one that leaves sets it.
 */
export class RetentionKeeper {
  readonly #parts: RetentionParts;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  /** The thread was used just now. In a transaction. */
  noteUse(): void {
    const { platform, storage } = this.#parts;
    const now = platform.now();
    const deleteAfter = this.#deleteAfter(storage.thread());
    this.#setTimer(
      earliest(
        this.#isPruning ? now + platform.lease : undefined,
        deleteAfter === undefined ? undefined : now + deleteAfter,
      ),
    );
  }

  async onTimer(): Promise<void> {
    const { storage, queue, platform, deletion, admission } = this.#parts;
    const thread = storage.thread();
    if (thread === undefined) return;
    const { thread_id: threadId } = thread;
    const now = platform.now();
    const isIdle = !queue.isBusy();
    const expiry = this.#expiry(thread);
    const isUsed = !isIdle || admission.isAdmitting || queue.lock.isEdited();
    if (!isUsed && expiry !== undefined && expiry <= now) return deletion.begin(thread);
    const isPruned =
      !isIdle || !this.#isPruning || (await queue.lock.exclusive(() => this.#prune(threadId, now)));
    const next = isPruned ? this.#pruneDue(threadId, now) : now + this.#backoff(thread, now);
    const due = earliest(next, expiry);
    storage.transaction(() =>
      this.#setTimer(due === undefined ? undefined : Math.max(due, now + platform.lease)),
    );
  }

  get #isPruning(): boolean {
    const { keepLast, maxAge } = this.#parts.retention;
    return keepLast !== undefined || maxAge !== undefined;
  }

  /** False when it has failed, of which somebody has been told. */
  async #prune(threadId: string, now: number): Promise<boolean> {
    const { storage, retention, platform } = this.#parts;
    const { keepLast = 1, maxAge } = retention;
    const olderThan = maxAge === undefined ? {} : { olderThan: now - maxAge };
    try {
      await pruneThread(storage, threadId, { keepLast, ...olderThan }, now);
      return true;
    } catch (fault) {
      if (isPlatformReset(fault)) throw fault;
      platform.report(fault);
      return false;
    }
  }

  /** After a failure: as long as the thread has been quiet, so that each time is twice as far as the one before. */
  #backoff(thread: ThreadRow, now: number): number {
    return backoff(now - this.#lastUse(thread), this.#parts.platform.lease, MAX_BACKOFF);
  }

  /** When the next of the checkpoints that are not among the newest gets too old. */
  #pruneDue(threadId: string, now: number): number | undefined {
    const { checkpoints } = this.#parts.storage;
    const { keepLast = 1, maxAge } = this.#parts.retention;
    if (maxAge === undefined) return undefined;
    const next = checkpoints.oldestFrom(threadId, idsFrom(now - maxAge));
    const surplus = checkpoints.newestBut(threadId, keepLast);
    if (next === undefined || surplus === undefined || compareCheckpointIds(next, surplus) > 0)
      return undefined;
    return Math.max((mintedAt(next) ?? now) + maxAge, now + maxAge / PASSES);
  }

  /** When the thread has been left alone for too long. One that waits for a time, or has something to tell, is not. */
  #expiry(thread: ThreadRow): number | undefined {
    const deleteAfter = this.#deleteAfter(thread);
    return deleteAfter === undefined ? undefined : this.#lastUse(thread) + deleteAfter;
  }

  /** What a thread says of itself comes first. */
  #deleteAfter(thread: ThreadRow | undefined): number | undefined {
    return thread?.ttl ?? this.#parts.retention.deleteAfter;
  }

  /** When a thread that says so itself will be deleted, unless it is used. */
  ownExpiry(thread: ThreadRow): number | undefined {
    return thread.ttl === null ? undefined : this.#expiry(thread);
  }

  /** By a run, an edit, or a patch. */
  #lastUse(thread: ThreadRow): number {
    const { storage } = this.#parts;
    const newest = storage.checkpoints.newestBut(thread.thread_id, 0);
    const written = newest === undefined ? undefined : mintedAt(newest);
    const awaited = storage.timers.lastDue("wait", "cron", "delivery");
    return Math.max(
      thread.updated_at ?? thread.created_at,
      storage.runs.lastUse() ?? 0,
      written ?? 0,
      awaited ?? 0,
    );
  }

  #setTimer(due: number | undefined): void {
    const { queue, storage } = this.#parts;
    if (due === undefined || !queue.isEmpty()) storage.timers.clear("retention", "");
    else storage.timers.set("retention", "", due);
  }
}

function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
