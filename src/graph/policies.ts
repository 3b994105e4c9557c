import type { NodeError } from "../pregel/policy-errors.ts";
import { NODE_ERROR } from "../pregel/constants.ts";
import { timeoutPolicyOf } from "../pregel/timeout.ts";
import type { PregelNode } from "../pregel/types.ts";
import type { GraphDefinition } from "./definition.ts";
import type { NodeDefinition } from "./node.ts";
import { nodeWriter } from "./node-writer.ts";

/** What a node's options say about how it is executed. */
export function policiesOf({
  name,
  options,
}: NodeDefinition): Pick<PregelNode, "retryPolicy" | "timeout" | "cachePolicy" | "errorHandlerNode"> {
  const timeout = timeoutPolicyOf(options.timeout);
  return {
    ...(options.retryPolicy === undefined ? {} : { retryPolicy: options.retryPolicy }),
    ...(options.cachePolicy ? { cachePolicy: options.cachePolicy === true ? {} : options.cachePolicy } : {}),
    ...(timeout === undefined ? {} : { timeout }),
    ...(options.errorHandler === undefined ? {} : { errorHandlerNode: handlerName(name) }),
  };
}

/** The nodes of the error handlers. Nothing triggers them: the engine starts them when their node has failed. */
export function errorHandlers(
  definition: GraphDefinition,
  stateKeys: readonly string[],
): ReadonlyMap<string, PregelNode> {
  const handlers = new Map<string, PregelNode>();
  for (const { name, options } of definition.nodes.values()) {
    const { errorHandler } = options;
    if (errorHandler === undefined) continue;
    const handler = handlerName(name);
    handlers.set(handler, {
      name: handler,
      triggers: [],
      channels: stateKeys,
      hidden: false,
      // The engine hands a handler the state of its node, and the error under this key.
      run: (state, config) =>
        errorHandler(state as never, config.configurable?.[NODE_ERROR] as NodeError, config),
      write: nodeWriter(definition, handler, []),
    });
  }
  return handlers;
}

function handlerName(node: string): string {
  return `__error_handler__${node}`;
}
