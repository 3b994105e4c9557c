import { isObject } from "../values/containers.ts";
import { GraphValidationError } from "../graph-errors.ts";
import { callOf } from "../pregel/runnable.ts";
import type { NodeConfig, Subgraph } from "../pregel/types.ts";
import type { NodeReturn } from "./node-action.ts";
import type { NodeErrorHandler, NodePolicyOptions } from "./node-policies.ts";
import { parseDefinition } from "./schema/parse-definition.ts";
import type { StateKeys } from "./schema/state-keys.ts";

export interface NodeOptions extends NodePolicyOptions {
  /** What the node reads, where that is not the state: its keys become channels of the graph. */
  readonly input?: unknown;
  /** Where the node's Commands may go: counts as a path to these nodes. */
  readonly ends?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Whether the node waits until nothing else is left to run. */
  readonly defer?: boolean;
  /** Compiled graphs that the node's function runs, so that their states can be found. A graph as a node is known anyway. */
  readonly subgraphs?: readonly Subgraph[];
}

/** Options as `addNode` takes them: the types follow the node's input and the graph's update. */
export interface TypedNodeOptions<State, Update, Nodes extends string> extends Omit<
  NodeOptions,
  "ends" | "errorHandler" | "input"
> {
  readonly ends?: readonly (Nodes | "__end__")[];
  readonly errorHandler?: NodeErrorHandler<State, NodeReturn<Update, string>>;
}

/** A node as the builder keeps it, whatever form it was given in. */
export interface NodeDefinition {
  readonly name: string;
  readonly call: (state: unknown, config: NodeConfig) => unknown;
  readonly options: NodeOptions;
  readonly subgraphs: readonly Subgraph[];
  /** What it reads; absent: the state. */
  readonly input?: StateKeys;
  /** Of a node that calls tools: shown where the graph is drawn. */
  readonly toolNames?: readonly string[] | undefined;
}

/** The graphs that a node runs, as far as they are known: itself, or those it declares. */
function subgraphsOf(action: unknown, { subgraphs = [] }: NodeOptions): readonly Subgraph[] {
  return isSubgraph(action) ? [action] : subgraphs;
}

function toolNamesOf(action: unknown): readonly string[] | undefined {
  const tools = isObject(action) && "tools" in action ? action.tools : undefined;
  if (!Array.isArray(tools) || tools.length === 0) return undefined;
  const names = tools.map((tool: unknown) => Object(tool).name as unknown);
  return names.every((name) => typeof name === "string") ? names : undefined;
}

function isSubgraph(action: unknown): action is Subgraph {
  return isObject(action) && "lg_is_pregel" in action && action.lg_is_pregel === true;
}

/** Reads one of the forms in which `addNode` takes a node. */
export function defineNode(name: string, action: unknown, options: NodeOptions = {}): NodeDefinition {
  const node = {
    name,
    call: nodeCall(name, action),
    options,
    subgraphs: subgraphsOf(action, options),
    toolNames: toolNamesOf(action),
  };
  if (options.input === undefined) return node;
  const input = parseDefinition(options.input);
  if (input === undefined) {
    throw new GraphValidationError(
      `The input of node "${name}" is no definition of a state: an Annotation.Root, a StateSchema or an object schema.`,
      { details: { node: name } },
    );
  }
  return { ...node, input };
}

function nodeCall(name: string, action: unknown): NodeDefinition["call"] {
  const call = callOf(action);
  if (call !== undefined) return isSubgraph(action) ? graphCall(action, call) : call;
  throw new GraphValidationError(
    `Node "${name}" has to be a function or an object with invoke(), not ${typeof action}.`,
    { details: { node: name } },
  );
}

/** A graph may share no key with the one around it: then it gets an empty input, which is no mistake of a caller. */
function graphCall({ graph: { channels } }: Subgraph, call: NodeDefinition["call"]): NodeDefinition["call"] {
  return (state, config) => {
    const shares = !isObject(state) || Object.keys(state).some((key) => channels.has(key));
    return call(shares ? state : {}, config);
  };
}
