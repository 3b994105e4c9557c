import { RefusedError, TidemarkError, type WireError } from "../errors.ts";
import { decode } from "../checkpoint/encoding.ts";
import type { BaseStore } from "../checkpoint/store/base-store.ts";
import type { Environment } from "../pregel/environment.ts";
import type { RunnableGraph } from "../pregel/runnable-graph.ts";
import type { RunInput } from "../pregel/run-input.ts";
import { Command } from "../pregel/command.ts";
import { Send } from "../pregel/send.ts";
import type { RunOutcome } from "../pregel/types.ts";
import { faultError } from "./errors.ts";
import type { EventLog } from "./events/event-log.ts";
import type { RunLog } from "./events/run-log.ts";
import type { RunRequest } from "./protocol.ts";
import type { CrashPoint } from "./crash-points.ts";
import { requireHead } from "./require-head.ts";
import type { Standing, StandingAfter } from "./standing.ts";
import { rowStatus, runEndOf, type RunEnd } from "./run-end.ts";
import type { Completion, RunExecutor } from "./run-queue.ts";
import type { RunRow } from "./run-rows.ts";
import { unstageRun } from "./stage-run.ts";
import type { CommitGuard, ThreadStorage } from "./thread-storage.ts";
import { eventName } from "./wire.ts";

export interface GraphRunnerOptions {
  readonly storage: ThreadStorage;
  readonly environment: Environment;
  /** The graph of the thread; throws when the deployment does not have it. */
  readonly graph: () => RunnableGraph;
  readonly threadId: () => string;
  /** What its nodes get in place of a store of the graph's own. */
  readonly store: () => BaseStore | undefined;
  readonly events: EventLog;
  /** Part of the transaction in which a run leaves the queue. */
  readonly onLeave: (run: RunRow, standing: StandingAfter) => void;
  /** What the thread stands at. */
  readonly standing: () => Promise<Standing>;
  readonly reached: (point: CrashPoint) => void;
}

/** Runs the graph for one run of the queue, and writes down how it ended. */
export class GraphRunner implements RunExecutor {
  readonly #options: GraphRunnerOptions;
  #controller = new AbortController();
  #current: string | undefined;

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

  async execute(run: RunRow): Promise<Completion> {
    const { storage, threadId } = this.#options;
    this.#controller = new AbortController();
    this.#current = run.id;
    const controller = this.#controller;
    try {
      const request = await unstageRun(storage, threadId(), run);
      const log = this.#openLog(run, request);
      const outcome = await this.#run(run, request, new RunGuard(run, this.#options), log);
      return outcome.status === "refused"
        ? await this.#refuse(run, outcome.error)
        : await this.#end(run, outcome);
    } catch (fault) {
      // Tasks that go on beside it are told that they work for nobody.
      controller.abort(fault);
      throw fault;
    }
  }

  async rollBack(run: RunRow): Promise<Completion> {
    const { storage, environment, onLeave, reached } = this.#options;
    await storage.saver.deleteForRuns([run.id]);
    reached("run.rolled_back");
    storage.fence.check(run);
    storage.transaction(() => {
      const progress = { checkpointId: undefined, supersteps: 0 };
      storage.runs.end(run.id, { status: "interrupted", endedAt: environment.now(), progress });
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
    if (request.modes.length === 0) return undefined;
    const { storage, events, threadId, reached } = this.#options;
    const log = events.open(run, (write) => {
      storage.fence.check(run);
      storage.transaction(write);
      reached("run.events_written");
    });
    const { id, attempt } = run;
    if (attempt > 1) log.emit("metadata", { run_id: id, thread_id: threadId(), attempt });
    return log;
  }

  async #run(run: RunRow, request: RunRequest, guard: RunGuard, log?: RunLog): Promise<RunOutcome> {
    const { storage, environment, threadId } = this.#options;
    const { config } = request;
    const store = this.#options.store();
    let graph: RunnableGraph;
    try {
      if (!run.inputApplied) requireHead(storage, threadId(), request.ifMatch);
    } catch (error) {
      if (error instanceof RefusedError) return { status: "refused", error };
      throw error;
    }
    try {
      graph = this.#options.graph();
    } catch (error) {
      if (error instanceof TidemarkError) return { status: "failed", error, failures: [] };
      throw error;
    }
    const named =
      run.inputApplied || request.checkpointId === undefined ? {} : { checkpoint_id: request.checkpointId };
    return graph.run(inputOf(run, request), {
      ...(config.recursionLimit === undefined ? {} : { recursionLimit: config.recursionLimit }),
      ...(config.tags === undefined ? {} : { tags: config.tags }),
      ...(config.metadata === undefined ? {} : { metadata: config.metadata }),
      configurable: {
        ...ownConfigurable(config.configurable),
        thread_id: threadId(),
        checkpoint_ns: "",
        ...named,
      },
      context: request.context,
      runId: run.id,
      checkpointer: storage.saverFor(guard, log && (() => log.stage())),
      environment,
      ...(store !== undefined && { store }),
      modes: new Set(request.modes),
      subgraphs: request.subgraphs ?? false,
      emit: (event) => log?.emit(eventName(event, request.subgraphs ?? false), event.payload),
      signal: this.#controller.signal,
      onInputApplied: (lastStep) => guard.applyInput(lastStep),
      ...(run.lastStep === undefined ? {} : { lastStep: run.lastStep }),
      onInterrupted: request.onInterrupted,
      ...(request.interruptBefore !== undefined && { interruptBefore: request.interruptBefore }),
      ...(request.interruptAfter !== undefined && { interruptAfter: request.interruptAfter }),
      isReentry: run.inputApplied,
    });
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
      storage.removeRun(run.id);
      onLeave(run, "same");
    });
    storage.fence.close();
    this.#options.reached("run.refused");
    return { status: "refused", error: faultError(error) };
  }

  async #end(run: RunRow, outcome: Exclude<RunOutcome, { status: "refused" }>): Promise<Completion> {
    return this.#write(run, runEndOf(outcome, await this.#next(outcome)));
  }

  async #next(outcome: RunOutcome): Promise<readonly string[]> {
    if (outcome.status !== "interrupted") return [];
    const { storage, graph, threadId } = this.#options;
    const state = await graph().getState(
      { configurable: { thread_id: threadId() } },
      { checkpointer: storage.saver },
    );
    return state.next;
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
    return { status: "ended" };
  }
}

/** Goes with every commit of a run: only its newest attempt may commit, and the first commit of one is progress. */
class RunGuard implements CommitGuard {
  readonly #run: RunRow;
  readonly #storage: ThreadStorage;
  readonly #reached: GraphRunnerOptions["reached"];
  readonly #threadId: string;
  /** Set from the commit on that holds the run's input. */
  #lastStep: number | undefined;
  #isNoted = false;
  #isInputNext = false;

  constructor(run: RunRow, { storage, reached, threadId }: GraphRunnerOptions) {
    this.#run = run;
    this.#storage = storage;
    this.#reached = reached;
    this.#threadId = threadId();
  }

  /** The next commit is the one that holds the run's input. */
  applyInput(lastStep: number): void {
    this.#lastStep = lastStep;
    this.#isNoted = false;
    this.#isInputNext = true;
  }

  check(): void {
    this.#storage.fence.check(this.#run);
  }

  get accompanies(): boolean {
    return !this.#isNoted;
  }

  accompany(): void {
    if (this.#isNoted) return;
    const { runs, checkpoints } = this.#storage;
    if (this.#lastStep === undefined) runs.noteProgress(this.#run.id);
    else runs.noteInput(this.#run.id, this.#lastStep, checkpoints.head(this.#threadId)?.step);
  }

  committed(kind: "checkpoint" | "task"): void {
    this.#isNoted = true;
    if (kind === "task") this.#reached("run.task_written");
    else this.#reached(this.#isInputNext ? "run.input_applied" : "run.committed");
    this.#isInputNext = false;
  }
}

/** A run that is entered again gets its input only when no commit holds it yet. */
function inputOf(run: RunRow, request: RunRequest): RunInput {
  if (run.inputApplied) return { kind: "continue" };
  const { input } = request;
  if (input.kind === "answers") return { kind: "answers", answers: new Map(input.answers) };
  if (input.kind !== "command") return input;
  const { kind, goto, ...others } = input;
  const sends = goto.map((to) => (typeof to === "string" ? to : new Send(to.node, to.input)));
  return { kind, command: new Command({ ...others, goto: sends }) };
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
