import { chain } from "../checkpoint/maybe-promise.ts";
import type { MaybePromise } from "../checkpoint/types.ts";
import type { CheckpointReader } from "./checkpoint-reader.ts";
import { lastingOf } from "./lasting-checkpoint.ts";
import type { NamespaceRow } from "./namespace-rows.ts";
import type { CachedCheckpoint, SaverCache } from "./saver-cache.ts";
import type { StoredValues } from "./stored-values.ts";

/** How many checkpoints are kept for a listing that comes by them. */
const MAX_KEPT = 32;

/** Loads checkpoints one after the other, newest first: the older ones are mostly what the newer ones are read from. */
export class Neighbours {
  readonly #reader: CheckpointReader;
  readonly #values: StoredValues;
  #cache: SaverCache | undefined;
  #namespace: number | undefined;
  #kept = new Map<string, CachedCheckpoint>();

  constructor(reader: CheckpointReader, values: StoredValues) {
    this.#reader = reader;
    this.#values = values;
  }

  load(cache: SaverCache, namespace: NamespaceRow, id: string): MaybePromise<CachedCheckpoint | undefined> {
    // A cache that was dropped says that rows have gone.
    const isSame = cache === this.#cache && namespace.id === this.#namespace;
    const kept = isSame ? this.#kept.get(id) : undefined;
    if (kept !== undefined) return kept;
    const passed: CachedCheckpoint[] = [];
    const loading = this.#reader.load(cache, namespace, id, (checkpoint) => {
      passed.push(checkpoint);
      if (passed.length > MAX_KEPT) passed.shift();
    });
    return chain(loading, (loaded) => {
      this.#cache = cache;
      this.#namespace = namespace.id;
      const lasting = passed.map((checkpoint) => lastingOf(checkpoint, this.#values));
      this.#kept = new Map(
        lasting
          .filter(({ state }) => state.missing.size === 0)
          .map((checkpoint) => [checkpoint.id, checkpoint]),
      );
      return loaded;
    });
  }
}
