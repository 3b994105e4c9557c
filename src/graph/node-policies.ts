import type { CachePolicy } from "../pregel/cache-policy.ts";
import type { NodeError } from "../pregel/policy-errors.ts";
import type { RetryPolicy } from "../pregel/retry.ts";
import type { TimeoutPolicy } from "../pregel/timeout.ts";
import type { NodeConfig } from "../pregel/types.ts";

/**
 * Takes the place of a node that has failed, in the same superstep: gets what the node got, and which node threw what.
 * Its Commands say what runs next; the node's edges do not.
 */
export type NodeErrorHandler<State = never, Update = unknown> = (
  state: State,
  error: NodeError,
  config: NodeConfig,
) => Update | Promise<Update>;

/** How a node is executed, as it is given in its options or as the default of all nodes. */
export interface NodePolicyOptions {
  readonly retryPolicy?: RetryPolicy | undefined;
  /**
   * Keeps the node's results in the graph's cache; true: by its whole input, for ever; false: not even where the graph's
   * default says so.
   */
  readonly cachePolicy?: CachePolicy | boolean | undefined;
  /** For each attempt: milliseconds, or limits of several kinds. */
  readonly timeout?: number | TimeoutPolicy | undefined;
  readonly errorHandler?: NodeErrorHandler | undefined;
}

/** What holds for the nodes that do not say otherwise. */
export type NodeDefaults = NodePolicyOptions;

/** The node with the defaults for what its own options leave open. The handler of errors is one node for all of them. */
export function withDefaults<Node extends { readonly options: NodePolicyOptions }>(
  node: Node,
  defaults: NodeDefaults,
): Node {
  const { errorHandler: _, ...policies } = defaults;
  return { ...node, options: { ...withoutUndefined(policies), ...withoutUndefined(node.options) } };
}

function withoutUndefined<T extends object>(options: T): T {
  // Leaves out properties only, and only optional ones have the value undefined.
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}
