import { RefusedError, TidemarkError } from "../../errors.ts";
import type { RunnableGraph } from "../../pregel/runnable-graph.ts";
import type { Span } from "../../pregel/span.ts";
import type { RunOutcome } from "../../pregel/types.ts";
import type { RunLog } from "../events/run-log.ts";
import type { Completion } from "../queue/completions.ts";
import type { RunExecutor } from "../queue/run-queue.ts";
import type { RunRequest } from "../runs/run-request.ts";
import type { RunRow } from "../runs/run-row.ts";
import { unstageRun } from "../runs/stage-run.ts";
import { requireHead } from "../state/require-head.ts";
import { EndWriter, type EndWriterParts } from "./end-writer.ts";
import { limitedRun, type LimitedRun } from "./limited-run.ts";
import { RunGuard } from "./run-guard.ts";
import { heardRequest, isDerivable, isTold, listenerOf } from "./run-listener.ts";
import { type AttemptedRun, runOptions, type RunOptionsParts } from "./run-options.ts";
import type { RunTracer } from "./run-tracer.ts";
import { tellFinished } from "./tell-finished.ts";

export interface GraphRunnerOptions extends EndWriterParts, RunOptionsParts {
  /** Whether anybody listens to the thread. */
  readonly isHeard: () => boolean;
  readonly tracer: RunTracer;
}

/** Runs the graph for one run of the queue, and has written down how it ended. */
export class GraphRunner implements RunExecutor {
  readonly #options: GraphRunnerOptions;
  readonly #ends: EndWriter;
  #controller = new AbortController();
  #current: string | undefined;
  /** Of which all is told that earlier attempts have finished. */
  #told: string | undefined;
  #onTold: (() => void)[] = [];

  constructor(options: GraphRunnerOptions) {
    this.#options = options;
    this.#ends = new EndWriter(options);
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
    if (limited instanceof RefusedError) return this.#ends.refuse(run, limited);
    const guard = new RunGuard(run, this.#options, limited.isAnswer);
    const graph = this.#options.storage.thread()?.graph ?? "";
    const watched = listener.watching(span, { id: run.id, graph });
    const outcome = await this.#run({ run, request, limited, guard, listener }, watched);
    listener.end();
    if (outcome.status === "refused") return this.#ends.refuse(run, outcome.error);
    if (outcome.status !== "limited") return this.#ends.end(run, outcome, limited, listener.asked);
    return this.#ends.pause(run, outcome, limited, (event) => {
      if (listener.modes.has(event.mode)) listener.hear(event);
    });
  }

  rollBack(run: RunRow): Promise<Completion> {
    return this.#ends.rollBack(run);
  }

  giveUp(run: RunRow): Promise<Completion> {
    return this.#ends.giveUp(run);
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

  async #run(attempted: AttemptedRun, span: Span | undefined): Promise<RunOutcome> {
    const { run, limited, listener } = attempted;
    const { storage, environment, threadId } = this.#options;
    if (limited.isStop) {
      const checkpointId = storage.saver.head(threadId())?.id ?? "";
      return { status: "interrupted", checkpointId, interrupts: [], waiting: [] };
    }
    const graph = this.#graph();
    if (graph instanceof TidemarkError) return { status: "failed", error: graph, failures: [] };
    const options = runOptions(attempted, this.#options, this.#controller.signal);
    if (run.inputApplied) await tellFinished({ storage, graph, options }, listener.log);
    // Whoever has waited may stop the run.
    if (this.#noteTold(run.id)) await environment.yieldTurn();
    return graph.run(limited.input, { ...options, ...(span && { span }) });
  }

  /** Or what a deployment says that does not have it. */
  #graph(): RunnableGraph | TidemarkError {
    try {
      return this.#options.graph();
    } catch (error) {
      if (error instanceof TidemarkError) return error;
      throw error;
    }
  }

  /** Whether anybody has waited for it. */
  #noteTold(runId: string): boolean {
    this.#told = runId;
    const waiting = this.#onTold.splice(0);
    for (const resolve of waiting) resolve();
    return waiting.length > 0;
  }
}
