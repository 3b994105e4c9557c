/** Gives the thread to one work at a time, in the order in which they ask. */
export class ThreadLock {
  /** What has the thread to itself now; what comes next waits for it. */
  #tail: Promise<unknown> = Promise.resolve();
  /** What has it, or waits for it. */
  #holders = 0;
  /** Edits among them. */
  #edits = 0;

  /** Does the work when nothing else has the thread to itself, and lets nothing else begin meanwhile. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    this.#holders += 1;
    const leave = (): void => void (this.#holders -= 1);
    const done = this.#tail.then(work);
    this.#tail = done.then(leave, leave);
    return done;
  }

  /** As `exclusive`, for what may take the thread elsewhere. */
  async edit<T>(work: () => Promise<T>): Promise<T> {
    this.#edits += 1;
    try {
      return await this.exclusive(work);
    } finally {
      this.#edits -= 1;
    }
  }

  /** Whether anything has the thread to itself, or waits for that. */
  isHeld(): boolean {
    return this.#holders > 0;
  }

  /** Whether an edit comes before a run that is taken in now: what that will find is not known yet. */
  isEdited(): boolean {
    return this.#edits > 0;
  }
}
