import type { PendingWrite } from "../checkpoint/types.ts";
import { ordinalOf, reopenedOrdinal } from "./asked.ts";
import { ERROR, INTERRUPT, RESUME, USAGE } from "./constants.ts";
import { onlyGraph, type AskingPlace } from "./find-question.ts";
import type { PendingWrites } from "./pending-writes.ts";
import type { PlannedTask } from "./plan.ts";
import type { Question } from "./question.ts";
import { interruptId } from "./task-id.ts";

/** The rows of tasks as they are on a branch. */

/** What a called task has stored, without what came of a question that is answered anew. */
export function calledRows(
  pending: PendingWrites,
  id: string,
  rows: readonly PendingWrite[],
  anew: ReadonlyMap<string, unknown>,
): readonly PendingWrite[] {
  const ordinal = reopenedOrdinal(id, pending, anew.keys());
  if (ordinal !== undefined) {
    const answered = pending.answeredOf(id).slice(0, ordinal);
    const reopened = [...anew.keys()].filter((each) => ordinalOf(id, pending, each) === ordinal);
    return askingRows(answered, reopened);
  }
  const isRelaying = pending.questionsOf(id).some((question) => anew.has(question.id));
  return isRelaying ? rows.filter(([channel]) => channel === RESUME) : rows;
}

/** The rows of a task that has got these answers and stands at a question whose id is given. */
export function askingRows(answered: readonly unknown[], ids: readonly string[]): PendingWrite[] {
  const rows: PendingWrite[] = answered.length === 0 ? [] : [[RESUME, answered]];
  if (ids.length > 0) rows.push([INTERRUPT, ids.map((id): Question => ({ id, value: null }))]);
  return rows;
}

/** How many of the task's own questions had been answered when these were: what it asked later may hang on them. */
export function answersBefore(pending: PendingWrites, task: PlannedTask, ids: readonly string[]): number {
  const given = pending.answers();
  const first = Math.min(...ids.map((id) => given.turnOf(id) ?? Infinity));
  const answered = pending.answeredOf(task.id).length;
  for (let ordinal = 0; ordinal < answered; ordinal++) {
    if ((given.turnOf(interruptId(task.id, ordinal)) ?? 0) > first) return ordinal;
  }
  return Infinity;
}

/** The rows of a task that runs again, or goes on waiting for what the graph inside it asks under new ids. */
export function unfinishedRows(
  {
    pending,
    from,
    isEdited = false,
  }: Pick<AskingPlace, "pending" | "from"> & { readonly isEdited?: boolean },
  task: PlannedTask,
  kept: number,
  inside: readonly Question[] | undefined,
): PendingWrite[] {
  const all = pending.questionsOf(task.id);
  const own = all.filter(({ ns }) => ns === undefined);
  const answered = pending.answeredOf(task.id).slice(0, kept);
  const rows: PendingWrite[] = answered.length === 0 ? [] : [[RESUME, answered]];
  // What is below a task that nothing was moved into keeps its ids.
  const below = all.filter(({ ns }) => ns !== undefined && (onlyGraph(task) === undefined || ns === from));
  const isRelaying = own.length + below.length < all.length;
  if (isRelaying && inside === undefined) return rows;
  const open = [
    ...own.map((question): Question => (isEdited ? { ...question, carried: true } : question)),
    ...below,
    ...(inside ?? []),
  ];
  return open.length === 0 ? rows : [...rows, [INTERRUPT, open]];
}

export function withoutErrors(writes: readonly PendingWrite[]): readonly PendingWrite[] {
  return writes.filter(([channel]) => channel !== ERROR);
}

/** What was used before the branch counts already. */
export function withoutUsage(writes: readonly PendingWrite[]): readonly PendingWrite[] {
  return writes.some(([channel]) => channel === USAGE)
    ? writes.filter(([channel]) => channel !== USAGE)
    : writes;
}
