import type { Command } from "../pregel/command.ts";
import type { Send } from "../pregel/send.ts";
import type { NodeConfig } from "../pregel/types.ts";
import type { ExtractContextType, ExtractStateType, ExtractUpdateType } from "./schema/state-types.ts";

/** LangGraph's names for what a node gets as its second argument. */
export type LangGraphRunnableConfig<Context = unknown> = NodeConfig<Context>;
export type Runtime<Context = unknown, Asking = unknown, Chunk = unknown> = NodeConfig<
  Context,
  Asking,
  Chunk
>;

export type GraphNodeReturnValue<Update, Nodes extends string = string> =
  | Update
  | Command<unknown, Update, Nodes>
  | Promise<Update | Command<unknown, Update, Nodes>>;

/** The schemas of a node that is written apart from its graph. */
export interface GraphNodeTypes<
  InputSchema = unknown,
  OutputSchema = unknown,
  ContextSchema = unknown,
  Nodes extends string = string,
> {
  InputSchema?: InputSchema;
  OutputSchema?: OutputSchema;
  ContextSchema?: ContextSchema;
  Nodes?: Nodes;
}

export interface ConditionalEdgeRouterTypes<
  InputSchema = unknown,
  ContextSchema = unknown,
  Nodes extends string = string,
> {
  InputSchema?: InputSchema;
  ContextSchema?: ContextSchema;
  Nodes?: Nodes;
}

/** What says that a type is a bag of schemas, rather than a schema: it has one of these keys. */
type Bag =
  | { readonly InputSchema: unknown }
  | { readonly OutputSchema: unknown }
  | { readonly ContextSchema: unknown };
type InputOf<T> = T extends { readonly InputSchema: infer Input } ? ExtractStateType<Input> : unknown;
type OutputOf<T> = T extends { readonly OutputSchema: infer Output }
  ? ExtractUpdateType<Output>
  : Partial<InputOf<T>>;
type ContextOf<T> = T extends { readonly ContextSchema: infer Context }
  ? ExtractContextType<Context>
  : unknown;
type NodesOf<T> = T extends { readonly Nodes: infer Nodes extends string } ? Nodes : string;

/**
 * The type of a node that is written apart from its graph: by the schema of the state, or by a bag of schemas.
 *
 * @example
 * const greet: GraphNode<typeof State> = (state) => ({ text: `Hello ${state.name}` });
 */
export type GraphNode<Schema, Context = unknown, Nodes extends string = string> = Schema extends Bag
  ? (
      state: InputOf<Schema>,
      config: NodeConfig<ContextOf<Schema>>,
    ) => GraphNodeReturnValue<OutputOf<Schema>, NodesOf<Schema>>
  : (
      state: ExtractStateType<Schema>,
      config: NodeConfig<Context>,
    ) => GraphNodeReturnValue<ExtractUpdateType<Schema>, Nodes>;

type Route<Nodes extends string> = Nodes | "__end__" | Send | readonly (Nodes | "__end__" | Send)[];

/** The type of a conditional edge's path that is written apart from its graph. */
export type ConditionalEdgeRouter<
  Schema,
  Context = unknown,
  Nodes extends string = string,
> = Schema extends Bag
  ? (
      state: InputOf<Schema>,
      config: NodeConfig<ContextOf<Schema>>,
    ) => Route<NodesOf<Schema>> | Promise<Route<NodesOf<Schema>>>
  : (state: ExtractStateType<Schema>, config: NodeConfig<Context>) => Route<Nodes> | Promise<Route<Nodes>>;
