import type { Item, SearchItem } from "./base-store.ts";
import { getTextAtPath } from "./text-path.ts";

/** Turns texts into vectors: LangChain's embeddings have this form. */
export interface Embeddings {
  embedDocuments(texts: string[]): Promise<number[][]>;
  embedQuery(text: string): Promise<number[]>;
}

export interface IndexConfig {
  /** Length of the vectors. */
  readonly dims: number;
  readonly embeddings: Embeddings;
  /** Paths of what is indexed; the whole value unless said otherwise. */
  readonly fields?: readonly string[];
}

/** Vectors of items, in memory: a search looks at all of them. */
export class VectorIndex {
  readonly config: IndexConfig;
  readonly #vectors = new WeakMap<Item, readonly (readonly number[])[]>();

  constructor(config: IndexConfig) {
    this.config = config;
  }

  /** The items with the vectors that their texts have. */
  async embed(items: readonly { readonly item: Item; readonly fields: readonly string[] }[]): Promise<void> {
    const texts = items.map(({ item, fields }) => fields.flatMap((path) => getTextAtPath(item.value, path)));
    const all = texts.flat();
    if (all.length === 0) return;
    const vectors = await this.config.embeddings.embedDocuments(all);
    let start = 0;
    items.forEach(({ item }, index) => {
      const end = start + (texts[index]?.length ?? 0);
      this.#vectors.set(item, vectors.slice(start, end));
      start = end;
    });
  }

  /** The nearest first; those without vectors at the end. */
  async rank(items: readonly Item[], query: string): Promise<SearchItem[]> {
    const wanted = await this.config.embeddings.embedQuery(query);
    const scored = items.map((item) => ({ item, score: this.#score(item, wanted) }));
    return scored
      .toSorted((a, b) => (b.score ?? -Infinity) - (a.score ?? -Infinity) || 0)
      .map(({ item, score }) => ({ ...item, score }));
  }

  #score(item: Item, wanted: readonly number[]): number | undefined {
    const vectors = this.#vectors.get(item) ?? [];
    return vectors.length === 0 ? undefined : Math.max(...vectors.map((vector) => cosine(vector, wanted)));
  }
}

function cosine(left: readonly number[], right: readonly number[]): number {
  let [dot, leftSquares, rightSquares] = [0, 0, 0];
  for (let index = 0; index < left.length; index++) {
    const [a, b] = [left[index] ?? 0, right[index] ?? 0];
    dot += a * b;
    leftSquares += a * a;
    rightSquares += b * b;
  }
  return leftSquares === 0 || rightSquares === 0
    ? 0
    : dot / (Math.sqrt(leftSquares) * Math.sqrt(rightSquares));
}
