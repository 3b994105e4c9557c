import { handOut } from "../values/adopt.ts";
import { TidemarkError } from "../errors.ts";
import { GraphInterrupt } from "../interrupt-error.ts";
import { PUSH, RETURN } from "./constants.ts";
import type { TaskResult } from "./attempt.ts";
import { executeTask } from "./execute.ts";
import { childNamespace, taskNamespace } from "./namespace.ts";
import type { LoopState } from "./loop-state.ts";
import { reopenedOrdinal } from "./asked.ts";
import type { Origin } from "./origins.ts";
import type { PlannedTask } from "./plan.ts";
import { shownQuestions } from "./question.ts";
import { emitTasks } from "./stream-tasks.ts";
import { taskContext } from "./task-context.ts";
import { callTaskId } from "./task-id.ts";
import { callPath, callPathKey } from "./task-path.ts";
import type { TaskScope } from "./task-scope.ts";
import type { EngineNode } from "./types.ts";

/** What a `task()` is made of: its input is the list of its arguments. */
export type CalledParts = Pick<EngineNode, "name" | "run" | "retryPolicy" | "timeout" | "cachePolicy">;

/** A `task()` as the engine runs it. */
export function calledNode(parts: CalledParts): EngineNode {
  return {
    ...parts,
    triggers: TRIGGERS,
    channels: [],
    hidden: false,
    write: (output) => [[RETURN, output]],
  };
}

const TRIGGERS: readonly string[] = [PUSH];

/**
 * Runs a function as a task of its own inside the running one. Its result is stored as soon as it is there: when the
 * running task starts again, its calls return what they returned before, matched by their name and order.
 */
export function callTask(node: EngineNode, args: readonly unknown[]): Promise<unknown> {
  const scope = taskContext.get()?.scope;
  if (scope === undefined) {
    throw new TidemarkError(
      "outside_of_task",
      `Task "${node.name}" was called outside of a running node or entrypoint.`,
    );
  }
  const task = plannedCall(scope, node, args);
  const { loop } = scope;
  const isTaken = takeOver(scope, task);
  emitTasks(loop, [task]);
  const execution =
    loop.places === undefined
      ? executeTask(loop, task)
      : loop.places.occupy(task, scope.task, () => executeTask(loop, task));
  return scope.follow(execution, (result) => {
    if (result.status === "done" && !isTaken) scope.origins.leave();
    return valueOf(scope, result);
  });
}

function valueOf(scope: TaskScope, result: TaskResult): unknown {
  switch (result.status) {
    case "done":
      return handOut(result.writes.find(([channel]) => channel === RETURN)?.[1]);
    case "interrupted": {
      const { namespace } = scope.loop;
      scope.relay(result.questions.map((question) => ({ ns: namespace, ...question })));
      throw new GraphInterrupt(shownQuestions(result.questions));
    }
    case "failed":
    case "drained":
    case "left":
      throw result.error;
  }
}

/** Takes what the same call came to on a branch before; says whether it had finished. */
function takeOver({ loop, origins }: TaskScope, task: PlannedTask): boolean {
  const open = origins.all;
  if (open.length === 0) return false;
  const before = open.map((origin) => calledOrigin(loop, origin, task));
  loop.noteOrigins(task.id, before);
  if (loop.pending.of(task.id).length > 0) return loop.taken.has(task.id);
  const found = before.findIndex(({ taskId }) => loop.pending.of(taskId).length > 0);
  const [origin, called] = [open[found], before[found]];
  if (origin === undefined || called === undefined) return false;
  origins.take(origin);
  loop.pending.add(task.id, loop.pending.of(called.taskId));
  if (loop.pending.outputOf(task.id) === undefined) return false;
  loop.taken.add(task.id);
  return true;
}

/** The call of the origin of its caller that the call is in the place of. */
function calledOrigin({ pending }: LoopState, caller: Origin, { name, path }: PlannedTask): Origin {
  const count = Number(path[2]);
  const namespace = childNamespace(caller.namespace, name);
  const taskId = callTaskId(caller.checkpointId, namespace, caller.step, name, caller.path, count);
  return {
    ...caller,
    taskId,
    namespace: taskNamespace(caller.namespace, name, taskId),
    path: callPath(caller.path, count),
    answers: reopenedOrdinal(taskId, pending, caller.anew) ?? Infinity,
  };
}

function plannedCall(scope: TaskScope, node: EngineNode, args: readonly unknown[]): PlannedTask {
  const { name } = node;
  const { loop, task } = scope;
  const count = scope.nextCall();
  const caller = scope.namespace;
  const namespace = childNamespace(caller, name);
  return {
    id: callTaskId(loop.checkpointId ?? "", namespace, loop.step + 1, name, task.path, count),
    name,
    path: callPath(task.path, count),
    pathKey: callPathKey(task.pathKey, count),
    triggers: node.triggers,
    node,
    sendArgs: args,
    caller,
  };
}
