import type { Sql } from "../storage/sql.ts";
import { joined } from "./item-rows.ts";
import type { StoredItem } from "./protocol.ts";

type Place = Pick<StoredItem, "key" | "namespace">;

/** The statements on `item_vectors`: what the texts of items mean. */
export class VectorRows {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** In the place of those that the item has had. */
  replace({ namespace, key }: Place, vectors: readonly (readonly number[])[]): void {
    this.#sql.run("DELETE FROM item_vectors WHERE namespace = ? AND key = ?", joined(namespace), key);
    const statement = "INSERT INTO item_vectors (namespace, key, part, vector) VALUES (?, ?, ?, ?)";
    for (const [part, vector] of vectors.entries())
      this.#sql.run(statement, joined(namespace), key, part, new Uint8Array(new Float32Array(vector).buffer));
  }

  /** How near the item is to what is wanted, 1 for the same direction; undefined when nothing of it is indexed. */
  score({ namespace, key }: Place, wanted: readonly number[]): number | undefined {
    const statement = "SELECT vector FROM item_vectors WHERE namespace = ? AND key = ?";
    const rows = this.#sql.all<{ vector: ArrayBuffer }>(statement, joined(namespace), key);
    const scores = rows.map(({ vector }) => cosine(new Float32Array(vector), wanted));
    return scores.length === 0 ? undefined : Math.max(...scores);
  }
}

function cosine(left: Float32Array, right: readonly number[]): number {
  let [dot, leftSquares, rightSquares] = [0, 0, 0];
  for (const [index, a] of left.entries()) {
    const b = right[index] ?? 0;
    dot += a * b;
    leftSquares += a * a;
    rightSquares += b * b;
  }
  const lengths = Math.sqrt(leftSquares) * Math.sqrt(rightSquares);
  return lengths === 0 ? 0 : dot / lengths;
}
