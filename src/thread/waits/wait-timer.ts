import type { ThreadStorage } from "../thread-storage.ts";

/** The one timer for all that the thread waits for: when somebody is to look at it. */
export class WaitTimer {
  readonly #storage: ThreadStorage;

  constructor(storage: ThreadStorage) {
    this.#storage = storage;
  }

  due(): number | undefined {
    return this.#storage.timers.dueTime("wait", "");
  }

  /** In a transaction. */
  set(due: number | undefined): void {
    const { timers } = this.#storage;
    if (due === this.due()) return;
    if (due === undefined) timers.clear("wait", "");
    else timers.set("wait", "", due);
  }
}
