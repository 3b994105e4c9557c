/** How often each thread was deleted: a write that began before must not refer to what is gone. */
export class Deletions {
  readonly #byThread = new Map<string, number>();
  #ofAll = 0;

  of(threadId: string): number {
    return this.#ofAll + (this.#byThread.get(threadId) ?? 0);
  }

  note(threadId: string): void {
    this.#byThread.set(threadId, (this.#byThread.get(threadId) ?? 0) + 1);
  }

  noteAll(): void {
    this.#ofAll += 1;
  }
}
