import { isObject } from "../values/containers.ts";
import type { AppliedTask } from "./apply.ts";
import { PUSH } from "./constants.ts";
import { childNamespace, taskNamespace } from "./namespace.ts";
import { openQuestions, type PendingWrites } from "./pending-writes.ts";
import { NodeError } from "./policy-errors.ts";
import type { PlannedTask, PlanPosition } from "./plan.ts";
import { handlerTaskId } from "./task-id.ts";
import { handlerPath, taskPathKey } from "./task-path.ts";
import type { PregelGraph } from "./types.ts";

/**
 * The task of the error handler of a failed task's node: it gets what the failed node got, runs in the same superstep,
 * and what it returns is applied in place of what the node would have returned. Undefined when there is no handler.
 */
export function handlerTask(
  graph: PregelGraph,
  failed: PlannedTask,
  error: unknown,
  position: PlanPosition,
): PlannedTask | undefined {
  const name = failed.node?.errorHandlerNode;
  const node = name === undefined ? undefined : graph.nodes.get(name);
  if (name === undefined || node === undefined) return undefined;
  const path = handlerPath(failed.path);
  const caller = taskNamespace(position.namespace, failed.name, failed.id);
  return {
    id: handlerTaskId(position.checkpointId, childNamespace(caller, name), position.step, name, failed.id),
    name,
    path,
    pathKey: taskPathKey(path),
    triggers: [PUSH],
    node: { ...node, channels: failed.node?.channels ?? node.channels },
    ...("sendArgs" in failed ? { sendArgs: failed.sendArgs } : {}),
    caller,
    handles: new NodeError(failed.name, error),
  };
}

/** The planned tasks, and those of the handlers that an earlier run has started. */
export function withHandlers(
  graph: PregelGraph,
  tasks: PlannedTask[],
  pending: PendingWrites,
  position: PlanPosition,
): PlannedTask[] {
  if (pending.isEmpty) return tasks;
  const handlers = tasks.flatMap((task) => startedHandler(graph, task, pending, position) ?? []);
  return handlers.length === 0 ? tasks : [...tasks, ...handlers];
}

/**
 * The handlers that failed tasks are left to, as tasks of another checkpoint, by the `pathKey` that they have here. One
 * that has neither finished nor asked anything is none: there the node runs again.
 */
export function twinHandlers(
  { run, pending }: { readonly run: { readonly graph: PregelGraph }; readonly pending: PendingWrites },
  tasks: readonly PlannedTask[],
  twins: ReadonlyMap<string, PlannedTask>,
  position: PlanPosition,
): [pathKey: string, twin: PlannedTask][] {
  return tasks.flatMap((task) => {
    const twin = twins.get(task.pathKey);
    if (twin === undefined || !isLeftToHandler(run.graph, task, pending)) return [];
    const pathKey = taskPathKey(handlerPath(task.path));
    const own = tasks.find((each) => each.pathKey === pathKey);
    const isAtWork =
      own !== undefined &&
      (pending.outputOf(own.id) !== undefined || openQuestions(pending, own.id).length > 0);
    const handler = handlerTask(run.graph, twin, storedError(pending.errorOf(task.id)), position);
    return !isAtWork || handler === undefined ? [] : [[pathKey, handler]];
  });
}

/** Whether the task has failed and its handler has the word. Without the handler, the node runs again. */
export function isLeftToHandler(graph: PregelGraph, task: PlannedTask, pending: PendingWrites): boolean {
  const handler = task.node?.errorHandlerNode;
  return handler !== undefined && graph.nodes.has(handler) && pending.isHandled(task.id);
}

/** What the finished ones of the tasks have written. A failed task is finished when its handler is. */
export function finishedTasks(
  graph: PregelGraph,
  tasks: readonly PlannedTask[],
  pending: PendingWrites,
): AppliedTask[] {
  const handled = new Set(
    tasks
      .filter((task) => task.handles !== undefined && pending.outputOf(task.id) !== undefined)
      .map((task) => task.pathKey),
  );
  return tasks.flatMap((task): AppliedTask[] => {
    const writes = pending.outputOf(task.id);
    if (writes !== undefined) return [{ ...task, writes }];
    const isDone = isLeftToHandler(graph, task, pending) && handled.has(taskPathKey(handlerPath(task.path)));
    return isDone ? [{ ...task, writes: [] }] : [];
  });
}

function startedHandler(
  graph: PregelGraph,
  task: PlannedTask,
  pending: PendingWrites,
  position: PlanPosition,
): PlannedTask | undefined {
  if (!isLeftToHandler(graph, task, pending)) return undefined;
  return handlerTask(graph, task, storedError(pending.errorOf(task.id)), position);
}

/** An error that was stored as plain data, as an error again, and so are its causes. */
export function storedError(stored: unknown): unknown {
  if (!isObject(stored) || !("message" in stored)) return stored;
  const { message, ...more } = stored;
  const error = Object.assign(new Error(String(message)), more);
  if ("cause" in stored) error.cause = storedError(stored.cause);
  if ("errors" in stored && Array.isArray(stored.errors))
    Object.assign(error, { errors: stored.errors.map(storedError) });
  return error;
}
