/**
 * Where a node of a test waits until the test lets it go on. Whoever comes later passes at once. It is polled: a promise
 * that one object makes and another resolves cannot be relied on when one of the two is stopped.
 */
export class Gate {
  #isOpen = false;
  #arrivals = 0;

  /** For the node. */
  async pass(): Promise<void> {
    this.#arrivals += 1;
    while (!this.#isOpen) await scheduler.wait(2);
  }

  /** Waits until nodes have come here, so many times in all. */
  reached(arrivals = 1): Promise<void> {
    return until(() => this.#arrivals >= arrivals);
  }

  open(): void {
    this.#isOpen = true;
  }
}

/** Waits until the condition holds, for four seconds at most unless it may take longer. */
export async function until(condition: () => boolean | Promise<boolean>, longest = 4000): Promise<void> {
  const end = Date.now() + longest;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error("The condition did not come to hold.");
    await scheduler.wait(3);
  }
}
