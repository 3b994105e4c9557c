import type { BaseStore } from "../checkpoint/store/base-store.ts";
import { TidemarkError } from "../errors.ts";
import { taskContext, type TaskContext } from "./task-context.ts";
import type { Usage } from "./usage.ts";

/** What a node, and everything that it calls, can ask for without having been given it. */

/** The store that the graph was compiled with; undefined when there is none. */
export function getStore(): BaseStore | undefined {
  return runningTask("getStore()").config.store;
}

/** Emits chunks of the stream mode `custom`. */
export function getWriter(): (chunk: unknown) => void {
  return runningTask("getWriter()").config.writer;
}

/** Emits a chunk of the stream mode `custom`. */
export function writer<Chunk = unknown>(chunk: Chunk): void {
  runningTask("writer()").config.writer(chunk);
}

/** As the `reportUsage` of the node's config. */
export function reportUsage(used: Usage): void {
  runningTask("reportUsage()").config.reportUsage(used);
}

/** What the running node was called with. */
export function getCurrentTaskInput<Input = unknown>(): Input {
  // The caller says what its node takes.
  return runningTask("getCurrentTaskInput()").input as Input;
}

function runningTask(what: string): TaskContext {
  const task = taskContext.get();
  if (task !== undefined) return task;
  throw new TidemarkError(
    "outside_of_task",
    `${what} was called outside of a running node. Where the platform has no async context, use the node's config.`,
  );
}
