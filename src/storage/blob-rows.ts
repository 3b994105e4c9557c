import { PART_SIZE } from "./limits.ts";
import type { Sql } from "./sql.ts";
import { fromHex, toHex } from "./stored-id.ts";

export type BlobRow = {
  /** Names the object in the bucket; null when the bytes are in `parts`. */
  generation: string | null;
  /** Of the bytes as they are stored. */
  size: number;
  /** The serializer's, when it has written the bytes. */
  type: string | null;
};

/** The statements on `blobs` and `parts`. Hashes are hex digits here and bytes in the tables. */
export class BlobRows {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  find(threadId: string, hash: string): BlobRow | undefined {
    const statement = "SELECT generation, size, type FROM blobs WHERE thread_id = ? AND hash = ?";
    return this.#sql.first<BlobRow>(statement, threadId, fromHex(hash));
  }

  insert(threadId: string, hash: string, { generation, size, type }: BlobRow): void {
    const statement = "INSERT INTO blobs (thread_id, hash, generation, size, type) VALUES (?, ?, ?, ?, ?)";
    this.#sql.run(statement, threadId, fromHex(hash), generation, size, type);
  }

  insertParts(threadId: string, hash: string, bytes: Uint8Array): void {
    const statement = "INSERT INTO parts (thread_id, hash, n, bytes) VALUES (?, ?, ?, ?)";
    for (let n = 0; n * PART_SIZE < bytes.length; n++) {
      const part = bytes.subarray(n * PART_SIZE, (n + 1) * PART_SIZE);
      this.#sql.run(statement, threadId, fromHex(hash), n, part);
    }
  }

  /** The bytes are in `parts` from now on, and not in the bucket. */
  keepInParts(threadId: string, hash: string): void {
    const statement = "UPDATE blobs SET generation = NULL WHERE thread_id = ? AND hash = ?";
    this.#sql.run(statement, threadId, fromHex(hash));
  }

  parts(threadId: string, hash: string): ArrayBuffer[] {
    const statement = "SELECT bytes FROM parts WHERE thread_id = ? AND hash = ? ORDER BY n";
    return this.#sql
      .all<{ bytes: ArrayBuffer }>(statement, threadId, fromHex(hash))
      .map(({ bytes }) => bytes);
  }

  /** The blobs of a thread that are in the bucket. */
  inBucket(threadId: string): { hash: string; generation: string }[] {
    const statement = "SELECT hash, generation FROM blobs WHERE thread_id = ? AND generation IS NOT NULL";
    return this.#sql
      .all<{ hash: ArrayBuffer; generation: string }>(statement, threadId)
      .map(({ hash, generation }) => ({ hash: toHex(new Uint8Array(hash)), generation }));
  }

  deleteThread(threadId: string): void {
    this.#sql.run("DELETE FROM parts WHERE thread_id = ?", threadId);
    this.#sql.run("DELETE FROM blobs WHERE thread_id = ?", threadId);
  }
}
