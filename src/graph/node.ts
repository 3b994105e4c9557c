import type { Command } from "../pregel/command.ts";
import type { NodeConfig, Subgraph } from "../pregel/types.ts";

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

export interface NodeOptions {
  /** Where the node's Commands may go: counts as a path to these nodes. */
  readonly ends?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Compiled graphs that the node's function runs, so that their states can be found. A graph as a node is known anyway. */
  readonly subgraphs?: readonly Subgraph[];
}

/** A node as the builder keeps it, whatever form it was given in. */
export interface NodeDefinition {
  readonly name: string;
  readonly call: (state: unknown, config: NodeConfig) => unknown;
  readonly options: NodeOptions;
  readonly subgraphs: readonly Subgraph[];
}

/** The graphs that a node runs, as far as they are known: itself, or those it declares. */
export function subgraphsOf(action: unknown, { subgraphs = [] }: NodeOptions): readonly Subgraph[] {
  return isSubgraph(action) ? [action] : subgraphs;
}

function isSubgraph(action: unknown): action is Subgraph {
  return (
    typeof action === "object" && action !== null && "lg_is_pregel" in action && action.lg_is_pregel === true
  );
}

export function nodeCall<State, Update>(action: NodeAction<State, Update>): NodeDefinition["call"] {
  // The engine hands a node what its graph's schema says; the builder's types make sure that this is a `State`.
  if (typeof action === "function") return (state, config) => action(state as State, config);
  return (state, config) => action.invoke(state as State, config);
}
