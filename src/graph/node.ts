import type { Command } from "../pregel/command.ts";
import type { NodeError } from "../pregel/policy-errors.ts";
import type { CachePolicy } from "../pregel/node-cache.ts";
import type { RetryPolicy } from "../pregel/retry.ts";
import type { TimeoutPolicy } from "../pregel/timeout.ts";
import type { NodeConfig } from "../pregel/types.ts";

/** What a node may return: an update of the state, a Command, a list of both, or nothing. */
export type NodeReturn<Update, Nodes extends string> =
  | Update
  | Command<unknown, Update, Nodes>
  | readonly (Update | Command<unknown, Update, Nodes>)[]
  | undefined
  | null
  | void;

export type NodeFunction<State, Update, Nodes extends string = string> = (
  state: State,
  config: NodeConfig,
) => NodeReturn<Update, Nodes> | Promise<NodeReturn<Update, Nodes>>;

/** Anything with `invoke(input, config)`: LangChain's runnables are nodes too. */
export interface NodeRunnable<State, Update, Nodes extends string = string> {
  invoke(state: State, config: NodeConfig): NodeReturn<Update, Nodes> | Promise<NodeReturn<Update, Nodes>>;
}

export type NodeAction<State, Update, Nodes extends string = string> =
  | NodeFunction<State, Update, Nodes>
  | NodeRunnable<State, Update, Nodes>;

/** Takes the place of a node that has failed, in the same superstep. Its Commands say what runs next; the node's edges do not. */
export type NodeErrorHandler = (state: never, error: NodeError, config: NodeConfig) => unknown;

export interface NodeOptions {
  readonly retryPolicy?: RetryPolicy;
  /** Keeps the node's results in the graph's cache; true: by its whole input, for ever. */
  readonly cachePolicy?: boolean | CachePolicy;
  /** For each attempt: milliseconds, or limits of several kinds. */
  readonly timeout?: number | TimeoutPolicy;
  readonly errorHandler?: NodeErrorHandler;
  /** Where the node's Commands may go: counts as a path to these nodes. */
  readonly ends?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A node as the builder keeps it, whatever form it was given in. */
export interface NodeDefinition {
  readonly name: string;
  readonly call: (state: unknown, config: NodeConfig) => unknown;
  readonly options: NodeOptions;
}

export function nodeCall<State, Update>(action: NodeAction<State, Update>): NodeDefinition["call"] {
  // The engine hands a node what its graph's schema says; the builder's types make sure that this is a `State`.
  if (typeof action === "function") return (state, config) => action(state as State, config);
  return (state, config) => action.invoke(state as State, config);
}
