import { adopt, adoptFrozen, adoptOwned, isConstant } from "../values/adopt.ts";
import type {
  Checkpoint,
  CheckpointConfig,
  CheckpointMetadata,
  CheckpointSource,
  CheckpointTuple,
  PendingWrite,
} from "../checkpoint/types.ts";
import { timestampAt } from "../checkpoint/timestamp.ts";
import { RunEndedError } from "./nested-errors.ts";
import { applyOutside } from "./apply.ts";
import type { EnclosingLoop, Unstored } from "./enclosing-task.ts";
import { ExitStore } from "./exit-store.ts";
import { withHandlers } from "./error-handler.ts";
import { GraphState } from "./graph-state.ts";
import type { Origin } from "./origins.ts";
import { metadataOfRun, type RunMetadata } from "./checkpoint-metadata.ts";
import type { CommonConfig } from "./common-config.ts";
import { PARENT_TASK, START } from "./constants.ts";
import { PendingWrites } from "./pending-writes.ts";
import { LoopTrace } from "./loop-trace.ts";
import { Places } from "./places.ts";
import { planTasks, type PlannedTask, type PlanPosition } from "./plan.ts";
import { saverConfig, nextVersionOf, type RunContext } from "./run-context.ts";
import { ledgerAt, requireUsage, UsageLedger, type Usage } from "./usage.ts";

/** Where a run stands: a checkpoint, the state it holds, and what is stored of the superstep after it. */
export class LoopState implements EnclosingLoop {
  readonly run: RunContext;
  readonly state: GraphState;
  checkpointId: string | undefined;
  parentId: string | undefined;
  /** Of the checkpoint the run stands at. */
  metadata: CheckpointMetadata | undefined;
  /** Of the checkpoint the run stands at; -2 before the first. */
  step: number;
  /**
   * The run may go on up to the checkpoint of this step. As in LangGraph, that is one superstep more than the limit, for
   * `__start__`, and two when the run adds no checkpoint of its own before the first.
   */
  readonly lastStep: number;
  pending: PendingWrites;
  /** What was used on the way to here; undefined as long as that is nothing. */
  usage: UsageLedger | undefined;
  /** Calls whose result was taken over from a branch before. */
  readonly taken = new Set<string>();
  /** Of tasks that others have called, by task. */
  readonly #calledOrigins = new Map<string, readonly Origin[]>();
  /** Of the run's thread and namespace. */
  readonly #place: CheckpointConfig;
  /** What its checkpoints say alike. */
  readonly #about: RunMetadata;
  /** Whether the run began with input, rather than going on. */
  hasNewInput = false;
  /** Set when the run is over: what its tasks do from then on counts no more. */
  hasEnded = false;
  /** How much is being stored. */
  #storing = 0;
  #onStored: (() => void) | undefined;
  /** Reads the values that were shown last; undefined before the first. They are the state's, until that is of no use. */
  result: (() => unknown) | undefined;
  /** Called when the run is cancelled: one listener for all its supersteps. */
  onAbort: (() => void) | undefined;
  /** Aborted when the tasks that run now need not go on. */
  signal: AbortSignal;
  /** What its tasks are told alike, once one has begun. */
  alike: CommonConfig | undefined;
  /** For its tasks, where the run says how many may be at work at a time. */
  readonly places: Places | undefined;
  /** When somebody wants to see what the run does. */
  readonly trace: LoopTrace | undefined;
  readonly #exitStore: ExitStore | undefined;

  constructor(run: RunContext, tuple: CheckpointTuple | undefined, pending?: PendingWrites) {
    this.run = run;
    this.signal = run.signal;
    this.trace = run.span && new LoopTrace(run.span);
    const { maxConcurrency } = run.config;
    this.places = maxConcurrency === undefined ? undefined : new Places(Math.floor(maxConcurrency));
    this.#exitStore = run.durability === "exit" ? new ExitStore() : undefined;
    this.state = new GraphState(run.graph, tuple?.checkpoint);
    this.checkpointId = tuple?.checkpoint.id;
    this.parentId = tuple?.parentConfig?.configurable?.checkpoint_id;
    this.metadata = tuple?.metadata;
    this.step = tuple?.metadata?.step ?? -2;
    this.lastStep = run.lastStep ?? this.step + run.recursionLimit + 2;
    this.#place = saverConfig(run.config);
    this.#about = adopt(metadataOfRun(run.config, originOf(run, tuple)));
    this.pending = pending ?? new PendingWrites(tuple?.pendingWrites, run.nesting?.answers);
    this.usage = ledgerAt(isOfVisit(run, tuple) ? tuple?.metadata : undefined, this.pending);
  }

  plan(): PlannedTask[] {
    const { position } = this;
    return position === undefined
      ? []
      : withHandlers(this.run.graph, planTasks(this.state, position), this.pending, position);
  }

  /** Of the next superstep; undefined before the first checkpoint. */
  get position(): PlanPosition | undefined {
    const { checkpointId, step, namespace } = this;
    return checkpointId === undefined ? undefined : { checkpointId, step: step + 1, namespace };
  }

  /** The tasks of earlier branches in whose place a task is. */
  originsOf(taskId: string): readonly Origin[] {
    if (this.pending.isEmpty) return [];
    return this.#calledOrigins.get(taskId) ?? this.pending.origins().get(taskId) ?? [];
  }

  /** A called task is in the place of those that the origins of its caller had called. */
  noteOrigins(taskId: string, origins: readonly Origin[]): void {
    this.#calledOrigins.set(taskId, origins);
  }

  get namespace(): string {
    return this.run.config.configurable?.checkpoint_ns ?? "";
  }

  /** Applies writes that no task made: input, or what a command brought. */
  applyOutside(writes: readonly PendingWrite[]): void {
    applyOutside(this.state, writes, nextVersionOf(this.run.saver));
  }

  /** The next checkpoint is to hold the whole state as a child of this one, or as the first of its namespace. */
  standAt(checkpointId: string | undefined): void {
    this.checkpointId = checkpointId;
    this.state.takeAll();
  }

  /** Stores the state as the child of the checkpoint the run stands at, and moves there. */
  async commit(
    source: CheckpointSource,
    options: { readonly id?: string; readonly appliesInput?: boolean } = {},
  ): Promise<Checkpoint> {
    const { run } = this;
    const { nesting } = run;
    this.requireTask();
    const parentId = this.checkpointId;
    const step = this.step + 1;
    const id = options.id ?? run.environment.checkpointIds.next(step);
    const { checkpoint, newVersions } = this.state.takeCheckpoint(
      id,
      timestampAt(Math.trunc(run.environment.now())),
    );
    const about = this.usage === undefined ? this.#about : { ...this.#about, usage: this.usage.total };
    const said: CheckpointMetadata = { ...about, source, step };
    const metadata = isConstant(about) ? adoptFrozen(said, about) : adoptOwned(said);
    if (options.appliesInput) this.noteInput(step, source);
    if (run.saver !== undefined) {
      if (this.#exitStore !== undefined)
        this.#exitStore.keepCheckpoint({ parentId, checkpoint, metadata, newVersions });
      else {
        this.beginStoring();
        try {
          await run.saver.put(this.#address(parentId), checkpoint, metadata, newVersions);
        } finally {
          this.endStoring();
        }
      }
    }
    this.parentId = parentId;
    this.metadata = metadata;
    this.checkpointId = id;
    this.step = step;
    this.pending = new PendingWrites([], nesting?.answers);
    this.usage = this.usage?.next();
    return checkpoint;
  }

  /** To be called right before the first commit that holds the run's input. The run begins at a checkpoint of this kind. */
  noteInput(step = this.step, source = this.metadata?.source): void {
    const { graph, limits, onInputApplied } = this.run;
    // Taking in the input is no work of the graph.
    const first = source === "input" && graph.nodes.has(START) ? step + 1 : step;
    onInputApplied(this.lastStep, limits?.begin(this, first), step);
  }

  /** A task has used this. */
  reportUsage(taskId: string, used: Usage): void {
    requireUsage(used);
    if (this.hasEnded) return;
    (this.usage ??= new UsageLedger()).add(taskId, used);
    this.relayUsage(used);
  }

  noteNestedUsage(taskId: string, namespace: string, total: Usage): void {
    this.relayUsage((this.usage ??= new UsageLedger()).setNested(taskId, namespace, total));
  }

  /** What is used inside a task is used by the task. Without a saver the graph begins anew when the task does. */
  relayUsage(added: Usage): void {
    const { nesting, saver } = this.run;
    if (nesting === undefined || this.usage === undefined) return;
    const { loop, task } = nesting.task;
    if (saver === undefined) loop.reportUsage(task.id, added);
    else loop.noteNestedUsage(task.id, this.namespace, this.usage.total);
  }

  /** As `saverConfig` says it. */
  #address(checkpointId: string | undefined): CheckpointConfig {
    const { configurable } = this.#place;
    return checkpointId === undefined
      ? this.#place
      : { configurable: { ...configurable, checkpoint_id: checkpointId } };
  }

  /** A run inside a task that nobody waits for any more stores nothing more. For the runs inside this one too. */
  requireTask(): void {
    const task = this.run.nesting?.task;
    if (task === undefined) return;
    if (task.isOver) throw new RunEndedError();
    task.loop.requireTask();
  }

  /** Stores what a task (or the caller) wrote after the checkpoint the run stands at. */
  async store(taskId: string, writes: readonly PendingWrite[], pathKey?: string): Promise<void> {
    this.requireTask();
    const { saver } = this.run;
    if (this.#exitStore !== undefined) this.#exitStore.keepWrites(taskId, writes, pathKey);
    else if (saver !== undefined) {
      this.beginStoring();
      try {
        await saver.putWrites(this.#address(this.checkpointId), writes, taskId, pathKey);
      } finally {
        this.endStoring();
      }
    }
    this.pending.add(taskId, writes);
  }

  /** Nothing of the run is stored by a task after it: what is under way has ended, in whatever way. */
  async end(): Promise<void> {
    this.hasEnded = true;
    while (this.#storing > 0)
      await new Promise<void>((resolve) => {
        this.#onStored = resolve;
      });
  }

  /** Of a run that stores at its end, for the graphs inside its tasks that have a history of their own. */
  noteUnstored(): Unstored | undefined {
    const around = this.run.nesting?.task.loop;
    return around === undefined ? this.#exitStore?.noteUnstored() : around.noteUnstored();
  }

  /** Stores what a run that stores at its end has not stored yet. */
  async flush(): Promise<void> {
    if (this.#exitStore === undefined) return;
    this.requireTask();
    this.beginStoring();
    try {
      await this.#exitStore.store(this.run, this.checkpointId);
    } finally {
      this.endStoring();
    }
  }

  /** What a run inside a task stores, the runs around it wait for too. */
  beginStoring(): void {
    this.#storing += 1;
    this.run.nesting?.task.loop.beginStoring();
  }

  endStoring(): void {
    this.#storing -= 1;
    if (this.#storing === 0) this.#onStored?.();
    this.run.nesting?.task.loop.endStoring();
  }
}

/** Whether the checkpoint counts what the run uses: that of an earlier visit of the same graph does not. */
function isOfVisit({ nesting }: RunContext, tuple: CheckpointTuple | undefined): boolean {
  return !nesting?.keepsHistory || tuple?.metadata?.[PARENT_TASK] === nesting.task.task.id;
}

/** What checkpoints say of the graphs around theirs: those of an edited nested graph stay where they are. */
function originOf(
  { nesting }: RunContext,
  tuple: CheckpointTuple | undefined,
): { readonly parents: Readonly<Record<string, string>>; readonly [PARENT_TASK]?: unknown } {
  if (nesting !== undefined) {
    const task = nesting.keepsHistory ? { [PARENT_TASK]: nesting.task.task.id } : {};
    return { parents: nesting.parents, ...task };
  }
  const task = tuple?.metadata?.[PARENT_TASK];
  return { parents: tuple?.metadata?.parents ?? {}, ...(task === undefined ? {} : { [PARENT_TASK]: task }) };
}
