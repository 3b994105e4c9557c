import { RefusedError, TidemarkError, type WireError } from "../../errors.ts";
import { decode } from "../../checkpoint/encoding.ts";
import type { BaseStore } from "../../checkpoint/store/base-store.ts";
import type { Environment } from "../../pregel/environment.ts";
import type { RunOptions } from "../../pregel/pregel-options.ts";
import type { RunnableGraph } from "../../pregel/runnable-graph.ts";
import type { Span } from "../../pregel/span.ts";
import { INTERRUPT } from "../../pregel/constants.ts";
import type { RunOutcome, StateSnapshot } from "../../pregel/types.ts";
import { faultError } from "../errors.ts";
import type { EventLog } from "../events/event-log.ts";
import type { RunLog } from "../events/run-log.ts";
import type { RunRequest } from "../runs/run-request.ts";
import type { CrashPoint } from "../crash-points.ts";
import { limitedRun, pauseAtLimit, type LimitedRun } from "./limited-run.ts";
import { requireHead } from "../state/require-head.ts";
import type { Standing, StandingAfter } from "../state/standing.ts";
import { heardRequest, isDerivable, isTold, listenerOf, type RunListener } from "./run-listener.ts";
import { rowStatus, runEndOf, type RunEnd } from "../runs/run-end.ts";
import type { Completion } from "../queue/completions.ts";
import type { RunExecutor } from "../queue/run-queue.ts";
import type { RunRow } from "../runs/run-row.ts";
import { unstageRun } from "../runs/stage-run.ts";
import { RunGuard } from "./run-guard.ts";
import { boundMetadata } from "../thread-metadata.ts";
import type { RunTracer } from "./run-tracer.ts";
import { tellFinished } from "./tell-finished.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import { waitingOf } from "../wire.ts";

export interface GraphRunnerOptions {
  readonly storage: ThreadStorage;
  readonly environment: Environment;
  /** The graph of the thread; throws when the deployment does not have it. */
  readonly graph: () => RunnableGraph;
  readonly threadId: () => string;
  /** What its nodes get in place of a store of the graph's own. */
  readonly store: () => BaseStore | undefined;
  readonly events: EventLog;
  /** Whether anybody listens to the thread. */
  readonly isHeard: () => boolean;
  readonly tracer: RunTracer;
  /** Part of the transaction in which a run leaves the queue. */
  readonly onLeave: (run: RunRow, standing: StandingAfter) => void;
  /** What the thread stands at. */
  readonly standing: () => Promise<Standing>;
  readonly reached: (point: CrashPoint) => void;
}

/** What follows a run on its way. */
interface Witnesses {
  readonly guard: RunGuard;
  readonly listener: RunListener;
  readonly span: Span | undefined;
}

/** Runs the graph for one run of the queue, and writes down how it ended. */
export class GraphRunner implements RunExecutor {
  readonly #options: GraphRunnerOptions;
  #controller = new AbortController();
  #current: string | undefined;
  /** Of which all is told that earlier attempts have finished. */
  #told: string | undefined;
  #onTold: (() => void)[] = [];

  constructor(options: GraphRunnerOptions) {
    this.#options = options;
  }

  /** Ends what is going on, if anything is: it commits nothing more. */
  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  /** As `abort`, when it is this run. */
  abortRun(runId: string, reason: Error): void {
    if (this.#current === runId) this.abort(reason);
  }

  /** Whether an attempt of this instance has told what earlier ones have finished of the run. */
  hasTold(runId: string): boolean {
    return this.#told === runId;
  }

  /** Resolves when the next attempt has told what earlier ones have finished, before it does more. */
  told(): Promise<void> {
    return new Promise((resolve) => this.#onTold.push(resolve));
  }

  async execute(run: RunRow): Promise<Completion> {
    const { storage, threadId, tracer, isHeard } = this.#options;
    this.#controller = new AbortController();
    this.#current = run.id;
    const controller = this.#controller;
    try {
      const staged = await unstageRun(storage, threadId(), run);
      const request = isHeard() ? heardRequest(staged) : staged;
      return await tracer.traced(run, request, (span) => this.#execute(run, request, span));
    } catch (fault) {
      // Tasks that go on beside it are told that they work for nobody.
      controller.abort(fault);
      this.#options.events.close(run.id);
      throw fault;
    }
  }

  async #execute(run: RunRow, request: RunRequest, span: Span | undefined): Promise<Completion> {
    const { environment } = this.#options;
    const listener = listenerOf(request, this.#openLog(run, request), () => environment.now());
    const limited = await this.#limitedRun(run, request);
    if (limited instanceof RefusedError) return this.#refuse(run, limited);
    const guard = new RunGuard(run, this.#options, limited.isAnswer);
    const graph = this.#options.storage.thread()?.graph ?? "";
    const watched = listener.watching(span, { id: run.id, graph });
    const outcome = await this.#run(run, request, limited, { guard, listener, span: watched });
    listener.end();
    if (outcome.status === "refused") return this.#refuse(run, outcome.error);
    if (outcome.status !== "limited") return this.#end(run, outcome, limited, listener.asked);
    return this.#pause(run, outcome, limited, (event) => {
      if (listener.modes.has(event.mode)) listener.hear(event);
    });
  }

  async rollBack(run: RunRow): Promise<Completion> {
    const { storage, environment, onLeave, reached } = this.#options;
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
    const fault = run.fault && { fault: await decode(this.#options.storage.serde, run.fault) };
    const details = { attempts: run.attempt, ...fault };
    const error: WireError = { code: "run_stalled", message, details };
    const end: RunEnd = { status: "error", next: [], interrupts: [], error };
    return this.#write(run, end);
  }

  /** Only of a run that somebody wants to hear of. */
  #openLog(run: RunRow, request: RunRequest): RunLog | undefined {
    const { storage, events, threadId, reached } = this.#options;
    events.noteBegin();
    if (!isTold(request)) return undefined;
    const { id, attempt } = run;
    const log = events.open({ id, attempt, isDerivable: isDerivable(request) }, (write) => {
      storage.fence.check(run);
      storage.transaction(write);
      reached("run.events_written");
    });
    if (attempt > 1) log.emit("metadata", { run_id: id, thread_id: threadId(), attempt }, "derived");
    return log;
  }

  async #limitedRun(run: RunRow, request: RunRequest): Promise<LimitedRun | RefusedError> {
    const { storage, threadId } = this.#options;
    try {
      if (!run.inputApplied) requireHead(storage, threadId(), request.ifMatch);
      return await limitedRun(storage, threadId(), run, request, this.#options.standing);
    } catch (error) {
      if (error instanceof RefusedError) return error;
      throw error;
    }
  }

  async #run(
    run: RunRow,
    request: RunRequest,
    { input, limits, options: limitOptions, isStop }: LimitedRun,
    { guard, listener, span }: Witnesses,
  ): Promise<RunOutcome> {
    const { storage, environment, threadId } = this.#options;
    const { config } = request;
    const store = this.#options.store();
    if (isStop) {
      const checkpointId = storage.saver.head(threadId())?.id ?? "";
      return { status: "interrupted", checkpointId, interrupts: [], waiting: [] };
    }
    let graph: RunnableGraph;
    try {
      graph = this.#options.graph();
    } catch (error) {
      if (error instanceof TidemarkError) return { status: "failed", error, failures: [] };
      throw error;
    }
    const named =
      run.inputApplied || request.checkpointId === undefined ? {} : { checkpoint_id: request.checkpointId };
    const options: RunOptions = {
      ...(limits === undefined ? {} : { limits, limitOptions }),
      ...(config.recursionLimit === undefined ? {} : { recursionLimit: config.recursionLimit }),
      ...(config.tags === undefined ? {} : { tags: config.tags }),
      ...(config.metadata === undefined ? {} : { metadata: config.metadata }),
      configurable: {
        ...ownConfigurable(config.configurable),
        ...boundMetadata({}, this.#options.storage.thread()?.graph ?? "", request.assistant),
        run_id: run.id,
        thread_id: threadId(),
        checkpoint_ns: "",
        ...named,
      },
      context: request.context,
      runId: run.id,
      checkpointer: storage.saverFor(guard, listener.stage),
      environment,
      ...(store !== undefined && { store }),
      modes: listener.modes,
      subgraphs: listener.subgraphs,
      emit: (event) => listener.hear(event),
      signal: this.#controller.signal,
      onInputApplied: (lastStep, start, step) => guard.applyInput(lastStep, start, step),
      ...(run.lastStep === undefined ? {} : { lastStep: run.lastStep }),
      onInterrupted: request.onInterrupted,
      ...(request.interruptBefore !== undefined && { interruptBefore: request.interruptBefore }),
      ...(request.interruptAfter !== undefined && { interruptAfter: request.interruptAfter }),
      isReentry: run.inputApplied,
    };
    if (run.inputApplied) await tellFinished({ storage, graph, options }, listener.log);
    this.#told = run.id;
    const waiting = this.#onTold.splice(0);
    for (const resolve of waiting) resolve();
    // Whoever has waited may stop the run.
    if (waiting.length > 0) await environment.yieldTurn();
    return graph.run(input, { ...options, ...(span && { span }) });
  }

  /** Leaves no trace of the run, unless its caller knows of it: then it ends with the error. Its answers were not taken. */
  async #refuse(run: RunRow, error: Error): Promise<Completion> {
    const { storage, events, onLeave } = this.#options;
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
    this.#options.reached("run.refused");
    return { status: "refused", error: faultError(error) };
  }

  async #end(
    run: RunRow,
    outcome: Exclude<RunOutcome, { status: "refused" | "limited" }>,
    { isAnswer }: LimitedRun,
    asked: RunListener["asked"],
  ): Promise<Completion> {
    const next = outcome.status === "interrupted" ? (await this.#state()).next : [];
    const end = runEndOf(outcome, next, asked);
    return this.#write(run, end, () => {
      if (isAnswer && end.status !== "error") this.#options.storage.limitQuestion.take(run.id);
    });
  }

  /** The run ends with a question of the thread's own, beside those of its tasks. */
  async #pause(
    run: RunRow,
    outcome: Extract<RunOutcome, { status: "limited" }>,
    limited: LimitedRun,
    emit: (event: { readonly mode: "updates" | "values"; readonly payload: unknown }) => void,
  ): Promise<Completion> {
    const { question, write } = await pauseAtLimit(this.#options.storage, run, outcome, limited);
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
    const { storage, graph, threadId } = this.#options;
    const address = { configurable: { thread_id: threadId() } };
    return graph().getState(address, { checkpointer: storage.saver });
  }

  /** A run ends also where the state cannot be read: then the thread keeps the times that it had. */
  async #standing(): Promise<StandingAfter> {
    try {
      return await this.#options.standing();
    } catch (error) {
      if (error instanceof TidemarkError) return "same";
      throw error;
    }
  }

  /** `write` is part of the transaction. */
  async #write(run: RunRow, end: RunEnd, write = () => undefined as void): Promise<Completion> {
    // What goes on beside a task that failed is known to the state alone.
    const standing = end.status === "error" ? await this.#standing() : end;
    const { storage, environment, events, threadId, onLeave, reached } = this.#options;
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

/** What the caller may configure: which checkpoint of which thread is said elsewhere. */
function ownConfigurable(configurable: RunRequest["config"]["configurable"] = {}): Record<string, unknown> {
  const {
    thread_id: _thread,
    checkpoint_id: _id,
    checkpoint_ns: _ns,
    checkpoint_map: _map,
    ...own
  } = configurable;
  return own;
}
