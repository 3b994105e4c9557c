import { type Adopt, BaseChannel, EMPTY, keep } from "./base.ts";

export interface TopicOptions {
  /** Whether a value that was ever published is dropped when it comes again. Objects are told apart by identity. */
  readonly unique?: boolean;
  /** Whether values stay for later supersteps. Otherwise they are there for one. */
  readonly accumulate?: boolean;
}

type SeenAndValues<Value> = readonly [seen: readonly Value[], values: readonly Value[]];

/** A unique topic saves what it has ever seen too; any other saves its values alone. */
export type SavedTopic<Value> = readonly Value[] | SeenAndValues<Value>;

/** Collects the values of all writers. A write that is a list publishes its items. */
export class Topic<Value> extends BaseChannel<readonly Value[], Value | readonly Value[], SavedTopic<Value>> {
  override readonly lc_graph_name = "Topic";
  override readonly isTransient: boolean;
  readonly unique: boolean;
  readonly accumulate: boolean;
  #values: readonly Value[] = [];
  #seen = new Set<Value>();

  constructor(options: TopicOptions = {}) {
    super();
    this.unique = options.unique ?? false;
    this.accumulate = options.accumulate ?? false;
    this.isTransient = !this.accumulate;
  }

  protected override restore(saved: SavedTopic<Value> | typeof EMPTY, adopt: Adopt): Topic<Value> {
    const channel = new Topic<Value>(this);
    if (saved === EMPTY) return channel;
    if (this.#isSeenAndValues(saved)) {
      const [seen, values] = adopt(saved);
      channel.#values = values;
      channel.#seen = new Set(seen);
    } else {
      channel.#values = adopt(saved);
      if (this.unique) channel.#seen = new Set(channel.#values);
    }
    return channel;
  }

  override checkpoint(): SavedTopic<Value> {
    return this.unique ? [[...this.#seen], this.#values] : this.#values;
  }

  override update(writes: readonly (Value | readonly Value[])[], adopt: Adopt = keep): boolean {
    const published = this.#published(writes);
    const kept = this.accumulate ? this.#values.length : 0;
    if (published.length === 0 && kept === this.#values.length) return false;
    const values = adopt([...this.#values.slice(0, kept), ...published]);
    if (this.unique) for (const value of values.slice(kept)) this.#seen.add(value);
    this.#values = values;
    return true;
  }

  override get(): readonly Value[] {
    return this.isAvailable() ? this.#values : this.empty();
  }

  override isAvailable(): boolean {
    return this.#values.length > 0;
  }

  #published(writes: readonly (Value | readonly Value[])[]): readonly Value[] {
    const published: Value[] = [];
    const fresh = new Set<Value>();
    for (const write of writes) {
      for (const value of isList(write) ? write : [write]) {
        if (this.unique && (this.#seen.has(value) || fresh.has(value))) continue;
        if (this.unique) fresh.add(value);
        published.push(value);
      }
    }
    return published;
  }

  /** Only a unique topic asks: in any other, two values that are lists look the same. */
  #isSeenAndValues(saved: SavedTopic<Value>): saved is SeenAndValues<Value> {
    return this.unique && saved.length === 2 && saved.every((part) => Array.isArray(part));
  }
}

function isList<Value>(write: Value | readonly Value[]): write is readonly Value[] {
  return Array.isArray(write);
}
