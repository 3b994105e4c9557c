import type { StreamEvent } from "../pregel/types.ts";

export type RunListener = (event: StreamEvent) => void;

/** Who wants to hear of a run while it goes on. */
export class RunListeners {
  readonly #byRun = new Map<string, Set<RunListener>>();

  /** Returns what ends it. */
  add(runId: string, listener: RunListener): () => void {
    const listeners = this.#byRun.get(runId) ?? new Set();
    this.#byRun.set(runId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#byRun.delete(runId);
    };
  }

  emit(runId: string, event: StreamEvent): void {
    for (const listener of this.#byRun.get(runId) ?? []) listener(event);
  }
}
