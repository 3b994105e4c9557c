import { TidemarkError } from "../errors.ts";
import type { StandardSchema } from "./response-schema.ts";
import { taskContext } from "./task-context.ts";
import type { InterruptOptions, NodeConfig } from "./types.ts";

/**
 * Asks a question and leaves the node until it is answered. Then the node runs again from its start, and this call
 * returns the answer. Several calls in one node are matched in the order in which they are made. Needs a checkpointer.
 *
 * With a `responseSchema` an answer that does not fit fails the run, and the question stays open. With `expiresIn` or
 * `expiresAt` the `default` is the answer when nobody has given one by then, where the runtime has timers: threads have.
 */
export function interrupt<Value = unknown, Answer = unknown>(
  value: Value,
  options: InterruptOptions & { readonly responseSchema: StandardSchema<Answer> },
): Answer;
export function interrupt<Value = unknown, Answer = unknown>(
  value: Value,
  options?: InterruptOptions,
): Answer;
export function interrupt<Value, Answer>(value: Value, options?: InterruptOptions): Answer {
  const task = taskContext.get();
  if (task === undefined) {
    throw new TidemarkError(
      "outside_of_task",
      "interrupt() was called outside of a running node. Where the platform has no async context, call config.interrupt().",
    );
  }
  // The caller says what type it expects: an answer comes from outside.
  return task.scope.scratchpad.askQuestion(value, options) as Answer;
}

/** The config of the node that is running. */
export function getConfig(): NodeConfig {
  const task = taskContext.get();
  if (task === undefined)
    throw new TidemarkError("outside_of_task", "getConfig() was called outside of a running node.");
  return task.config;
}
