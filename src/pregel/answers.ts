import { UnknownInterruptError } from "../errors.ts";
import type { PendingWrites } from "./pending-writes.ts";
import { openQuestions } from "./pending-writes.ts";
import type { PlannedTask } from "./plan.ts";
import { shownQuestions } from "./question.ts";
import { interruptId } from "./task-id.ts";

/** The ids of the questions and waits that are open, in the order of their tasks. */
export function openInterruptIds(tasks: readonly PlannedTask[], pending: PendingWrites): string[] {
  return tasks.flatMap((task) => openQuestions(pending, task.id).map(({ id }) => id));
}

/** The ids of the questions that the tasks have asked last, answered or not. */
export function askedInterruptIds(tasks: readonly PlannedTask[], pending: PendingWrites): string[] {
  return tasks.flatMap((task) => shownQuestions(pending.questionsOf(task.id)).map(({ id }) => id));
}

/** The answer to the one open question as a map; refuses when there is none or more than one. */
export function answerToOnly(open: readonly string[], value: unknown): ReadonlyMap<string, unknown> {
  const [only, ...others] = open;
  if (only === undefined) throw new UnknownInterruptError("not_pending", [], open);
  if (others.length > 0) throw new UnknownInterruptError("ambiguous", [], open);
  return new Map([[only, value]]);
}

/** Refuses answers unless every one of them belongs to an open question. */
export function requireOpen(answers: ReadonlyMap<string, unknown>, open: readonly string[]): void {
  const unknown = [...answers.keys()].filter((id) => !open.includes(id));
  if (unknown.length > 0) throw new UnknownInterruptError("not_pending", unknown, open);
}

/** Where in a task a question stands that was asked at a checkpoint, answered since or not. */
export interface AskedQuestion {
  readonly task: PlannedTask;
  /** Its position among the task's questions. */
  readonly ordinal: number;
}

/** Finds a question among all that the tasks of a checkpoint have asked. */
export function findAsked(
  id: string,
  tasks: readonly PlannedTask[],
  pending: PendingWrites,
): AskedQuestion | undefined {
  for (const task of tasks) {
    const answered = pending.answeredOf(task.id);
    const stored = pending.questionsOf(task.id);
    for (let ordinal = 0; ordinal < answered.length; ordinal++) {
      if (interruptId(task.id, ordinal) === id) return { task, ordinal };
    }
    const last = stored.findIndex((question) => question.id === id);
    if (last !== -1) return { task, ordinal: lastAskedOrdinal(task.id, id, answered.length) };
  }
  return undefined;
}

/** A stored question may have been answered and used since; its own id tells its position, a foreign one is the newest. */
function lastAskedOrdinal(taskId: string, id: string, answered: number): number {
  for (let ordinal = answered; ordinal >= 0; ordinal--) {
    if (interruptId(taskId, ordinal) === id) return ordinal;
  }
  return answered;
}
