import type { BaseCache } from "../checkpoint/cache/base-cache.ts";
import type { PendingWrite } from "../checkpoint/types.ts";
import { GraphValidationError } from "../graph-errors.ts";

/** What a node has written is kept, and taken instead of running it again with an equal input. */
export interface CachePolicy {
  /** What the result depends on, from the list of the node's arguments: its input. The whole input unless said otherwise. */
  readonly keyFunc?: (args: unknown[]) => string;
  /** How long a result counts, in seconds; for ever unless said otherwise. */
  readonly ttl?: number;
}

/** The policy; throws for a time that is below 0. `node`: whose it is. */
export function checkedCache(policy: CachePolicy, node: string): CachePolicy {
  const { ttl = 0 } = policy;
  if (ttl >= 0) return policy;
  throw new GraphValidationError(`The cachePolicy of node "${node}": ttl must not be below 0, not ${ttl}.`, {
    details: { node },
  });
}

/** Where results are kept. */
export type WritesCache = BaseCache<readonly PendingWrite[]>;
