import type { ThreadPlatform } from "../platform.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import type { RunAdmission } from "../runs/run-admission.ts";
import type { StateReader } from "../state/state-reader.ts";
import type { ThreadDeletion } from "./thread-deletion.ts";
import type { ThreadStorage } from "../thread-storage.ts";

/** How long the thread stays after its last run, in milliseconds: whoever was cut off comes back for the outcome. */
const STAYS = 5 * 60 * 1000;
/** How long a question waits for its answer, and at least a run for its end, in milliseconds. */
const LONGEST = 24 * 60 * 60 * 1000;

export interface TemporaryThreadParts {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly queue: RunQueue;
  readonly admission: Pick<RunAdmission, "isAdmitting">;
  readonly states: Pick<StateReader, "standing">;
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
    const { storage, platform, queue, deletion } = this.#parts;
    const thread = storage.thread();
    if (thread === undefined) return;
    const wanted = await this.#wantedUntil(thread.thread_id);
    // It may have been deleted meanwhile.
    if (storage.thread()?.deleting !== 0) return;
    const remaining = wanted - platform.now();
    if (queue.isBusy()) storage.transaction(() => this.#setTimer(LONGEST));
    else if (this.#isAwaited()) storage.transaction(() => this.#setTimer(STAYS));
    else if (remaining > 0) storage.transaction(() => this.#setTimer(remaining));
    else return deletion.begin(thread);
  }

  /** Whether something of it is still to come. */
  #isAwaited(): boolean {
    const { storage, admission } = this.#parts;
    return admission.isAdmitting || storage.timers.has("wait") || storage.timers.has("delivery");
  }

  /** As long as it may be answered, and as a call that comes again is to be led to its run. */
  async #wantedUntil(threadId: string): Promise<number> {
    const { storage, states } = this.#parts;
    const { interrupts, waiting = [] } = await states.standing(threadId);
    const isOpen = interrupts.length + waiting.length > 0;
    return Math.max(storage.keys.knownUntil(), isOpen ? (storage.runs.lastUse() ?? 0) + LONGEST : 0);
  }

  #setTimer(delay: number): void {
    const { storage, platform } = this.#parts;
    storage.timers.set("removal", "", platform.now() + delay);
  }
}
