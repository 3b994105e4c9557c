import { StorageError, UndecodableError } from "../errors.ts";
import { chain } from "../checkpoint/maybe-promise.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import type { MaybePromise } from "../checkpoint/types.ts";
import { BlobBucket } from "./blob-bucket.ts";
import { BlobRows, type BlobRow } from "./blob-rows.ts";
import type { Sql } from "./sql.ts";
import { toHex } from "./stored-id.ts";

export interface HashedBytes {
  /** Hex digits: SHA-256, or the fingerprint of a serializer that encrypts. */
  readonly hash: string;
  readonly bytes: Uint8Array;
  /** The serializer has written them: they are stored as they are, and read by whoever knows their type. */
  readonly isEncoded?: true;
}

/** Bytes in the form in which they are stored. */
interface SealedBytes {
  readonly type: string | null;
  readonly bytes: Uint8Array;
}

/** Blobs that are ready to be referred to. */
export interface StagedBlobs {
  /** Writes their rows; in the transaction of the row that refers to them. */
  commit(): void;
  /** Afterwards, also after a failure. */
  release(): void;
}

/** A blob whose bytes are where its row will say. */
interface StagedBlob {
  readonly hash: string;
  readonly row: BlobRow;
  /** Those that go into `parts`. */
  readonly bytes?: Uint8Array;
}

interface Upload {
  readonly row: Promise<BlobRow>;
  users: number;
}

/**
 * Bytes that are too large for a row, once a thread under their hash: in R2 when there is a bucket, otherwise cut into
 * rows; with a serializer that encrypts, encrypted. Writing has two phases, so that a row never refers to what is not there: `stage` puts the objects, `commit`
 * writes the rows. An object whose commit fails is garbage that no row names.
 */
export class BlobStore {
  readonly #rows: BlobRows;
  readonly #bucket: BlobBucket | undefined;
  readonly #serde: SerializerProtocol;
  readonly #randomId: () => string;
  /** Objects between their stage and their commit, so that writers of the same bytes share one. */
  readonly #uploads = new Map<string, Upload>();

  constructor(sql: Sql, bucket: BlobBucket | undefined, serde: SerializerProtocol, randomId: () => string) {
    this.#rows = new BlobRows(sql);
    this.#bucket = bucket;
    this.#serde = serde;
    this.#randomId = randomId;
  }

  async stage(threadId: string, blobs: readonly HashedBytes[]): Promise<StagedBlobs> {
    const missing = blobs.filter(({ hash }) => this.#rows.find(threadId, hash) === undefined);
    const bucket = this.#bucket;
    if (bucket === undefined)
      return this.#staged(threadId, await Promise.all(missing.map((blob) => this.#inParts(blob))));
    const uploads = missing.map((blob) => ({ blob, upload: this.#upload(bucket, threadId, blob) }));
    const results = await Promise.allSettled(uploads.map(({ upload }) => upload.row));
    const uploaded: StagedBlob[] = [];
    for (const [index, { blob }] of uploads.entries()) {
      const result = results[index];
      if (result?.status === "fulfilled") uploaded.push({ hash: blob.hash, row: result.value });
    }
    const staged = this.#staged(threadId, uploaded);
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
    return chain(this.#stored(threadId, hash, row), (bytes) => this.#opened(hash, row.type, bytes));
  }

  /** Removes the rows of a thread, in a transaction; what is returned removes its objects and comes after it. */
  deleteThread(threadId: string): () => Promise<void> {
    const objects = this.#rows.inBucket(threadId);
    this.#rows.deleteThread(threadId);
    return async () => {
      if (objects.length > 0) await this.#bucket?.delete(objects);
    };
  }

  #stored(threadId: string, hash: string, { generation, size }: BlobRow): MaybePromise<Uint8Array> {
    if (generation === null) return joined(this.#rows.parts(threadId, hash), size);
    if (this.#bucket !== undefined) return this.#bucket.get(hash, generation);
    throw new StorageError("blob_unavailable", `The blob ${hash} is in a bucket, but none is configured.`, {
      details: { hash },
    });
  }

  #opened(hash: string, type: string | null, stored: Uint8Array): MaybePromise<Uint8Array> {
    if (type === null) return stored;
    return chain(this.#serde.loadsTyped(type, stored), (bytes) => {
      if (bytes instanceof Uint8Array) return bytes;
      throw new UndecodableError(`the blob ${hash} holds something else than bytes`, { details: { hash } });
    });
  }

  async #sealed({ bytes, isEncoded }: HashedBytes): Promise<SealedBytes> {
    if (isEncoded || this.#serde.fingerprint === undefined) return { type: null, bytes };
    const [type, data] = await this.#serde.dumpsTyped(bytes);
    return { type, bytes: data };
  }

  #staged(threadId: string, blobs: readonly StagedBlob[]): StagedBlobs {
    return {
      commit: () => {
        for (const { hash, row, bytes } of blobs) {
          // Another writer may have committed the same bytes since they were staged.
          if (this.#rows.find(threadId, hash) !== undefined) continue;
          this.#rows.insert(threadId, hash, row);
          if (bytes !== undefined) this.#rows.insertParts(threadId, hash, bytes);
        }
      },
      release: () => {
        for (const { hash } of blobs) this.#release(threadId, hash);
      },
    };
  }

  async #inParts(blob: HashedBytes): Promise<StagedBlob> {
    const { type, bytes } = await this.#sealed(blob);
    return { hash: blob.hash, row: { generation: null, size: bytes.length, type }, bytes };
  }

  #upload(bucket: BlobBucket, threadId: string, blob: HashedBytes): Upload {
    const key = uploadKey(threadId, blob.hash);
    const current = this.#uploads.get(key);
    if (current !== undefined) {
      current.users += 1;
      return current;
    }
    const upload = { row: this.#put(bucket, blob), users: 1 };
    this.#uploads.set(key, upload);
    return upload;
  }

  async #put(bucket: BlobBucket, blob: HashedBytes): Promise<BlobRow> {
    const { type, bytes } = await this.#sealed(blob);
    const generation = this.#randomId();
    await bucket.put(blob.hash, generation, bytes);
    return { generation, size: bytes.length, type };
  }

  #release(threadId: string, hash: string): void {
    const key = uploadKey(threadId, hash);
    const upload = this.#uploads.get(key);
    if (upload === undefined) return;
    upload.users -= 1;
    if (upload.users === 0) this.#uploads.delete(key);
  }
}

/** Bytes of a value, named by what the serializer says. */
export async function hashBytes(serde: SerializerProtocol, bytes: Uint8Array): Promise<HashedBytes> {
  return { hash: toHex((await serde.fingerprint?.(bytes)) ?? (await sha256(bytes))), bytes };
}

/** Bytes that the serializer has written. */
export async function hashEncoded(bytes: Uint8Array): Promise<HashedBytes> {
  return { hash: toHex(await sha256(bytes)), bytes, isEncoded: true };
}

async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
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
