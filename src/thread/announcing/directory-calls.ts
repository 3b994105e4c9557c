import { inTime } from "../../in-time.ts";

/** So long a directory has to answer a thread, in milliseconds: whoever has changed the thread waits as long. */
const DEADLINE = 10_000;

/** Rejects when the directory has not answered in time. */
export function answered<Value>(call: () => Promise<Value>): Promise<Value> {
  return inTime("directory_unavailable", call, DEADLINE);
}

/** What a directory is told for good. A call that is given up may still be heard there: it is known until it is over. */
export class DirectoryCalls {
  readonly #open = new Set<Promise<unknown>>();

  /** As `answered`. */
  make<Value>(call: () => Promise<Value>): Promise<Value> {
    const answer = call();
    this.#open.add(answer);
    const close = (): void => void this.#open.delete(answer);
    answer.then(close, close);
    return answered(() => answer);
  }

  /** Resolves when nothing is on its way any more; rejects when that takes too long. */
  async over(): Promise<void> {
    await answered(() => Promise.allSettled(this.#open));
  }
}
