import { AsyncContext } from "#async-context";
import type { PendingWrite } from "../checkpoint/types.ts";
import type { TaskScope } from "./task-scope.ts";
import type { NodeConfig } from "./types.ts";

/** What the functions a node may call from anywhere inside it know of the running task. */
export interface TaskContext {
  readonly config: NodeConfig;
  /** Adds writes to those that the node's output will mean. Writes to unknown channels are dropped. */
  readonly send?: (writes: readonly PendingWrite[]) => void;
  /** Shows a message in the stream, where one is listened to. */
  readonly emitMessage?: (message: object) => void;
  readonly input: unknown;
  readonly scope: TaskScope;
}

/** The number is that of what a context holds: it changes when another copy could not read it any more. */
const SHARED = Symbol.for("tidemark.task-context.1");

const shared: { [SHARED]?: AsyncContext<TaskContext> } & object = globalThis;

/** One for all copies of this package in a process: a node may have been written with another copy than its graph. */
export const taskContext = (shared[SHARED] ??= new AsyncContext<TaskContext>());

/** Under this key a node's config knows its task, for places where the async context ends at the first await. */
export const SCOPE: unique symbol = Symbol.for("tidemark.task.1");

interface MaybeScoped {
  readonly configurable?: { readonly thread_id?: string };
  readonly [SCOPE]?: TaskScope;
}

/**
 * The task that calls, by the config it has passed on or by where it runs. Undefined for a call that is none of a task,
 * or that names another thread.
 */
export function callingTask(config: MaybeScoped): TaskScope | undefined {
  const scope = config[SCOPE] ?? taskContext.get()?.scope;
  const threadId = config.configurable?.thread_id;
  if (scope === undefined || threadId === undefined) return scope;
  return threadId === scope.loop.run.config.configurable?.thread_id ? scope : undefined;
}
