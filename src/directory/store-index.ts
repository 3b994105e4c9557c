import { getTextAtPath } from "../checkpoint/store/text-path.ts";
import type { PutOperation } from "../checkpoint/store/base-store.ts";
import { StorageError } from "../errors.ts";
import { inTime } from "../in-time.ts";

/** Makes items searchable by what they mean. */
export interface StoreIndexOptions {
  /** Turns texts into vectors, one for each. */
  readonly embed: (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;
  /** Length of the vectors. */
  readonly dims: number;
  /** Paths of what is indexed, as in "title" and "notes[*].text"; the whole value unless said otherwise. */
  readonly fields?: readonly string[] | undefined;
}

type Vectors = readonly (readonly number[])[];

export class StoreIndex {
  readonly #options: StoreIndexOptions;

  constructor(options: StoreIndexOptions) {
    this.#options = options;
  }

  /** For each of the writes, in one call. */
  async vectorsOf(puts: readonly PutOperation[]): Promise<readonly Vectors[]> {
    const texts = puts.map((put) => this.#textsOf(put));
    const vectors = (await this.#embed(texts.flat())).values();
    return texts.map((own) => own.map(() => vectors.next().value ?? []));
  }

  async vectorOf(query: string): Promise<readonly number[]> {
    return (await this.#embed([query]))[0] ?? [];
  }

  #textsOf({ value, index }: PutOperation): readonly string[] {
    if (value === null || index === false) return [];
    const fields = index ?? this.#options.fields ?? ["$"];
    return fields.flatMap((path) => getTextAtPath(value, path)).filter((text) => text !== "");
  }

  /** Nothing is written, and nothing found, when it fails. */
  async #embed(texts: readonly string[]): Promise<Vectors> {
    if (texts.length === 0) return [];
    const { embed, dims } = this.#options;
    const vectors: unknown = await inTime("embedding_unavailable", () => embed(texts)).catch(
      (cause: unknown) => {
        const message = "The texts could not be turned into vectors. Nothing was written; ask again.";
        throw new StorageError("embedding_unavailable", message, { cause });
      },
    );
    if (Array.isArray(vectors) && vectors.length === texts.length) {
      const found = vectors.map(numbersOf);
      if (found.every((numbers) => numbers.length === dims && numbers.every(Number.isFinite))) return found;
    }
    throw new StorageError(
      "invalid_embedding",
      `The configured \`embed\` has to answer with a vector of ${dims} numbers for each text.`,
    );
  }
}

/** Of what is no list none. */
function numbersOf(vector: unknown): readonly number[] {
  if (ArrayBuffer.isView(vector)) return Array.from(vector as Float32Array);
  return Array.isArray(vector) ? vector : [];
}
