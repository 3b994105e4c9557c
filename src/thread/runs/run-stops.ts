import type { TidemarkError } from "../../errors.ts";
import { runCancelled, runNotFound, runTimedOut } from "../errors.ts";
import type { GraphRunner } from "../attempt/graph-runner.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { Cancellation } from "./run-protocol.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import type { RunRow } from "./run-row.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import type { Timer } from "../timers/timers.ts";

export interface StopParts {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly queue: RunQueue;
  readonly runner: Pick<GraphRunner, "abortRun" | "hasTold" | "told">;
  /** Part of the transaction in which a run ends. */
  readonly onLeave: (run: RunRow) => void;
}

/** Tells what goes on of stopped runs, once that is stored. */
export type AfterStop = () => void;

/**
 * Ends runs from outside. One transaction decides: a run that has ended by then stays as it is, and one that has not
 * commits nothing more. Only then is what goes on of it told.
 */
export class RunStops {
  readonly #parts: StopParts;

  constructor(parts: StopParts) {
    this.#parts = parts;
  }

  /**
   * Before a run is stopped whose attempt has ended with an earlier instance: the one that is about to begin tells first what that
   * has finished. Resolves at once where nothing can be untold, or no attempt begins now.
   */
  async told(runId: string | undefined): Promise<void> {
    const { storage, queue, runner } = this.#parts;
    if (runId === undefined || runId !== queue.first() || runner.hasTold(runId)) return;
    if (storage.events.checkpoint(runId) === undefined) return;
    queue.wake();
    await Promise.race([runner.told(), queue.drained()]);
  }

  /** The run is cancelled from then on, or has ended before, as its row says. */
  cancel(threadId: string, runId: string, action: Cancellation): void {
    const { storage, platform } = this.#parts;
    const after = storage.transaction(() => {
      const run = storage.runs.get(runId);
      const isGone = run?.cancelled === "rollback" && run.endedAt !== undefined;
      if (run === undefined || isGone) throw runNotFound(threadId, runId);
      return isOver(run) ? () => undefined : this.#cancel(run, action);
    });
    platform.reached("run.stopped");
    after();
  }

  /** In a transaction: all that are in the queue. */
  cancelQueued(action: Cancellation): AfterStop {
    const { queue, runs } = this.#parts.storage;
    const after = queue.all().map((id) => {
      const run = runs.get(id);
      return run === undefined || isOver(run) ? () => undefined : this.#cancel(run, action);
    });
    return () => after.forEach((tell) => tell());
  }

  /** The time of the run is up. */
  onTimer({ id }: Timer): void {
    const { storage, platform } = this.#parts;
    const after = storage.transaction(() => {
      storage.timers.clear("time_limit", id);
      const run = storage.runs.get(id);
      if (run === undefined || isOver(run)) return () => undefined;
      return this.#end(run, "timeout", undefined, runTimedOut(id, run.timeLimit ?? 0));
    });
    platform.reached("run.stopped");
    after();
  }

  #cancel(run: RunRow, action: Cancellation): AfterStop {
    const { storage } = this.#parts;
    const reason = runCancelled(run.id, action);
    if (action !== "rollback" || run.attempt === 0) return this.#end(run, "interrupted", action, reason);
    storage.runs.noteRollback(run.id);
    if (run.timeLimit !== undefined) storage.timers.clear("time_limit", run.id);
    return () => this.#tell(run, reason);
  }

  #end(
    run: RunRow,
    status: "interrupted" | "timeout",
    cancelled: Cancellation | undefined,
    reason: TidemarkError,
  ): AfterStop {
    const { storage, platform, onLeave } = this.#parts;
    const progress = storage.progress(run);
    const ended = { status, endedAt: platform.now(), progress };
    storage.runs.end(run.id, cancelled === undefined ? ended : { ...ended, cancelled });
    if (run.startAt !== undefined) storage.timers.clear("run_start", run.id);
    onLeave(run);
    return () => this.#tell(run, reason);
  }

  #tell(run: RunRow, reason: TidemarkError): void {
    const { storage, platform, queue, runner } = this.#parts;
    platform.log.note("info", "run.stopped", { run_id: run.id, code: reason.code });
    storage.fence.leave(run.id);
    runner.abortRun(run.id, reason);
    queue.settleStopped(run.id);
  }
}

/** It has ended, or is being rolled back. */
function isOver(run: RunRow): boolean {
  return run.endedAt !== undefined || run.cancelled !== undefined;
}
