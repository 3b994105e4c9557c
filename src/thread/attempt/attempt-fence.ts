import { RunSupersededError } from "../errors.ts";
import type { RunRow } from "../runs/run-row.ts";

/**
 * Lets only the attempt commit that was entered last. Memory knows it as well as the rows do: no other instance writes to
 * them, and the platform refuses what an instance writes in whose place another is.
 */
export class AttemptFence {
  #entered: RunRow | undefined;

  /** `run` as its attempt has it: the very object is what says who commits. */
  enter(run: RunRow): void {
    this.#entered = run;
  }

  /** The run has ended, or is gone with its thread. */
  close(): void {
    this.#entered = undefined;
  }

  /** No attempt of this run may commit any more. */
  leave(runId: string): void {
    if (this.#entered?.id === runId) this.#entered = undefined;
  }

  /** Throws when another attempt has been entered since, or none may commit any more. */
  check(run: RunRow): void {
    if (this.#entered !== run) throw new RunSupersededError(run.id);
  }
}
