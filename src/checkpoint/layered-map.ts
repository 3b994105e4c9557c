interface Layer<Value> {
  readonly entries: ReadonlyMap<string, Value>;
  readonly below: Layer<Value> | undefined;
}

/**
 * A map that is never changed, only succeeded: a successor keeps what is new in it, above the map it was made from. That
 * costs what is new, however much there is below. When the layers come to weigh as much as the lowest one, they are
 * merged, so that to read all of it costs about what there is to read.
 */
export class LayeredMap<Value> {
  readonly #top: Layer<Value>;
  readonly #lowestSize: number;
  /** Of the layers above the lowest: an entry weighs one, and so does a layer. */
  readonly #weight: number;

  private constructor(top: Layer<Value>, lowestSize: number, weight: number) {
    this.#top = top;
    this.#lowestSize = lowestSize;
    this.#weight = weight;
  }

  static of<Value>(entries: ReadonlyMap<string, Value>): LayeredMap<Value> {
    return new LayeredMap({ entries, below: undefined }, entries.size, 0);
  }

  /** The map that follows: these entries in the place of its own, or beside them. */
  with(entries: ReadonlyMap<string, Value>): LayeredMap<Value> {
    const top = { entries, below: this.#top };
    const weight = this.#weight + entries.size + 1;
    return weight < this.#lowestSize
      ? new LayeredMap(top, this.#lowestSize, weight)
      : LayeredMap.of(entriesOf(top));
  }

  /** A copy of all that it holds. */
  toMap(): Map<string, Value> {
    return entriesOf(this.#top);
  }
}

function entriesOf<Value>(top: Layer<Value>): Map<string, Value> {
  const above: ReadonlyMap<string, Value>[] = [];
  let layer = top;
  for (; layer.below !== undefined; layer = layer.below) above.push(layer.entries);
  const result = new Map(layer.entries);
  for (const entries of above.toReversed()) for (const [key, value] of entries) result.set(key, value);
  return result;
}
