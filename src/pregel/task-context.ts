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

export const taskContext = new AsyncContext<TaskContext>();

/** Under this key a node's config knows its task, for places where the async context ends at the first await. */
export const SCOPE = Symbol("tidemark.task");

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
