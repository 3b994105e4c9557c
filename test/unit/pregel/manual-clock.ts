import { CheckpointIds } from "../../../src/checkpoint/id.ts";
import type { Environment } from "tidemark/pregel";

/** A clock that moves only when everybody sleeps: then to the time at which the first one wakes. */
export class ManualClock implements Environment {
  time = 1_000;
  /** What `random()` gives. */
  chance = 0;
  /** How long each sleep was asked to be. */
  readonly asked: number[] = [];
  readonly checkpointIds = new CheckpointIds(
    () => this.time,
    (length) => new Uint8Array(length),
  );
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();

  now(): number {
    return this.time;
  }

  random(): number {
    return this.chance;
  }

  yieldTurn(): Promise<void> {
    return Promise.resolve();
  }

  get sleeping(): number {
    return this.#sleepers.size;
  }

  readonly sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> => {
    this.asked.push(milliseconds);
    return new Promise((resolve) => {
      const sleeper = { until: this.time + milliseconds, wake: () => end() };
      const end = (): void => {
        this.#sleepers.delete(sleeper);
        resolve();
      };
      if (signal?.aborted) return end();
      signal?.addEventListener("abort", end);
      this.#sleepers.add(sleeper);
    });
  };

  /** Lets time pass while `work` goes on, and gives its result. */
  async during<T>(work: Promise<T>): Promise<T> {
    const state = { isRunning: true };
    const end = (): void => {
      state.isRunning = false;
    };
    work.then(end, end);
    while (state.isRunning) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      if (state.isRunning) this.#wakeNext();
    }
    return work;
  }

  #wakeNext(): void {
    const [first] = [...this.#sleepers].toSorted((a, b) => a.until - b.until);
    if (first === undefined) return;
    this.time = Math.max(this.time, first.until);
    first.wake();
  }
}
