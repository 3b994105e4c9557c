import { uuid5 } from "../uuid5.ts";
import { PULL, PUSH } from "./constants.ts";
import { HANDLER_PATH, type TaskPath } from "./task-path.ts";

/**
 * Ids that are the same whenever the same task of the same checkpoint is planned again, after a restart or on another
 * machine: pending writes and answers find their task by them. Task ids equal LangGraph's.
 */

/** A task that the first of its triggers started. `namespace` is the task's own: the graph's and the node's name. */
export function pullTaskId(
  checkpointId: string,
  namespace: string,
  step: number,
  node: string,
  trigger: string,
): string {
  return uuid5(JSON.stringify([namespace, String(step), node, PULL, [trigger]]), checkpointId);
}

/** A task that the Send at this index started. */
export function pushTaskId(
  checkpointId: string,
  namespace: string,
  step: number,
  node: string,
  index: number,
): string {
  return uuid5(JSON.stringify([namespace, String(step), node, PUSH, String(index)]), checkpointId);
}

/** The task of an error handler, which takes the place of a failed one. */
export function handlerTaskId(
  checkpointId: string,
  namespace: string,
  step: number,
  node: string,
  failedTaskId: string,
): string {
  const name = JSON.stringify([namespace, String(step), node, PUSH, HANDLER_PATH, failedTaskId]);
  return uuid5(name, checkpointId);
}

/** A task that the running task at `callerPath` has started as its `count`-th call (from 0). */
export function callTaskId(
  checkpointId: string,
  namespace: string,
  step: number,
  name: string,
  callerPath: TaskPath,
  count: number,
): string {
  return uuid5(JSON.stringify([namespace, String(step), name, PUSH, callerPath, count]), checkpointId);
}

/** The id of the question that a task asks as its `ordinal`-th (from 0): 32 hex digits, as LangGraph has it. */
export function interruptId(taskId: string, ordinal: number): string {
  return uuid5(`interrupt:${ordinal}`, taskId).replaceAll("-", "");
}

/**
 * What the outside may know a task by, so that it does its work once however often the task is tried: as long as threads
 * are told apart, which copies of a thread have to be too. Without checkpoints the run tells its tasks from others'.
 */
export function taskEffectKey(threadId: string, run: string, taskId: string): string {
  return uuid5(JSON.stringify(["effect", threadId, run]), taskId);
}
