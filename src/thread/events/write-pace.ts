/** So many writes come one after the other, each when it is wanted. */
const BURST = 4;

/** In milliseconds. The others follow at this distance, on average. */
export const INTERVAL = 250;

/** How often a run's log is written with the commits of supersteps: a few times at once, and then by time. */
export class WritePace {
  /** When the next write may come. */
  #next = -Infinity;

  /** How long until the next write, in milliseconds: never longer than that, also when the clock was put back. */
  wait(now: number): number {
    this.#next = Math.min(this.#next, now + INTERVAL);
    return Math.max(0, this.#next - now);
  }

  note(now: number): void {
    const earliest = now - (BURST - 1) * INTERVAL;
    this.#next = Math.min(now, Math.max(this.#next, earliest)) + INTERVAL;
  }
}
