import type { CheckpointTuple } from "../checkpoint/types.ts";
import { findAsked, type AskedQuestion } from "./answers.ts";
import { reopenedOrdinal, wasAskedAt } from "./asked.ts";
import { PARENT_TASK } from "./constants.ts";
import { childNamespace, taskNamespace, withoutTaskIds } from "./namespace.ts";
import type { PendingWrites } from "./pending-writes.ts";
import type { PlannedTask } from "./plan.ts";
import { saverConfig, type RunContext } from "./run-context.ts";
import { readCheckpoint } from "./snapshot.ts";
import type { PregelGraph, Subgraph } from "./types.ts";

/** A checkpoint whose tasks have asked questions. */
export interface AskingPlace {
  readonly graph: PregelGraph;
  /** Its namespace. */
  readonly from: string;
  readonly tasks: readonly PlannedTask[];
  readonly pending: PendingWrites;
}

/** Where a question was asked: by a task of the place itself, in the graph inside one, or in what one has called. */
export interface Found extends AskedQuestion {
  readonly inside?: CheckpointTuple;
  readonly isCalled?: boolean;
}

/** The question among those of the place's tasks and of what is inside them; undefined when nobody asked it. */
export async function findQuestion(
  run: RunContext,
  place: AskingPlace,
  id: string,
): Promise<Found | undefined> {
  for (const task of place.tasks) {
    const found = await findIn(run, place, task, id);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The question among those of one task. */
export async function findIn(
  run: RunContext,
  place: AskingPlace,
  task: PlannedTask,
  id: string,
): Promise<Found | undefined> {
  const asked = findAsked(id, [task], place.pending);
  if (asked !== undefined && !isRelayed(place.pending, task, id)) return asked;
  const graph = onlyGraph(task)?.graph;
  if (graph !== undefined) {
    for await (const tuple of checkpointsInside(run, place, task)) {
      const from = tuple.config.configurable?.checkpoint_ns ?? "";
      const inner = { graph, from, ...readCheckpoint(graph, tuple) };
      if ((await findQuestion(run, inner, id)) !== undefined) return { task, ordinal: 0, inside: tuple };
    }
  }
  return (await hasCalledAsking(run, place, task, id)) ? { task, ordinal: 0, isCalled: true } : undefined;
}

/** Whether a `task()`, or a graph that is known by its namespace alone, has asked the question inside the task. */
async function hasCalledAsking(
  run: RunContext,
  { tasks, pending, from }: AskingPlace,
  task: PlannedTask,
  id: string,
): Promise<boolean> {
  const called = pending.ofCalled(tasks).map(([taskId]) => taskId);
  const isKnown = called.some((taskId) => reopenedOrdinal(taskId, pending, [id]) !== undefined);
  if (isKnown && (tasks.length === 1 || isRelayed(pending, task, id))) return true;
  const namespace = taskNamespace(task.caller ?? from, task.name, task.id);
  for (let ordinal = 0; ; ordinal++) {
    let isEmpty = true;
    for await (const tuple of checkpointsOfCall(run, namespace, task.id, ordinal)) {
      isEmpty = false;
      if (wasAskedAt(tuple, id)) return true;
    }
    if (isEmpty) return false;
  }
}

/** The checkpoints, newest first, of the graph that a task has called as its n-th. */
export async function* checkpointsOfCall(
  run: RunContext,
  task: string,
  taskId: string,
  ordinal: number,
): AsyncGenerator<CheckpointTuple> {
  const namespaceIn = (namespace: string): string =>
    ordinal === 0 ? namespace : childNamespace(namespace, String(ordinal));
  yield* listed(run, namespaceIn(task));
  for await (const tuple of listed(run, namespaceIn(withoutTaskIds(task))))
    if (tuple.metadata?.[PARENT_TASK] === taskId) yield tuple;
}

/** The checkpoints, newest first, of the one graph that a task is known to run. */
export async function* checkpointsInside(
  run: RunContext,
  place: Pick<AskingPlace, "from">,
  task: PlannedTask,
): AsyncGenerator<CheckpointTuple> {
  const address = insideOf(place, task);
  if (address === undefined) return;
  const keepsHistory = onlyGraph(task)?.checkpointer === true;
  for await (const tuple of listed(run, address)) {
    // Others in a shared history are of other visits.
    if (!keepsHistory || tuple.metadata?.[PARENT_TASK] === task.id) yield tuple;
  }
}

async function* listed(run: RunContext, namespace: string): AsyncGenerator<CheckpointTuple> {
  const configurable = { ...run.config.configurable, checkpoint_ns: namespace };
  if (run.saver !== undefined) yield* run.saver.list(saverConfig({ configurable }));
}

/** The namespace of the one graph that a task is known to run. */
export function insideOf(place: Pick<AskingPlace, "from">, task: PlannedTask): string | undefined {
  const subgraph = onlyGraph(task);
  if (subgraph === undefined) return undefined;
  const own = taskNamespace(place.from, task.name, task.id);
  return subgraph.checkpointer === true ? withoutTaskIds(own) : own;
}

/** Of a task that may run several graphs, none is known before it runs them. */
export function onlyGraph(task: PlannedTask): Subgraph | undefined {
  const subgraphs = task.node?.subgraphs ?? [];
  return subgraphs.length === 1 ? subgraphs[0] : undefined;
}

export function isRelayed(pending: PendingWrites, task: PlannedTask, id: string): boolean {
  return pending.questionsOf(task.id).some((question) => question.id === id && question.ns !== undefined);
}
