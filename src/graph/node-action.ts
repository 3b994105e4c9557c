import type { Command } from "../pregel/command.ts";
import type { NodeConfig } from "../pregel/types.ts";

/** An update that also writes keys which the state's definition does not have: those of other nodes' inputs. */
type WiderUpdate<Update> = Update & { readonly [key: string]: unknown };

type UpdateOrCommand<Update, Nodes extends string> =
  | Update
  | WiderUpdate<Update>
  | Command<unknown, Update, Nodes>
  | Command<unknown, WiderUpdate<Update>, Nodes>;

/** What a node may return: an update of the state, a Command, a list of both, or nothing. */
export type NodeReturn<Update, Nodes extends string> =
  | UpdateOrCommand<Update, Nodes>
  | readonly UpdateOrCommand<Update, Nodes>[]
  | undefined
  | null
  | void;

export type NodeFunction<
  State,
  Update,
  Nodes extends string = string,
  Context = unknown,
  Config = NodeConfig<Context>,
> = (state: State, config: Config) => NodeReturn<Update, Nodes> | Promise<NodeReturn<Update, Nodes>>;

/** Anything with `invoke(input, config)`: LangChain's runnables are nodes too. */
export interface NodeRunnable<
  State,
  Update,
  Nodes extends string = string,
  Context = unknown,
  Config = NodeConfig<Context>,
> {
  invoke(state: State, config: Config): NodeReturn<Update, Nodes> | Promise<NodeReturn<Update, Nodes>>;
}

export type NodeAction<
  State,
  Update,
  Nodes extends string = string,
  Context = unknown,
  Config = NodeConfig<Context>,
> = NodeFunction<State, Update, Nodes, Context, Config> | NodeRunnable<State, Update, Nodes, Context, Config>;
