import { isObject } from "../values/containers.ts";
import type { NodeConfig } from "./types.ts";

/** Anything with `invoke(input, config)`: LangChain's runnables are meant, and compiled graphs. */
export interface Runnable {
  invoke(input: unknown, config: NodeConfig): unknown;
}

/** What is called with an input: a function, or a runnable. */
export type RunnableLike = Runnable | ((input: never, config: NodeConfig) => unknown);

export type Call = (input: unknown, config: NodeConfig) => unknown;

export function isRunnable(action: unknown): action is Runnable {
  return isObject(action) && "invoke" in action && typeof action.invoke === "function";
}

/** How to call a function or a runnable; undefined for what is neither. */
export function callOf(action: unknown): Call | undefined {
  // What is called with what is said by the author of the graph, and where possible by its types.
  if (typeof action === "function") return (input, config): unknown => action(input, config);
  if (isRunnable(action)) return (input, config) => action.invoke(input, config);
  return undefined;
}

export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return isObject(value) && "then" in value && typeof value.then === "function";
}
