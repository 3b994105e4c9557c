import type { OpenOrigins } from "./origins.ts";
import type { PendingWrites } from "./pending-writes.ts";
import type { Question } from "./question.ts";
import type { Scratchpad } from "./scratchpad.ts";
import type { Usage } from "./usage.ts";

/** The checkpoints that a loop stands at or has passed since `since`, the stored one. */
export interface Unstored {
  readonly ids: readonly string[];
  readonly since: string | undefined;
}

/** The loop that a task runs in, as a run inside the task needs it. It may be of another copy of the library. */
export interface EnclosingLoop {
  readonly namespace: string;
  readonly checkpointId: string | undefined;
  readonly pending: PendingWrites;
  reportUsage(taskId: string, used: Usage): void;
  noteNestedUsage(taskId: string, namespace: string, total: Usage): void;
  requireTask(): void;
  noteUnstored(): Unstored | undefined;
  beginStoring(): void;
  endStoring(): void;
}

/** The task that a run is inside of, as that run needs it. */
export interface EnclosingTask {
  readonly task: { readonly id: string };
  readonly loop: EnclosingLoop;
  readonly scratchpad: Scratchpad;
  readonly origins: OpenOrigins;
  readonly isOver: boolean;
  relay(questions: readonly Question[]): void;
  follow<T, Result>(call: Promise<T>, next: (value: T) => Result): Promise<Result>;
}
