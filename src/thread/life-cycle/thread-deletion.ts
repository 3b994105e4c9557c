import type { Announcer } from "../announcing/announcer.ts";
import { threadDeleted } from "../errors.ts";
import { wireError } from "../wire-errors.ts";
import type { FeedSockets } from "../feed/feed-sockets.ts";
import type { GraphRunner } from "../attempt/graph-runner.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { RunAdmission } from "../runs/run-admission.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import type { CronStarts } from "../crons/cron-starts.ts";
import type { ThreadRow } from "../thread-rows.ts";
import type { ThreadStorage } from "../thread-storage.ts";

export interface DeletionParts {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly queue: RunQueue;
  readonly runner: GraphRunner;
  readonly admission: RunAdmission;
  readonly announcer: Announcer;
  readonly crons: Pick<CronStarts, "settled">;
  readonly feed: Pick<FeedSockets, "dismissal">;
}

/** In milliseconds. With each failure in a row it is longer by as much, up to a lease. */
const RETRY_DELAY = 1000;

/**
 * Deletes the thread, whatever is going on in it. A mark and the alarm, which serves nothing else from then on, let another
 * instance go on with it.
 */
export class ThreadDeletion {
  readonly #parts: DeletionParts;
  #current: Promise<void> | undefined;
  /** In a row. */
  #failures = 0;

  constructor(parts: DeletionParts) {
    this.#parts = parts;
  }

  begin(thread: ThreadRow): Promise<void> {
    const { storage, platform } = this.#parts;
    if (thread.deleting === 0) {
      storage.transaction(() => {
        storage.row.markDeleting();
        storage.timers.hold(platform.now());
      });
      platform.reached("thread.marked_deleted");
    }
    return this.finish(thread.thread_id);
  }

  /** The thread carries the mark. */
  finish(threadId: string): Promise<void> {
    this.#current ??= this.#delete(threadId).finally(() => {
      this.#current = undefined;
    });
    return this.#current;
  }

  async #delete(threadId: string): Promise<void> {
    const { storage, platform, queue, runner, admission, announcer, crons, feed } = this.#parts;
    const gone = threadDeleted(threadId);
    runner.abort(gone);
    queue.dismiss(wireError(gone));
    await admission.dismiss();
    await crons.settled();
    try {
      await announcer.close();
      platform.reached("announcement.withdrawn");
      const dismiss = feed.dismissal();
      await queue.lock.exclusive(() => storage.deleteAll());
      announcer.reopen();
      dismiss();
    } catch (fault) {
      // The mark is there, and the alarm goes on with it.
      this.#failures += 1;
      storage.timers.hold(platform.now() + Math.min(RETRY_DELAY * this.#failures, platform.lease));
      throw fault;
    }
    this.#failures = 0;
  }
}
