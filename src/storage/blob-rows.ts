import { StorageError } from "../errors.ts";
import type { LazyTable } from "./lazy-table.ts";
import type { LazyTables } from "./lazy-tables.ts";
import { fromHex, toHex } from "../hex.ts";
import { MAX_BLOB, PART_SIZE } from "./limits.ts";

/** With what a serializer that encrypts adds. */
const MAX_STORED_BLOB = MAX_BLOB + 1024;

export type BlobRow = {
  /** Names the object in the bucket; null when the bytes are in `parts`. */
  generation: string | null;
  /** Of the bytes as they are stored. */
  size: number;
  /** The serializer's, when it has written the bytes. */
  type: string | null;
};

export type StoredBlob = Pick<BlobRow, "generation" | "type"> & { readonly hash: string };

/** The statements on `blobs` and `parts`. Hashes are hex digits here and bytes in the tables. */
export class BlobRows {
  readonly #blobs: LazyTable;
  readonly #parts: LazyTable;

  constructor(tables: LazyTables) {
    this.#blobs = tables.of("blobs");
    this.#parts = tables.of("parts");
  }

  find(threadId: string, hash: string): BlobRow | undefined {
    const statement = "SELECT generation, size, type FROM blobs WHERE thread_id = ? AND hash = ?";
    return this.#blobs.first<BlobRow>(statement, threadId, fromHex(hash));
  }

  require(threadId: string, hash: string): BlobRow {
    const row = this.find(threadId, hash);
    if (row !== undefined) return row;
    const message = `The thread has no blob ${hash}, which a stored value refers to.`;
    throw new StorageError("blob_missing", message, { details: { hash } });
  }

  insert(threadId: string, hash: string, { generation, size, type }: BlobRow): void {
    const statement = "INSERT INTO blobs (thread_id, hash, generation, size, type) VALUES (?, ?, ?, ?, ?)";
    this.#blobs.insert(statement, threadId, fromHex(hash), generation, size, type);
  }

  insertParts(threadId: string, hash: string, bytes: Uint8Array): void {
    const statement = "INSERT INTO parts (thread_id, hash, n, bytes) VALUES (?, ?, ?, ?)";
    for (let n = 0; n * PART_SIZE < bytes.length; n++) {
      const part = bytes.subarray(n * PART_SIZE, (n + 1) * PART_SIZE);
      this.#parts.insert(statement, threadId, fromHex(hash), n, part);
    }
  }

  /** The bytes are in `parts` from now on, and not in the bucket. */
  keepInParts(threadId: string, hash: string): void {
    const statement = "UPDATE blobs SET generation = NULL WHERE thread_id = ? AND hash = ?";
    this.#blobs.change(statement, threadId, fromHex(hash));
  }

  /** The parts together, or how many bytes they have, when these are not as many as the row of the blob says. */
  bytes(threadId: string, hash: string, size: number): Uint8Array | number {
    const statement = "SELECT bytes FROM parts WHERE thread_id = ? AND hash = ? ORDER BY n";
    const bytes = new Uint8Array(size >= 0 && size <= MAX_STORED_BLOB ? size : 0);
    let found = 0;
    // One after the other: they are not in memory all at once.
    for (const { bytes: part } of this.#parts.each<{ bytes: ArrayBuffer }>(
      statement,
      threadId,
      fromHex(hash),
    )) {
      if (found + part.byteLength <= bytes.length) bytes.set(new Uint8Array(part), found);
      found += part.byteLength;
    }
    return found === size ? bytes : found;
  }

  ofThread(threadId: string): StoredBlob[] {
    const statement = "SELECT hash, generation, type FROM blobs WHERE thread_id = ?";
    return this.#blobs
      .all<Pick<BlobRow, "generation" | "type"> & { hash: ArrayBuffer }>(statement, threadId)
      .map(({ hash, ...blob }) => ({ ...blob, hash: toHex(new Uint8Array(hash)) }));
  }

  /** The objects of the bucket that rows of any thread name. A thread and its copy share theirs. */
  generations(): Set<string> {
    const statement = "SELECT generation FROM blobs WHERE generation IS NOT NULL";
    return new Set(this.#blobs.all<{ generation: string }>(statement).map(({ generation }) => generation));
  }

  delete(threadId: string, hash: string): void {
    this.#parts.change("DELETE FROM parts WHERE thread_id = ? AND hash = ?", threadId, fromHex(hash));
    this.#blobs.change("DELETE FROM blobs WHERE thread_id = ? AND hash = ?", threadId, fromHex(hash));
  }

  deleteThread(threadId: string): void {
    this.#parts.change("DELETE FROM parts WHERE thread_id = ?", threadId);
    this.#blobs.change("DELETE FROM blobs WHERE thread_id = ?", threadId);
  }

  /** Objects in the bucket are not copied: the rows of both threads name them. */
  copyThread(source: string, target: string): void {
    copyRows(this.#blobs, "hash, generation, size, type", source, target);
    copyRows(this.#parts, "hash, n, bytes", source, target);
  }
}

function copyRows(table: LazyTable, columns: string, source: string, target: string): void {
  if (table.isEmpty) return;
  const rows = `SELECT ?, ${columns} FROM ${table.name} WHERE thread_id = ?`;
  table.insert(`INSERT INTO ${table.name} (thread_id, ${columns}) ${rows}`, target, source);
}
