/** Does its work once a while has passed; whoever wants it done meanwhile is served by that. */
export class Later {
  readonly #pass: () => Promise<void>;
  readonly #work: () => Promise<void> | void;
  #isPassing = false;

  constructor(pass: () => Promise<void>, work: () => Promise<void> | void) {
    this.#pass = pass;
    this.#work = work;
  }

  /** Resolves when the work is done, or at once when somebody waits for that already. */
  async do(): Promise<void> {
    if (this.#isPassing) return;
    this.#isPassing = true;
    await this.#pass();
    this.#isPassing = false;
    await this.#work();
  }
}
