import type { CheckpointPendingWrite, PendingWrite } from "../checkpoint/types.ts";
import type { Interrupt } from "../errors.ts";
import { ERROR, ERROR_SOURCE_NODE, INTERRUPT, NULL_TASK_ID, RESUME, SCHEDULED } from "./constants.ts";

const NOT_AN_OUTPUT: ReadonlySet<string> = new Set([ERROR, ERROR_SOURCE_NODE, INTERRUPT, RESUME, SCHEDULED]);
/** Ids that begin so are of no task: they hold what came from outside, the n-th resume or command at the checkpoint. */
const NULL_TASK_PREFIX = NULL_TASK_ID.slice(0, 24);

/** The "writer" of why a superstep could not be stored. */
export const REFUSAL_ID = `${NULL_TASK_PREFIX}ffffffffffff`;
const NO_ANSWERS: ReadonlyMap<string, unknown> = new Map();

/** What is stored of the superstep that follows a checkpoint, by task. */
export class PendingWrites {
  readonly #byTask = new Map<string, PendingWrite[]>();
  #answers: ReadonlyMap<string, unknown> | undefined;

  constructor(writes: readonly CheckpointPendingWrite[] = []) {
    for (const [taskId, channel, value] of writes) {
      const known = this.#byTask.get(taskId);
      if (known === undefined) this.#byTask.set(taskId, [[channel, value]]);
      else known.push([channel, value]);
    }
  }

  get isEmpty(): boolean {
    return this.#byTask.size === 0;
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
  interruptsOf(taskId: string): readonly Interrupt[] {
    return this.of(taskId)
      .filter(([channel]) => channel === INTERRUPT)
      .flatMap(([, value]) => value)
      .filter(isInterruptRecord);
  }

  /** The answers the task has used, in the order of its questions. */
  answeredOf(taskId: string): readonly unknown[] {
    const stored = this.of(taskId).findLast(([channel]) => channel === RESUME)?.[1];
    return Array.isArray(stored) ? stored : [];
  }

  /** Why what the finished tasks lead to could not be stored; undefined when that was not tried, or not refused. */
  get refusal(): unknown {
    return this.errorOf(REFUSAL_ID);
  }

  /** All answers that were given at this checkpoint, by interrupt id. */
  answers(): ReadonlyMap<string, unknown> {
    if (this.isEmpty) return NO_ANSWERS;
    this.#answers ??= new Map(
      this.#fromOutside()
        .filter(([channel, value]) => channel === RESUME && value instanceof Map)
        .flatMap(([, value]) => (value instanceof Map ? [...value] : []))
        .map(([id, answer]) => [String(id), answer]),
    );
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

  #fromOutside(): readonly PendingWrite[] {
    return [...this.#byTask].filter(([taskId]) => isOutside(taskId)).flatMap(([, writes]) => writes);
  }

  /** Takes up what a task or the caller has just stored; fixed positions replace, as in a saver. */
  add(taskId: string, writes: readonly PendingWrite[]): void {
    const replaced = new Set(
      writes.map(([channel]) => channel).filter((channel) => NOT_AN_OUTPUT.has(channel)),
    );
    const kept = this.of(taskId).filter(([channel]) => !replaced.has(channel));
    this.#byTask.set(taskId, [...kept, ...writes]);
    if (isOutside(taskId)) this.#answers = undefined;
  }
}

function isOutside(taskId: string): boolean {
  return taskId.startsWith(NULL_TASK_PREFIX);
}

/** The questions of a task that wait for an answer. */
export function openInterrupts(pending: PendingWrites, taskId: string): readonly Interrupt[] {
  if (pending.outputOf(taskId) !== undefined) return [];
  const answers = pending.answers();
  return pending.interruptsOf(taskId).filter((question) => !answers.has(question.id));
}

function isInterruptRecord(value: unknown): value is Interrupt {
  return (
    typeof value === "object" &&
    value !== null &&
    "id" in value &&
    typeof value.id === "string" &&
    "value" in value
  );
}
