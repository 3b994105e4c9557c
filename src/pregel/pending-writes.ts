import type { CheckpointPendingWrite, PendingWrite } from "../checkpoint/types.ts";
import {
  ERROR,
  ERROR_SOURCE_NODE,
  INTERRUPT,
  NULL_TASK_ID,
  ORIGINS,
  RESUME,
  SCHEDULED,
  USAGE,
} from "./constants.ts";
import { originsIn, type Origins } from "./origins.ts";
import { Answers, isQuestion, type Question } from "./question.ts";

const NOT_AN_OUTPUT: ReadonlySet<string> = new Set([
  ERROR,
  ERROR_SOURCE_NODE,
  INTERRUPT,
  ORIGINS,
  RESUME,
  SCHEDULED,
]);
/** Ids that begin so are of no task: they hold what came from outside, the n-th resume or command at the checkpoint. */
const NULL_TASK_PREFIX = NULL_TASK_ID.slice(0, 24);

/** The "writer" of why a superstep could not be stored. */
export const REFUSAL_ID = `${NULL_TASK_PREFIX}ffffffffffff`;
/** The "writer" of what tasks are in the place of. */
export const ORIGINS_ID = `${NULL_TASK_PREFIX}fffffffffffe`;
const NO_ANSWERS = new Answers();

/** What is stored of the superstep that follows a checkpoint, by task. */
export class PendingWrites {
  readonly #byTask: Map<string, readonly PendingWrite[]>;
  readonly #enclosing: Answers | undefined;
  #answers: Answers | undefined;

  /** `enclosing`: the answers given at the checkpoints of the graphs around this one. */
  constructor(writes: readonly CheckpointPendingWrite[] = [], enclosing?: Answers) {
    this.#enclosing = enclosing;
    const byTask = new Map<string, PendingWrite[]>();
    for (const [taskId, channel, value] of writes) {
      const known = byTask.get(taskId);
      if (known === undefined) byTask.set(taskId, [[channel, value]]);
      else known.push([channel, value]);
    }
    this.#byTask = byTask;
  }

  get isEmpty(): boolean {
    return this.#byTask.size === 0;
  }

  /** Whether anything is stored of the task. */
  has(taskId: string): boolean {
    return this.#byTask.has(taskId);
  }

  /** All that is stored of one task. */
  of(taskId: string): readonly PendingWrite[] {
    return this.#byTask.get(taskId) ?? [];
  }

  /** What a finished task wrote, or undefined when it has not finished. */
  outputOf(taskId: string): readonly PendingWrite[] | undefined {
    const output = this.of(taskId).filter(([channel]) => !NOT_AN_OUTPUT.has(channel));
    return output.length > 0 ? output : undefined;
  }

  errorOf(taskId: string): unknown {
    const error = this.of(taskId).findLast(([channel]) => channel === ERROR)?.[1];
    return error ?? undefined;
  }

  /** Whether the task has failed and left the rest to an error handler. */
  isHandled(taskId: string): boolean {
    return this.of(taskId).some(([channel]) => channel === ERROR_SOURCE_NODE);
  }

  /** The questions the task last asked, answered or not. */
  questionsOf(taskId: string): readonly Question[] {
    if (!this.#byTask.has(taskId)) return [];
    return this.of(taskId)
      .filter(([channel]) => channel === INTERRUPT)
      .flatMap(([, value]) => value)
      .filter(isQuestion);
  }

  /** The answers the task has used, in the order of its questions. */
  answeredOf(taskId: string): readonly unknown[] {
    const stored = this.of(taskId).findLast(([channel]) => channel === RESUME)?.[1];
    return Array.isArray(stored) ? stored : [];
  }

  /** The tasks of earlier branches that those of this checkpoint are in the place of. */
  origins(): Origins {
    return originsIn(this.of(ORIGINS_ID));
  }

  /** What tasks have used, as their rows say. */
  usages(): [taskId: string, used: unknown][] {
    return [...this.#byTask].flatMap(([taskId, writes]) =>
      writes.filter(([channel]) => channel === USAGE).map(([, used]): [string, unknown] => [taskId, used]),
    );
  }

  /** What is stored of tasks that are none of the planned ones: those that they have called. */
  ofCalled(planned: readonly { readonly id: string }[]): [taskId: string, writes: readonly PendingWrite[]][] {
    const ids = new Set(planned.map(({ id }) => id));
    return [...this.#byTask].filter(([taskId]) => !ids.has(taskId) && !isOutside(taskId));
  }

  /** Why what the finished tasks lead to could not be stored; undefined when that was not tried, or not refused. */
  get refusal(): unknown {
    return this.errorOf(REFUSAL_ID);
  }

  /** All answers that were given at this checkpoint, or at those of the graphs around. */
  answers(): Answers {
    if (this.isEmpty) return this.#enclosing ?? NO_ANSWERS;
    this.#answers ??= this.#collectAnswers();
    return this.#answers;
  }

  /** Writes that came from outside, to be applied before anything runs. */
  outside(): readonly PendingWrite[] {
    return this.#fromOutside().filter(([channel]) => !NOT_AN_OUTPUT.has(channel));
  }

  /** An unused id for what comes from outside next: each resume or command is one row, so that it is there whole or not. */
  nextOutsideId(): string {
    let index = 0;
    const id = (): string => `${NULL_TASK_PREFIX}${index.toString(16).padStart(12, "0")}`;
    while (this.#byTask.has(id())) index++;
    return id();
  }

  #collectAnswers(): Answers {
    const answers = new Answers(this.#enclosing);
    for (const [turn, [channel, value]] of this.#fromOutside().entries()) {
      if (channel !== RESUME || !(value instanceof Map)) continue;
      for (const [id, answer] of value) answers.add(String(id), answer, turn);
    }
    return answers;
  }

  #fromOutside(): readonly PendingWrite[] {
    return [...this.#byTask].filter(([taskId]) => isOutside(taskId)).flatMap(([, writes]) => writes);
  }

  /** Takes up what a task or the caller has just stored; fixed positions replace, as in a saver. */
  add(taskId: string, writes: readonly PendingWrite[]): void {
    const known = this.#byTask.get(taskId);
    if (known === undefined) {
      this.#byTask.set(taskId, writes);
    } else {
      const replaced = new Set(
        writes.map(([channel]) => channel).filter((channel) => NOT_AN_OUTPUT.has(channel)),
      );
      this.#byTask.set(taskId, [...known.filter(([channel]) => !replaced.has(channel)), ...writes]);
    }
    if (isOutside(taskId)) this.#answers = undefined;
  }
}

function isOutside(taskId: string): boolean {
  return taskId.startsWith(NULL_TASK_PREFIX);
}

/** The questions of a task that wait for an answer. */
export function openQuestions(pending: PendingWrites, taskId: string): readonly Question[] {
  if (pending.outputOf(taskId) !== undefined) return [];
  const answers = pending.answers();
  return pending.questionsOf(taskId).filter((question) => !answers.has(question.id, question.refused));
}
