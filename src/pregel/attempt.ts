import type { PendingWrite } from "../checkpoint/types.ts";
import type { AppliedTask } from "./apply.ts";
import type { LimitReachedError } from "./limits.ts";
import type { ParentCommand } from "./nested-errors.ts";
import type { PlannedTask } from "./plan.ts";
import type { GraphDrained } from "./policy-errors.ts";
import type { Question } from "./question.ts";

/** What a task came to. */
export type TaskResult =
  /** `handler`: the error handler that took the place of the task, and what it wrote. */
  | { readonly status: "done"; readonly writes: readonly PendingWrite[]; readonly handler?: AppliedTask }
  | { readonly status: "interrupted"; readonly questions: readonly Question[] }
  /** A run inside the node was asked to stop, or the limit of the run was reached there: the node runs again when this one goes on. */
  | { readonly status: "drained"; readonly error: GraphDrained | LimitReachedError }
  /** `handler`: the error handler whose error it is. */
  | { readonly status: "failed"; readonly error: unknown; readonly handler?: PlannedTask }
  /** It hands over to the graph around its own. */
  | { readonly status: "left"; readonly error: ParentCommand };

/** What one attempt of a task came to, before it is stored. */
export type Attempt = TaskResult & {
  readonly answered: readonly unknown[];
  readonly isCached?: boolean;
  /** Of a failed attempt: the questions that stay open all the same. */
  readonly stillOpen?: readonly Question[];
};
