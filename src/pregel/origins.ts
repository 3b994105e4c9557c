import { ORIGINS } from "./constants.ts";
import type { TaskPath } from "./task-path.ts";

/** The task of an earlier branch in whose place another task is: what it had called is not called again. */
export interface Origin {
  readonly taskId: string;
  readonly checkpointId: string;
  /** Of the task's superstep. */
  readonly step: number;
  /** Of the task. */
  readonly namespace: string;
  readonly path: TaskPath;
  /** How many of its questions stay answered: what it called after the answer to the next is not of this branch. */
  readonly answers: number;
  /** The questions that are answered anew: a graph inside the task stands where it asked them. */
  readonly anew: readonly string[];
}

export type Origins = ReadonlyMap<string, readonly Origin[]>;

const NONE: Origins = new Map();

/** The origins of the tasks of a checkpoint, by task, the newest first. */
export function originsIn(writes: readonly (readonly [channel: string, value: unknown])[]): Origins {
  const stored = writes.find(([channel]) => channel === ORIGINS)?.[1];
  // Only the engine writes here.
  return stored instanceof Map ? (stored as Origins) : NONE;
}

/** What one attempt may still take from the origins of its task. */
export class OpenOrigins {
  #open: readonly Origin[];
  readonly #answered: () => number;

  constructor(origins: readonly Origin[], answered: () => number) {
    this.#open = origins;
    this.#answered = answered;
  }

  get all(): readonly Origin[] {
    if (this.#open.length === 0) return this.#open;
    const answered = this.#answered();
    return this.#open.filter(({ answers }) => answered <= answers);
  }

  /** Something was found there: what is older belongs to another branch from here on. */
  take(origin: Origin): void {
    this.#open = this.#open.slice(0, this.#open.indexOf(origin) + 1);
  }

  /** The task has got what its origins had not: from here on it is on its own. */
  leave(): void {
    this.#open = [];
  }
}
