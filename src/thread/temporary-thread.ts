import type { ThreadPlatform } from "./platform.ts";
import type { RunQueue } from "./run-queue.ts";
import type { ThreadDeletion } from "./thread-deletion.ts";
import type { ThreadStorage } from "./thread-storage.ts";

/** How long the thread stays after its last run, in milliseconds: whoever was cut off comes back for the outcome. */
const STAYS = 5 * 60 * 1000;
/** A run that takes longer than this is waited for, in milliseconds. */
const LONGEST = 24 * 60 * 60 * 1000;

export interface TemporaryThreadParts {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly queue: RunQueue;
  readonly deletion: ThreadDeletion;
}

/** Deletes a thread that was made for one run. Its timer is what says that it is such a thread. */
export class TemporaryThread {
  readonly #parts: TemporaryThreadParts;

  constructor(parts: TemporaryThreadParts) {
    this.#parts = parts;
  }

  /** In the transaction that makes the thread. */
  begin(): void {
    this.#setTimer(LONGEST);
  }

  /** In the transaction in which a run leaves the queue. */
  noteLeft(): void {
    if (this.#parts.storage.timers.has("removal")) this.#setTimer(STAYS);
  }

  async onTimer(): Promise<void> {
    const { storage, queue, deletion } = this.#parts;
    const thread = storage.thread();
    if (thread === undefined) return;
    if (!queue.isBusy()) return deletion.begin(thread);
    storage.transaction(() => this.#setTimer(LONGEST));
  }

  #setTimer(delay: number): void {
    const { storage, platform } = this.#parts;
    storage.timers.set("removal", "", platform.now() + delay);
  }
}
