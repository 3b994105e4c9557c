import { isObject } from "../values/containers.ts";
import type { CheckpointMetadata, CheckpointTuple, PendingWrite } from "../checkpoint/types.ts";
import { describeError } from "../error-record.ts";
import { TidemarkError } from "../errors.ts";
import { applyOutside, applyWrites } from "./apply.ts";
import { finishedTasks, isLeftToHandler, withHandlers } from "./error-handler.ts";
import { GraphState } from "./graph-state.ts";
import { openQuestions, PendingWrites } from "./pending-writes.ts";
import { planTasks, type PlannedTask } from "./plan.ts";
import { nextVersionOf } from "./run-context.ts";
import { isOutput, resultOf, shownChannels } from "./stream.ts";
import { shownQuestions, shownWaits, type Answers } from "./question.ts";
import { namespaceInside } from "./subgraphs.ts";
import type { PregelGraph, RunnableConfig, StateSnapshot, StateTask } from "./types.ts";

export interface Reading {
  readonly state: GraphState;
  readonly planned: readonly PlannedTask[];
  /** The planned tasks, and those of the error handlers that failed ones were left to. */
  readonly tasks: readonly PlannedTask[];
  readonly pending: PendingWrites;
}

/** A checkpoint as its run would see it, with what came from outside applied. */
export function readCheckpoint(graph: PregelGraph, tuple: CheckpointTuple, answers?: Answers): Reading {
  const state = new GraphState(graph, tuple.checkpoint);
  const pending = new PendingWrites(tuple.pendingWrites, answers);
  const outside = pending.outside();
  if (outside.length > 0) {
    applyOutside(state, outside, nextVersionOf(undefined));
    state.updated = undefined;
  }
  const namespace = tuple.config.configurable?.checkpoint_ns ?? "";
  const step = (tuple.metadata?.step ?? -2) + 1;
  const position = { checkpointId: tuple.checkpoint.id, step, namespace };
  const planned = planTasks(state, position);
  return { state, planned, tasks: withHandlers(graph, planned, pending, position), pending };
}

/**
 * The state at a checkpoint. At the head (`isHead`) it includes what finished tasks of the next superstep have written,
 * and their nodes are no longer next; in history it is what was saved.
 */
export function snapshotOf(
  graph: PregelGraph,
  tuple: CheckpointTuple,
  options: {
    readonly isHead: boolean;
    /** Those given at the checkpoints of the graphs around this one. */
    readonly answers?: Answers;
  },
): StateSnapshot {
  const reading = readCheckpoint(graph, tuple, options.answers);
  const { state, pending } = reading;
  const tasks = options.isHead ? reading.tasks : reading.planned;
  const applied = options.isHead && !pending.isEmpty ? withFinishedTasks(graph, tuple) : undefined;
  const values = (applied?.state ?? state).readAll(shownChannels(graph));
  const waits = (task: PlannedTask): boolean =>
    !options.isHead ||
    applied?.error !== undefined ||
    (pending.outputOf(task.id) === undefined && !isLeftToHandler(graph, task, pending));
  return {
    values: shownValues(graph, values),
    next: tasks.filter(waits).map((task) => task.name),
    config: { configurable: { ...tuple.config.configurable, ...mapOf(tuple) } },
    ...(tuple.metadata === undefined ? {} : { metadata: shownMetadata(tuple.metadata, tuple) }),
    createdAt: tuple.checkpoint.ts,
    ...(tuple.parentConfig === undefined
      ? {}
      : { parentConfig: { configurable: { ...tuple.parentConfig.configurable } } }),
    tasks: tasks.map((task) =>
      stateTask(graph, task, pending, { isHead: options.isHead, refusal: applied?.error, tuple }),
    ),
  };
}

/**
 * The state with the finished tasks of the next superstep applied, or why there is none: a channel refuses, or what came
 * of it could not be stored.
 */
export function withFinishedTasks(
  graph: PregelGraph,
  tuple: CheckpointTuple,
): { readonly state?: GraphState; readonly error?: unknown } {
  const { state, tasks, pending } = readCheckpoint(graph, tuple);
  if (pending.refusal !== undefined) return { error: pending.refusal };
  const finished = finishedTasks(graph, tasks, pending);
  try {
    if (finished.length > 0) {
      applyWrites(state, finished, nextVersionOf(undefined));
      state.updated = undefined;
    }
    return { state };
  } catch (error) {
    if (error instanceof TidemarkError) return { error: describeError(error) };
    throw error;
  }
}

function shownMetadata(metadata: CheckpointMetadata, { config }: CheckpointTuple): CheckpointMetadata {
  const threadId = config.configurable?.thread_id;
  return threadId === undefined ? metadata : { ...metadata, thread_id: threadId };
}

/** A graph that shows one channel has what is in it as its values. */
function shownValues(graph: PregelGraph, values: unknown): Record<string, unknown> {
  if (typeof shownChannels(graph) === "string") return (values ?? null) as Record<string, unknown>;
  return isObject(values) ? { ...values } : {};
}

/** The checkpoints of the graphs around a nested one, and its own, by namespace. */
export function mapOf(tuple: CheckpointTuple): {
  readonly checkpoint_map?: Readonly<Record<string, string>>;
} {
  const parents = tuple.metadata?.parents ?? {};
  if (Object.keys(parents).length === 0) return {};
  const namespace = tuple.config.configurable?.checkpoint_ns ?? "";
  return { checkpoint_map: { ...parents, [namespace]: tuple.checkpoint.id } };
}

interface TaskView {
  readonly tuple: CheckpointTuple;
  readonly isHead: boolean;
  /** Why the superstep could not be applied. */
  readonly refusal: unknown;
}

function stateTask(graph: PregelGraph, task: PlannedTask, pending: PendingWrites, view: TaskView): StateTask {
  const output = pending.outputOf(task.id);
  const error = output === undefined ? pending.errorOf(task.id) : refusalOf(output, view.refusal);
  const shown = output?.filter(([channel]) => isOutput(graph, channel));
  const questions = view.isHead ? openQuestions(pending, task.id) : pending.questionsOf(task.id);
  const waiting = shownWaits(questions);
  return {
    id: task.id,
    name: task.name,
    path: task.path,
    interrupts: shownQuestions(questions),
    ...(waiting.length === 0 ? {} : { waiting }),
    ...(error === undefined ? {} : { error }),
    ...nestedAt(task, view.tuple),
    ...(shown !== undefined && shown.length > 0 ? { result: resultOf(graph, shown) } : {}),
  };
}

/** Where the state of the graph inside a task is read. */
function nestedAt(task: PlannedTask, tuple: CheckpointTuple): { readonly state?: RunnableConfig } {
  const { thread_id, checkpoint_ns = "" } = tuple.config.configurable ?? {};
  const namespace = namespaceInside(task.node?.subgraphs, checkpoint_ns, task);
  if (namespace === undefined) return {};
  const thread = thread_id === undefined ? {} : { thread_id };
  return { state: { configurable: { ...thread, checkpoint_ns: namespace } } };
}

/** The refusal concerns the tasks that wrote the channel it names, or all when it names none. */
function refusalOf(output: readonly PendingWrite[], refusal: unknown): unknown {
  const channel = channelOf(refusal);
  return channel === undefined || output.some(([name]) => name === channel) ? refusal : undefined;
}

function channelOf(refusal: unknown): unknown {
  if (!isObject(refusal) || !("details" in refusal)) return undefined;
  const { details } = refusal;
  return isObject(details) && "channel" in details ? details.channel : undefined;
}
