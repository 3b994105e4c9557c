import type { LogFields } from "../../log.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { RunEnd } from "../runs/run-end.ts";
import type { Completion } from "./completions.ts";
import type { RunExecutor } from "./run-queue.ts";
import type { RunRow } from "../runs/run-row.ts";

/** Notes in the log which runs are entered, and how they leave. */
export class NotedRuns implements RunExecutor {
  readonly #executor: RunExecutor;
  readonly #platform: ThreadPlatform;

  constructor(executor: RunExecutor, platform: ThreadPlatform) {
    this.#executor = executor;
    this.#platform = platform;
  }

  execute(run: RunRow): Promise<Completion> {
    const { log } = this.#platform;
    const fields = { run_id: run.id, attempt: run.attempt };
    if (run.attempt > 1) log.note("warn", "run.recovered", { ...fields, stalled: run.stalled });
    else
      log.note("info", "run.started", {
        ...fields,
        queued_ms: this.#platform.now() - (run.startAt ?? run.createdAt),
      });
    return this.#noted(run, () => this.#executor.execute(run));
  }

  rollBack(run: RunRow): Promise<Completion> {
    return this.#noted(run, () => this.#executor.rollBack(run));
  }

  giveUp(run: RunRow): Promise<Completion> {
    return this.#noted(run, () => this.#executor.giveUp(run));
  }

  async #noted(run: RunRow, work: () => Promise<Completion>): Promise<Completion> {
    const platform = this.#platform;
    const { log } = platform;
    const start = platform.now();
    const completion = await work();
    const fields = { run_id: run.id, attempt: run.attempt, duration_ms: platform.now() - start };
    if (completion.status === "refused")
      log.note("info", "run.refused", { ...fields, code: completion.error.code });
    else if (completion.end === undefined) log.note("info", "run.rolled_back", fields);
    else this.#noteEnd(completion.end, fields);
    return completion;
  }

  #noteEnd(end: RunEnd, fields: LogFields): void {
    const { log } = this.#platform;
    const { status, checkpointId, interrupts, waiting = [], error } = end;
    const place = { ...fields, ...(checkpointId !== undefined && { checkpoint_id: checkpointId }) };
    if (error !== undefined)
      log.note("warn", "run.failed", { ...place, code: error.code }, () => ({
        message: error.message,
        details: error.details,
      }));
    else if (status === "interrupted")
      log.note(
        "info",
        "run.parked",
        { ...place, questions: interrupts.length, waits: waiting.length },
        () => ({ interrupts }),
      );
    else log.note("info", "run.ended", place);
  }
}
