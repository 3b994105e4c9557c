import type { WireError } from "../../errors.ts";
import type { RunEnd } from "../runs/run-end.ts";

/** How a run left the queue: it has an outcome in its row, or it was refused and has left no trace. */
export type Completion =
  /** `end`: of a run that ended by itself, for who has seen to it. */
  | { readonly status: "ended"; readonly end?: RunEnd }
  | { readonly status: "refused"; readonly error: WireError };

/** The completions that are waited for, by run. */
export class Completions {
  readonly #awaited = new Map<string, PromiseWithResolvers<Completion>>();

  /** Resolves when the run has left the queue. */
  of(runId: string): Promise<Completion> {
    const known = this.#awaited.get(runId);
    if (known !== undefined) return known.promise;
    const awaited = Promise.withResolvers<Completion>();
    // Whoever waits gets the fault too; nobody has to.
    awaited.promise.catch(() => undefined);
    this.#awaited.set(runId, awaited);
    return awaited.promise;
  }

  resolve(runId: string, completion: Completion): void {
    this.#take(runId)?.resolve(completion);
  }

  /** This instance can no longer see to the run. */
  reject(runId: string, fault: unknown): void {
    this.#take(runId)?.reject(fault);
  }

  /** Nobody gets an answer from the queue any more. */
  refuseAll(error: WireError): void {
    for (const { resolve } of this.#awaited.values()) resolve({ status: "refused", error });
    this.#awaited.clear();
  }

  #take(runId: string): PromiseWithResolvers<Completion> | undefined {
    const awaited = this.#awaited.get(runId);
    this.#awaited.delete(runId);
    return awaited;
  }
}
