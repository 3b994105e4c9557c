import { decode } from "../../checkpoint/encoding.ts";
import { TidemarkError, type WireError } from "../../errors.ts";
import { INTERRUPT } from "../../pregel/constants.ts";
import type { Environment } from "../../pregel/environment.ts";
import type { RunnableGraph } from "../../pregel/runnable-graph.ts";
import type { RunOutcome, StateSnapshot } from "../../pregel/types.ts";
import type { CrashPoint } from "../crash-points.ts";
import { faultError } from "../wire-errors.ts";
import type { EventLog } from "../events/event-log.ts";
import type { Completion } from "../queue/completions.ts";
import { rowStatus, runEndOf, type RunEnd } from "../runs/run-end.ts";
import type { RunRow } from "../runs/run-row.ts";
import type { Standing, StandingAfter } from "../state/standing.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import { waitingOf } from "../wire.ts";
import { pauseAtLimit, type LimitedRun } from "./limited-run.ts";
import type { RunListener } from "./run-listener.ts";

export interface EndWriterParts {
  readonly storage: ThreadStorage;
  readonly environment: Environment;
  /** The graph of the thread; throws when the deployment does not have it. */
  readonly graph: () => RunnableGraph;
  readonly threadId: () => string;
  readonly events: EventLog;
  /** Part of the transaction in which a run leaves the queue. */
  readonly onLeave: (run: RunRow, standing: StandingAfter) => void;
  /** What the thread stands at. */
  readonly standing: () => Promise<Standing>;
  readonly reached: (point: CrashPoint) => void;
}

/** Writes down how a run left the queue. */
export class EndWriter {
  readonly #parts: EndWriterParts;

  constructor(parts: EndWriterParts) {
    this.#parts = parts;
  }

  async rollBack(run: RunRow): Promise<Completion> {
    const { storage, environment, onLeave, reached } = this.#parts;
    await storage.saver.deleteForRuns([run.id]);
    reached("run.rolled_back");
    storage.fence.check(run);
    storage.transaction(() => {
      const progress = { checkpointId: undefined, supersteps: 0 };
      storage.runs.end(run.id, { status: "interrupted", endedAt: environment.now(), progress });
      storage.limitQuestion.release(run.id);
      onLeave(run, "unknown");
    });
    storage.fence.close();
    reached("run.ended");
    return { status: "ended" };
  }

  async giveUp(run: RunRow): Promise<Completion> {
    const message = `The run was entered ${run.stalled} times in a row without getting anywhere. The thread is at its last checkpoint; start another run to go on.`;
    const fault = run.fault && { fault: await decode(this.#parts.storage.serde, run.fault) };
    const details = { attempts: run.attempt, ...fault };
    const error: WireError = { code: "run_stalled", message, details };
    const end: RunEnd = { status: "error", next: [], interrupts: [], error };
    return this.#write(run, end);
  }

  /** Leaves no trace of the run, unless its caller knows of it: then it ends with the error. Its answers were not taken. */
  async refuse(run: RunRow, error: Error): Promise<Completion> {
    const { storage, events, onLeave } = this.#parts;
    if (run.isAcknowledged) {
      const end: RunEnd = { status: "error", next: [], interrupts: [], error: faultError(error) };
      return this.#write(run, end, () => storage.answers.removeOf(run.id));
    }
    storage.fence.check(run);
    events.forget(run.id);
    storage.transaction(() => {
      storage.removeRun(run);
      onLeave(run, "same");
    });
    storage.fence.close();
    this.#parts.reached("run.refused");
    return { status: "refused", error: faultError(error) };
  }

  async end(
    run: RunRow,
    outcome: Exclude<RunOutcome, { status: "refused" | "limited" }>,
    { isAnswer }: LimitedRun,
    asked: RunListener["asked"],
  ): Promise<Completion> {
    const next = outcome.status === "interrupted" ? (await this.#state()).next : [];
    const end = runEndOf(outcome, next, asked);
    return this.#write(run, end, () => {
      if (isAnswer && end.status !== "error") this.#parts.storage.limitQuestion.take(run.id);
    });
  }

  /** The run ends with a question of the thread's own, beside those of its tasks. */
  async pause(
    run: RunRow,
    outcome: Extract<RunOutcome, { status: "limited" }>,
    limited: LimitedRun,
    emit: (event: { readonly mode: "updates" | "values"; readonly payload: unknown }) => void,
  ): Promise<Completion> {
    const { question, write } = await pauseAtLimit(this.#parts.storage, run, outcome, limited);
    const { next, tasks } = await this.#state();
    for (const mode of ["updates", "values"] as const) emit({ mode, payload: { [INTERRUPT]: [question] } });
    const end: RunEnd = {
      status: "interrupted",
      checkpointId: outcome.checkpointId,
      next,
      interrupts: [...tasks.flatMap(({ interrupts }) => interrupts), question],
      ...waitingOf(tasks.flatMap(({ waiting = [] }) => waiting)),
    };
    return this.#write(run, end, write);
  }

  #state(): Promise<StateSnapshot> {
    const { storage, graph, threadId } = this.#parts;
    const address = { configurable: { thread_id: threadId() } };
    return graph().getState(address, { checkpointer: storage.saver });
  }

  /** A run ends also where the state cannot be read: then the thread keeps the times that it had. */
  async #standing(): Promise<StandingAfter> {
    try {
      return await this.#parts.standing();
    } catch (error) {
      if (error instanceof TidemarkError) return "same";
      throw error;
    }
  }

  /** `write` is part of the transaction. */
  async #write(run: RunRow, end: RunEnd, write = () => undefined as void): Promise<Completion> {
    // What goes on beside a task that failed is known to the state alone.
    const standing = end.status === "error" ? await this.#standing() : end;
    const { storage, environment, events, threadId, onLeave, reached } = this.#parts;
    const record = await storage.records.stage(threadId(), "outcome", end);
    reached("run.outcome_staged");
    try {
      await events.stage(run.id);
      storage.fence.check(run);
      storage.transaction(() => {
        record.commit();
        const progress = storage.progress(run);
        const status = rowStatus(end);
        const ended = { status, endedAt: environment.now(), outcome: record.body, progress };
        // Of a rollback that was given up: the checkpoints are there, and so is the run.
        storage.runs.end(run.id, run.cancelled === undefined ? ended : { ...ended, cancelled: "interrupt" });
        write();
        onLeave(run, standing);
      });
      storage.fence.close();
    } finally {
      await record.release();
    }
    reached("run.ended");
    return { status: "ended", end };
  }
}
