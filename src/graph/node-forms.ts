import { GraphValidationError } from "../graph-errors.ts";
import { defineNode, type NodeDefinition, type TypedNodeOptions } from "./node.ts";
import type { NodeAction } from "./node-action.ts";
import type { NodeConfig } from "../pregel/types.ts";
import type { NodeOptions } from "./node.ts";

/** A node with its name and options. */
export type NodeTuple<Name extends string, Input, Update, Context, Config = NodeConfig<Context>> = readonly [
  name: Name,
  action: NodeAction<Input, Update, string, Context, Config>,
  options?: TypedNodeOptions<Input, Update, string>,
];

/** Several nodes, given as a list of tuples or by name. Throws with the message when there is none. */
export function nodesOf(given: unknown, ifEmpty: string): readonly NodeDefinition[] {
  const nodes = isTuples(given)
    ? given.map(([name, action, options]) => defineNode(name, action, options))
    : Object.entries(Object(given)).map(([name, action]) => defineNode(name, action));
  if (nodes.length === 0) throw new GraphValidationError(ifEmpty);
  return nodes;
}

function isTuples(given: unknown): given is readonly (readonly [string, unknown, NodeOptions?])[] {
  return Array.isArray(given);
}
