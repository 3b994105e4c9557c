import type { PendingWrite } from "../checkpoint/types.ts";
import { applyWrites, type AppliedTask } from "./apply.ts";
import { INPUT, TASKS } from "./constants.ts";
import { isLeftToHandler } from "./error-handler.ts";
import type { LoopState } from "./loop-state.ts";
import { openQuestions } from "./pending-writes.ts";
import type { PlannedTask } from "./plan.ts";
import { nextVersionOf } from "./run-context.ts";
import { isSendPacket } from "./send.ts";
import { handlerPath, taskPathKey } from "./task-path.ts";

/** A task that stays next, whatever is applied in an edit, and the Send that started it. */
export interface KeptTask {
  readonly task: PlannedTask;
  readonly packet?: unknown;
}

/** Those of the planned tasks that wait for an answer, themselves or by their error handler. None when it is to be discarded. */
export function waitingTasks(loop: LoopState, tasks: readonly PlannedTask[]): readonly KeptTask[] {
  const { pending, run, state } = loop;
  if (run.onInterrupted === "discard" || pending.isEmpty) return [];
  const isAsking = ({ id }: PlannedTask): boolean => openQuestions(pending, id).length > 0;
  const asking = new Set(tasks.filter(isAsking).map(({ pathKey }) => pathKey));
  const isWaiting = (task: PlannedTask): boolean =>
    asking.has(task.pathKey) ||
    (isLeftToHandler(run.graph, task, pending) && asking.has(taskPathKey(handlerPath(task.path))));
  const packets: unknown = state.adopted(TASKS);
  const sends = Array.isArray(packets) ? packets.filter(isSendPacket) : [];
  return tasks
    .filter((task) => task.handles === undefined && isWaiting(task))
    .map((task) => ("sendArgs" in task ? { task, packet: sends[Number(task.path[1])] } : { task }));
}

/** Applies what tasks have written, or are said to have, while others stay next. */
export function applyBeside(
  loop: LoopState,
  applied: readonly AppliedTask[],
  kept: readonly KeptTask[],
): void {
  const triggers = new Set(kept.flatMap(({ task }) => task.triggers));
  const writes = kept.flatMap(({ packet }): PendingWrite[] =>
    packet === undefined ? [] : [[TASKS, packet]],
  );
  const sending: AppliedTask = { name: INPUT, pathKey: "", triggers: [], writes };
  const all = writes.length === 0 ? applied : [sending, ...applied];
  applyWrites(loop.state, all, nextVersionOf(loop.run.saver), triggers);
}
