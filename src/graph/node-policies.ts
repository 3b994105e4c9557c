import type { NodeConfig } from "../pregel/types.ts";
import type { CachePolicy, NodePolicies, RetryPolicy, TimeoutPolicy } from "../pregel/policy-types.ts";
import type { NodeDefinition, NodeOptions } from "./node.ts";

/** How a node that has failed is taken over: gets what the node got, and which node threw what. */
export type NodeErrorHandler<State = never, Update = unknown> = (
  state: State,
  error: NodeFailure,
  config: NodeConfig,
) => Update | Promise<Update>;

/** What an error handler is told. */
export interface NodeFailure extends Error {
  readonly node: string;
  readonly error: unknown;
}

/** How a node is executed, as it is given in its options or as the default of all nodes. */
export interface NodePolicyOptions {
  readonly retryPolicy?: RetryPolicy | undefined;
  /** `true`: results are kept as long as the cache keeps them. `false`: not even where the graph's default says so. */
  readonly cachePolicy?: CachePolicy | boolean | undefined;
  /** For each attempt: milliseconds, or limits of several kinds. */
  readonly timeout?: number | TimeoutPolicy | undefined;
  readonly errorHandler?: NodeErrorHandler | undefined;
}

/** What holds for the nodes that do not say otherwise. */
export type NodeDefaults = NodePolicyOptions;

/** The node with the defaults for what its own options leave open. */
export function withDefaults(node: NodeDefinition, defaults: NodeDefaults): NodeDefinition {
  const options: NodeOptions = { ...node.options };
  return { ...node, options: { ...withoutUndefined(defaults), ...withoutUndefined(options) } };
}

/** The policies of a node as the engine carries them. */
export function policiesOf({ options }: NodeDefinition): NodePolicies {
  const { retryPolicy, cachePolicy, timeout, errorHandler } = options;
  return {
    ...(retryPolicy === undefined ? {} : { retryPolicy }),
    ...(cachePolicy === undefined || cachePolicy === false
      ? {}
      : { cachePolicy: cachePolicy === true ? {} : cachePolicy }),
    ...(timeout === undefined
      ? {}
      : { timeout: typeof timeout === "number" ? { runTimeout: timeout } : timeout }),
    ...(errorHandler === undefined ? {} : { errorHandler }),
  };
}

function withoutUndefined<T extends object>(options: T): T {
  // Leaves out properties only, and only optional ones have the value undefined.
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}
