import type { PlannedTask } from "./plan.ts";

/** What a running task holds. While the task waits for one that it has called, that one works in its place. */
interface Place {
  isLent: boolean;
  readonly lender: Place | undefined;
}

interface Waiting {
  readonly caller: PlannedTask | undefined;
  readonly start: (place: Place) => void;
}

/**
 * Room for so many tasks of a run at a time, those that tasks call included. A task lends its own place to one of its
 * calls at a time: however few places there are, nobody waits for ever.
 */
export class Places {
  #free: number;
  readonly #held = new WeakMap<PlannedTask, Place>();
  readonly #waiting: Waiting[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** Does the work of a task as soon as there is a place for it, in the order in which tasks ask. */
  async occupy<T>(task: PlannedTask, caller: PlannedTask | undefined, work: () => Promise<T>): Promise<T> {
    const place =
      this.#take(caller) ??
      (await new Promise<Place>((start) => {
        this.#waiting.push({ caller, start });
      }));
    this.#held.set(task, place);
    try {
      return await work();
    } finally {
      this.#leave(place);
    }
  }

  /** One task goes on in the place of another that has ended. */
  passOn(task: PlannedTask, successor: PlannedTask): void {
    const place = this.#held.get(task);
    if (place !== undefined) this.#held.set(successor, place);
  }

  #take(caller: PlannedTask | undefined): Place | undefined {
    const lender = caller && this.#held.get(caller);
    if (lender !== undefined && !lender.isLent) {
      lender.isLent = true;
      return { isLent: false, lender };
    }
    if (this.#free === 0) return undefined;
    this.#free--;
    return { isLent: false, lender: undefined };
  }

  #leave({ lender }: Place): void {
    if (lender === undefined) this.#free++;
    else lender.isLent = false;
    for (const [index, { caller, start }] of this.#waiting.entries()) {
      const place = this.#take(caller);
      if (place === undefined) continue;
      this.#waiting.splice(index, 1);
      return start(place);
    }
  }
}
