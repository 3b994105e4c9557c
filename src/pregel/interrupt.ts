import { TidemarkError } from "../errors.ts";
import { taskContext } from "./task-context.ts";

/**
 * Asks a question and leaves the node until it is answered. Then the node runs again from its start, and this call
 * returns the answer. Several calls in one node are matched in the order in which they are made. Needs a checkpointer.
 */
export function interrupt<Value = unknown, Answer = unknown>(value: Value): Answer {
  const task = taskContext.get();
  if (task === undefined) {
    throw new TidemarkError(
      "outside_of_task",
      "interrupt() was called outside of a running node. Where the platform has no async context, call config.interrupt().",
    );
  }
  return task.config.interrupt<Value, Answer>(value);
}

/** The config of the node that is running. */
export function getConfig(): import("./types.ts").NodeConfig {
  const task = taskContext.get();
  if (task === undefined)
    throw new TidemarkError("outside_of_task", "getConfig() was called outside of a running node.");
  return task.config;
}
