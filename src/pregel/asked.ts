import type { CheckpointTuple } from "../checkpoint/types.ts";
import { PendingWrites } from "./pending-writes.ts";
import { interruptId } from "./task-id.ts";

/** What is stored of the questions of a task tells which they were, whatever the graph. */

/** The position of a question among those that the task itself has asked; undefined when it is none of them. */
export function ordinalOf(taskId: string, pending: PendingWrites, id: string): number | undefined {
  const answered = pending.answeredOf(taskId).length;
  for (let ordinal = 0; ordinal <= answered; ordinal++)
    if (interruptId(taskId, ordinal) === id) return ordinal;
  const isForeign = pending
    .questionsOf(taskId)
    .some((question) => question.id === id && question.ns === undefined);
  return isForeign ? answered : undefined;
}

/** The first of a task's questions that is among these. */
export function reopenedOrdinal(
  taskId: string,
  pending: PendingWrites,
  ids: Iterable<string>,
): number | undefined {
  const ordinals = [...ids].flatMap((id) => ordinalOf(taskId, pending, id) ?? []);
  return ordinals.length === 0 ? undefined : Math.min(...ordinals);
}

/** Whether a task of the superstep after a checkpoint has asked the question, or passed it on. */
export function wasAskedAt(tuple: CheckpointTuple, id: string): boolean {
  const pending = new PendingWrites(tuple.pendingWrites);
  const taskIds = new Set((tuple.pendingWrites ?? []).map(([taskId]) => taskId));
  return [...taskIds].some(
    (taskId) =>
      pending.questionsOf(taskId).some((question) => question.id === id) ||
      ordinalOf(taskId, pending, id) !== undefined,
  );
}
