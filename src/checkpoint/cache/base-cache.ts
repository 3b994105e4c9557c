import { MsgpackSerializer } from "../serde/msgpack-serializer.ts";
import type { SerializerProtocol } from "../serde/protocol.ts";

export type CacheNamespace = readonly string[];
export type CacheFullKey = readonly [namespace: CacheNamespace, key: string];

export interface CacheEntry<V> {
  readonly key: CacheFullKey;
  readonly value: V;
}

/** Results of nodes by what they were computed from. LangGraph's port; it may forget anything at any time. */
export abstract class BaseCache<V = unknown> {
  readonly serde: SerializerProtocol;

  constructor(serde: SerializerProtocol = new MsgpackSerializer()) {
    this.serde = serde;
  }

  /** Those of the entries that are there. */
  abstract get(keys: readonly CacheFullKey[]): Promise<CacheEntry<V>[]>;

  /** `ttl` in seconds; without one an entry stays. */
  abstract set(entries: readonly (CacheEntry<V> & { readonly ttl?: number })[]): Promise<void>;

  /** Forgets exactly these namespaces, or, for an empty list, all. */
  abstract clear(namespaces: readonly CacheNamespace[]): Promise<void>;
}
