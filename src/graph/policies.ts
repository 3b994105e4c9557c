import type { NodeError } from "../pregel/policy-errors.ts";
import { NODE_ERROR } from "../pregel/constants.ts";
import { checkedCache } from "../pregel/cache-policy.ts";
import { checkedRetry } from "../pregel/retry.ts";
import { timeoutPolicyOf } from "../pregel/timeout.ts";
import type { EngineNode } from "../pregel/types.ts";
import { channelsRead, type GraphDefinition } from "./definition.ts";
import type { NodeDefinition, NodeOptions } from "./node.ts";
import type { NodeErrorHandler } from "./node-policies.ts";
import { nodeWriter } from "./node-writer.ts";

const DEFAULT_HANDLER = "__default_error_handler__";

/** What a node's options, and the graph's defaults, say about how it is executed. */
export function policiesOf(
  definition: GraphDefinition,
  node: NodeDefinition,
): Pick<EngineNode, "retryPolicy" | "timeout" | "cachePolicy" | "errorHandlerNode"> {
  const { cachePolicy } = node.options;
  const errorHandlerNode = handlerOf(definition, node);
  return {
    ...attemptPolicies(node.name, node.options),
    ...(cachePolicy ? { cachePolicy: cachePolicy === true ? {} : checkedCache(cachePolicy, node.name) } : {}),
    ...(errorHandlerNode === undefined ? {} : { errorHandlerNode }),
  };
}

function attemptPolicies(
  name: string,
  options: Pick<NodeOptions, "retryPolicy" | "timeout">,
): Pick<EngineNode, "retryPolicy" | "timeout"> {
  const timeout = timeoutPolicyOf(options.timeout, name);
  return {
    ...(options.retryPolicy === undefined ? {} : { retryPolicy: checkedRetry(options.retryPolicy, name) }),
    ...(timeout === undefined ? {} : { timeout }),
  };
}

/** The nodes of the error handlers. Nothing triggers them: the engine starts them when their node has failed. */
export function errorHandlers(definition: GraphDefinition): ReadonlyMap<string, EngineNode> {
  const handlers = new Map<string, EngineNode>();
  const add = (name: string, { channels }: Pick<EngineNode, "channels">, handler: NodeErrorHandler): void => {
    handlers.set(name, {
      name,
      triggers: [],
      channels,
      hidden: false,
      // The engine hands a handler the state of its node, and the error under this key.
      run: (state, config) => handler(state as never, config.configurable?.[NODE_ERROR] as NodeError, config),
      write: nodeWriter(definition, name, []),
      ...attemptPolicies(name, definition.defaults),
    });
  };
  for (const node of definition.nodes.values()) {
    const { errorHandler } = node.options;
    if (errorHandler !== undefined)
      add(ownHandler(node.name), channelsRead(definition.schema, node), errorHandler);
  }
  const { errorHandler } = definition.defaults;
  if (errorHandler !== undefined) add(DEFAULT_HANDLER, channelsRead(definition.schema, {}), errorHandler);
  return handlers;
}

/** The name of the node that handles a node's errors. */
export function handlerOf(
  { defaults }: GraphDefinition,
  { name, options }: NodeDefinition,
): string | undefined {
  if (options.errorHandler !== undefined) return ownHandler(name);
  return defaults.errorHandler === undefined ? undefined : DEFAULT_HANDLER;
}

export function ownHandler(node: string): string {
  return `__error_handler__${node}`;
}
