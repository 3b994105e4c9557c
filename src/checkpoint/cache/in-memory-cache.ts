import type { Encoded } from "../encoding.ts";
import { decode, encode } from "../encoding.ts";
import { BaseCache, type CacheEntry, type CacheFullKey, type CacheNamespace } from "./base-cache.ts";

interface Stored {
  readonly value: Encoded;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Keeps entries in memory, encoded, so that nobody's later changes reach them. */
export class InMemoryCache<V = unknown> extends BaseCache<V> {
  /** By namespace, as JSON, then by key. */
  readonly #entries = new Map<string, Map<string, Stored>>();
  readonly #now: () => number;

  /** `now`: milliseconds since 1970; the system's clock unless said otherwise. */
  constructor(options: { readonly now?: () => number } = {}) {
    super();
    this.#now = options.now ?? (() => Date.now());
  }

  override async get(keys: readonly CacheFullKey[]): Promise<CacheEntry<V>[]> {
    const now = this.#now();
    const found: CacheEntry<V>[] = [];
    for (const key of keys) {
      const entries = this.#entries.get(JSON.stringify(key[0]));
      const stored = entries?.get(key[1]);
      if (stored === undefined) continue;
      if (stored.until <= now) entries?.delete(key[1]);
      // What `set` was given under this key.
      else found.push({ key, value: (await decode(this.serde, stored.value)) as V });
    }
    return found;
  }

  override async set(entries: readonly (CacheEntry<V> & { readonly ttl?: number })[]): Promise<void> {
    for (const { key, value, ttl } of entries) {
      const encoded = await encode(this.serde, value);
      const until = ttl === undefined ? Infinity : this.#now() + ttl * 1000;
      const name = JSON.stringify(key[0]);
      const stored = this.#entries.get(name) ?? new Map<string, Stored>();
      stored.set(key[1], { value: encoded, until });
      this.#entries.set(name, stored);
    }
  }

  override async clear(namespaces: readonly CacheNamespace[]): Promise<void> {
    if (namespaces.length === 0) this.#entries.clear();
    for (const namespace of namespaces) this.#entries.delete(JSON.stringify(namespace));
  }
}
