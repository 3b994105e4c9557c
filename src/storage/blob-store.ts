import { StorageError } from "../errors.ts";
import type { MaybePromise } from "../checkpoint/types.ts";
import { BlobBucket } from "./blob-bucket.ts";
import { BlobRows } from "./blob-rows.ts";
import type { Sql } from "./sql.ts";
import { toHex } from "./stored-id.ts";

export interface HashedBytes {
  /** SHA-256, hex digits. */
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/** Blobs that are ready to be referred to. */
export interface StagedBlobs {
  /** Writes their rows; in the transaction of the row that refers to them. */
  commit(): void;
  /** Afterwards, also after a failure. */
  release(): void;
}

interface Upload {
  readonly generation: Promise<string>;
  users: number;
}

/**
 * Bytes that are too large for a row, once a thread under their hash: in R2 when there is a bucket, otherwise cut into
 * rows. Writing has two phases, so that a row never refers to what is not there: `stage` puts the objects, `commit`
 * writes the rows. An object whose commit fails is garbage that no row names.
 */
export class BlobStore {
  readonly #rows: BlobRows;
  readonly #bucket: BlobBucket | undefined;
  readonly #randomId: () => string;
  /** Objects between their stage and their commit, so that writers of the same bytes share one. */
  readonly #uploads = new Map<string, Upload>();

  constructor(sql: Sql, bucket: BlobBucket | undefined, randomId: () => string) {
    this.#rows = new BlobRows(sql);
    this.#bucket = bucket;
    this.#randomId = randomId;
  }

  async stage(threadId: string, blobs: readonly HashedBytes[]): Promise<StagedBlobs> {
    const missing = blobs.filter(({ hash }) => this.#rows.find(threadId, hash) === undefined);
    const bucket = this.#bucket;
    if (bucket === undefined)
      return this.#staged(
        threadId,
        missing.map((blob) => ({ blob, generation: null })),
      );
    const uploads = missing.map((blob) => ({ blob, upload: this.#upload(bucket, threadId, blob) }));
    const results = await Promise.allSettled(uploads.map(({ upload }) => upload.generation));
    const generations: { blob: HashedBytes; generation: string }[] = [];
    for (const [index, { blob }] of uploads.entries()) {
      const result = results[index];
      if (result?.status === "fulfilled") generations.push({ blob, generation: result.value });
    }
    const staged = this.#staged(threadId, generations);
    const failure = results.find((result) => result.status === "rejected");
    if (failure === undefined) return staged;
    for (const { blob } of uploads) this.#release(threadId, blob.hash);
    throw failure.reason;
  }

  /** Answers at once when the bytes are in SQLite. */
  read(threadId: string, hash: string): MaybePromise<Uint8Array> {
    const row = this.#rows.find(threadId, hash);
    if (row === undefined) {
      throw new StorageError(
        "blob_missing",
        `The thread has no blob ${hash}, which a stored value refers to.`,
        {
          details: { hash },
        },
      );
    }
    if (row.generation === null) return joined(this.#rows.parts(threadId, hash), row.size);
    if (this.#bucket !== undefined) return this.#bucket.get(hash, row.generation);
    throw new StorageError("blob_unavailable", `The blob ${hash} is in a bucket, but none is configured.`, {
      details: { hash },
    });
  }

  /** Removes the rows of a thread, in a transaction; what is returned removes its objects and comes after it. */
  deleteThread(threadId: string): () => Promise<void> {
    const objects = this.#rows.inBucket(threadId);
    this.#rows.deleteThread(threadId);
    return async () => {
      if (objects.length > 0) await this.#bucket?.delete(objects);
    };
  }

  #staged(threadId: string, blobs: readonly { blob: HashedBytes; generation: string | null }[]): StagedBlobs {
    return {
      commit: () => {
        for (const { blob, generation } of blobs) {
          // Another writer may have committed the same bytes since they were staged.
          if (this.#rows.find(threadId, blob.hash) !== undefined) continue;
          this.#rows.insert(threadId, blob.hash, { generation, size: blob.bytes.length });
          if (generation === null) this.#rows.insertParts(threadId, blob.hash, blob.bytes);
        }
      },
      release: () => {
        for (const { blob } of blobs) this.#release(threadId, blob.hash);
      },
    };
  }

  #upload(bucket: BlobBucket, threadId: string, { hash, bytes }: HashedBytes): Upload {
    const key = uploadKey(threadId, hash);
    const current = this.#uploads.get(key);
    if (current !== undefined) {
      current.users += 1;
      return current;
    }
    const generation = this.#randomId();
    const upload = { generation: bucket.put(hash, generation, bytes).then(() => generation), users: 1 };
    this.#uploads.set(key, upload);
    return upload;
  }

  #release(threadId: string, hash: string): void {
    const key = uploadKey(threadId, hash);
    const upload = this.#uploads.get(key);
    if (upload === undefined) return;
    upload.users -= 1;
    if (upload.users === 0) this.#uploads.delete(key);
  }
}

export async function hashBytes(bytes: Uint8Array): Promise<HashedBytes> {
  return { hash: toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))), bytes };
}

function uploadKey(threadId: string, hash: string): string {
  return `${hash} ${threadId}`;
}

function joined(parts: readonly ArrayBuffer[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const part of parts) {
    bytes.set(new Uint8Array(part), offset);
    offset += part.byteLength;
  }
  return bytes;
}
