import { toHex } from "../hex.ts";
import { adopt } from "../values/adopt.ts";
import type { CacheFullKey, CacheNamespace } from "../checkpoint/cache/base-cache.ts";
import type { PendingWrite } from "../checkpoint/types.ts";
import type { CachePolicy } from "./cache-policy.ts";
import type { LoopState } from "./loop-state.ts";
import { isCalled, type PlannedTask } from "./plan.ts";
import { stableText } from "./stable-text.ts";
import type { PregelGraph, EngineNode } from "./types.ts";

const NODE_WRITES = "__pregel_ns_writes";

/** The cached result of one task. A cache that fails costs a call of the node, and not the run. */
export interface CachedTask {
  /** What the node wrote before, or undefined. */
  read(): Promise<readonly PendingWrite[] | undefined>;
  keep(writes: readonly PendingWrite[]): Promise<void>;
}

/** Where the result of a task lies; undefined when it is not cached. Throws when no key can be made of the input. */
export async function cachedTask(
  loop: LoopState,
  task: PlannedTask,
  input: unknown,
): Promise<CachedTask | undefined> {
  const { node } = task;
  const { cache, graph } = loop.run;
  const policy = node?.cachePolicy;
  if (node === undefined || policy === undefined || cache === undefined) return undefined;
  // A called task has a list of arguments of its own.
  const args = isCalled(task) && Array.isArray(input) ? input : [input];
  const key = await fullKey(graph, node, policy, args);
  const ttl = policy.ttl === undefined ? {} : { ttl: policy.ttl };
  return {
    read: async () => {
      const [entry] = await cache.get([key]).catch(() => []);
      return entry?.value.map(([channel, value]) => [channel, adopt(value)]);
    },
    keep: (writes) => cache.set([{ key, value: writes, ...ttl }]).catch(() => undefined),
  };
}

function namespaceOf(graph: PregelGraph, node: EngineNode): CacheNamespace {
  return [NODE_WRITES, graph.name, node.name];
}

async function fullKey(
  graph: PregelGraph,
  node: EngineNode,
  { keyFunc = stableText }: CachePolicy,
  args: unknown[],
): Promise<CacheFullKey> {
  const bytes = new TextEncoder().encode(keyFunc(args));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [namespaceOf(graph, node), toHex(digest)];
}
