/** So many calls share a turn at most: each of them waits until all are done. */
const MOST = 16;
/** So many calls that come one after the other go on at once before one waits, to see whether it still is alone. */
const ALONE = 32;

/**
 * Lets calls that come at the same time become durable together: what is written in one turn of the event loop is one flush to the
 * disk. A call that comes alone gains nothing by waiting for others, which costs it a turn, so that one in many does.
 */
export class GroupCommit {
  readonly #yieldTurn: () => Promise<void>;
  /** The turn that calls can still join, and how many have. */
  #turn: Promise<void> | undefined;
  #size = 0;
  /** How many calls go on at once before one waits. */
  #atOnce = ALONE;

  constructor(yieldTurn: () => Promise<void>) {
    this.#yieldTurn = yieldTurn;
  }

  /** Resolves in the turn that the call shares with others, in the order of the calls; undefined: it may go on at once. */
  join(): Promise<void> | undefined {
    if (this.#turn === undefined) {
      if (this.#atOnce > 0) {
        this.#atOnce -= 1;
        return undefined;
      }
      this.#begin();
    }
    const turn = this.#turn;
    this.#size += 1;
    if (this.#size === MOST) this.#turn = undefined;
    return turn;
  }

  #begin(): void {
    this.#size = 0;
    const turn = this.#yieldTurn().then(() => {
      if (this.#turn !== turn) return;
      this.#turn = undefined;
      if (this.#size === 1) this.#atOnce = ALONE;
    });
    this.#turn = turn;
  }
}
