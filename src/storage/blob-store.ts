import { UndecodableError } from "../errors.ts";
import { chain } from "../checkpoint/maybe-promise.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import type { MaybePromise } from "../checkpoint/types.ts";
import { BlobBucket, noBucket, type BlobObject } from "./blob-bucket.ts";
import { BlobRows, type BlobRow, type StoredBlob } from "./blob-rows.ts";
import type { LazyTables } from "./lazy-tables.ts";
import type { HashedBytes } from "./blob-hashes.ts";

/** The type of bytes as they are. */
const BYTES = "bytes";

/** Bytes in the form in which they are stored. */
interface SealedBytes {
  readonly type: string | null;
  readonly bytes: Uint8Array;
}

/** Blobs that are ready to be referred to. */
export interface StagedBlobs {
  /** Writes their rows; in the transaction of the row that refers to them. */
  commit(): void;
  /** Afterwards, also after a failure: objects that were put and that no row names are removed. */
  release(): MaybePromise<void>;
}

/** A blob whose bytes are where its row will say. */
interface StagedBlob {
  readonly hash: string;
  readonly row: BlobRow;
  /** Those that go into `parts`. */
  readonly bytes?: Uint8Array;
}

interface Upload {
  readonly generation: string;
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
  /** How many writers rely on a row that is there, between their stage and their commit. */
  readonly #pins = new Map<string, number>();
  #commits = 0;

  constructor(
    tables: LazyTables,
    bucket: BlobBucket | undefined,
    serde: SerializerProtocol,
    randomId: () => string,
  ) {
    this.#rows = new BlobRows(tables);
    this.#bucket = bucket;
    this.#serde = serde;
    this.#randomId = randomId;
  }

  /** Counts the commits that may refer to blobs. */
  get commits(): number {
    return this.#commits;
  }

  noteCommit(): void {
    this.#commits += 1;
  }

  async stage(threadId: string, blobs: readonly HashedBytes[]): Promise<StagedBlobs> {
    const missing: HashedBytes[] = [];
    const pinned: HashedBytes[] = [];
    for (const blob of blobs) {
      const isThere = this.#rows.find(threadId, blob.hash) !== undefined;
      (isThere ? pinned : missing).push(blob);
    }
    for (const { hash } of pinned) this.#pin(threadId, hash, 1);
    const bucket = this.#bucket;
    const uploads =
      bucket === undefined
        ? []
        : missing.map((blob) => ({ blob, upload: this.#upload(bucket, threadId, blob) }));
    const release = (): MaybePromise<void> => {
      for (const { hash } of pinned) this.#pin(threadId, hash, -1);
      const left = uploads.flatMap(({ blob }) => this.#release(threadId, blob.hash) ?? []);
      return left.length === 0 ? undefined : this.#deleteLeft(left);
    };
    try {
      const staged =
        bucket === undefined
          ? await Promise.all(missing.map((blob) => this.#inParts(blob)))
          : await uploaded(uploads);
      return { commit: () => this.#commit(threadId, staged), release };
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** The bytes of a large value. Answers at once when they are in SQLite, and not encrypted. */
  read(threadId: string, hash: string): MaybePromise<Uint8Array> {
    const row = this.#rows.require(threadId, hash);
    return chain(this.#stored(threadId, hash, row), (bytes) => this.#opened(hash, row.type, bytes));
  }

  /** What the serializer has written of a body, to be read by it. */
  readEncoded(threadId: string, hash: string): MaybePromise<Uint8Array> {
    return this.#stored(threadId, hash, this.#rows.require(threadId, hash));
  }

  hasAny(threadId: string): boolean {
    return this.#rows.ofThread(threadId).length > 0;
  }

  /** Removes the rows of a thread, in a transaction; what is returned removes its objects and comes after it. */
  deleteThread(threadId: string): () => Promise<void> {
    const blobs = this.#rows.ofThread(threadId);
    this.#rows.deleteThread(threadId);
    return () => this.#deleteObjects(blobs);
  }

  /**
   * Removes the rows of the blobs that nothing refers to and no writer relies on, in a transaction; what is returned
   * removes their objects and comes after it. Whoever writes the same bytes meanwhile puts an object of its own.
   * Undefined when there are none.
   */
  drop(threadId: string, isReferredTo: (hash: string) => boolean): (() => Promise<void>) | undefined {
    const unused = this.#rows.ofThread(threadId).filter(({ hash }) => {
      const key = uploadKey(threadId, hash);
      return !isReferredTo(hash) && !this.#pins.has(key) && !this.#uploads.has(key);
    });
    for (const { hash } of unused) this.#rows.delete(threadId, hash);
    return unused.length === 0 ? undefined : () => this.#deleteObjects(unused);
  }

  copyThread(source: string, target: string): void {
    this.#rows.copyThread(source, target);
  }

  /** Removes the objects that no row names and nobody is about to name: of commits that failed, and crashes. */
  async sweep(): Promise<void> {
    const bucket = this.#bucket;
    if (bucket === undefined) return;
    for await (const page of bucket.list()) {
      // What is decided in this turn cannot change later: no object that was left is ever named again.
      const named = this.#rows.generations();
      for (const { generation } of this.#uploads.values()) named.add(generation);
      const left = page.filter(({ generation }) => !named.has(generation));
      if (left.length > 0) await bucket.delete(left);
    }
  }

  async #deleteObjects(blobs: readonly StoredBlob[]): Promise<void> {
    const named = this.#rows.generations();
    const objects = blobs.flatMap(({ hash, generation }) => {
      return generation === null || named.has(generation) ? [] : [{ hash, generation }];
    });
    if (objects.length > 0) await this.#bucket?.delete(objects);
  }

  #stored(threadId: string, hash: string, { generation, size }: BlobRow): MaybePromise<Uint8Array> {
    if (generation === null) {
      const bytes = this.#rows.bytes(threadId, hash, size);
      if (bytes instanceof Uint8Array) return bytes;
      throw incomplete(hash, bytes, size);
    }
    if (this.#bucket === undefined) throw noBucket(hash);
    return this.#bucket.get(hash, generation).then((bytes) => {
      if (bytes.length === size) return bytes;
      throw incomplete(hash, bytes.length, size);
    });
  }

  #opened(hash: string, type: string | null, stored: Uint8Array): MaybePromise<Uint8Array> {
    // One that encrypts says whether it takes bytes that nobody has encrypted.
    if (type === null && this.#serde.fingerprint === undefined) return stored;
    return chain(this.#serde.loadsTyped(type ?? BYTES, stored), (bytes) => {
      if (bytes instanceof Uint8Array) return bytes;
      throw new UndecodableError(`the blob ${hash} holds something else than bytes`, { details: { hash } });
    });
  }

  async #sealed({ bytes, isEncoded }: HashedBytes): Promise<SealedBytes> {
    if (isEncoded || this.#serde.fingerprint === undefined) return { type: null, bytes };
    const [type, data] = await this.#serde.dumpsTyped(bytes);
    return { type, bytes: data };
  }

  #commit(threadId: string, blobs: readonly StagedBlob[]): void {
    this.noteCommit();
    for (const { hash, row, bytes } of blobs) {
      // Another writer may have committed the same bytes since they were staged.
      if (this.#rows.find(threadId, hash) !== undefined) continue;
      this.#rows.insert(threadId, hash, row);
      if (bytes !== undefined) this.#rows.insertParts(threadId, hash, bytes);
    }
  }

  #pin(threadId: string, hash: string, change: number): void {
    const key = uploadKey(threadId, hash);
    const count = (this.#pins.get(key) ?? 0) + change;
    if (count === 0) this.#pins.delete(key);
    else this.#pins.set(key, count);
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
    const generation = this.#randomId();
    const upload = { generation, row: this.#put(bucket, blob, generation), users: 1 };
    this.#uploads.set(key, upload);
    return upload;
  }

  async #put(bucket: BlobBucket, blob: HashedBytes, generation: string): Promise<BlobRow> {
    const { type, bytes } = await this.#sealed(blob);
    await bucket.put(blob.hash, generation, bytes);
    return { generation, size: bytes.length, type };
  }

  /** The object, when nobody is about to name it any more, and no row does. */
  #release(threadId: string, hash: string): BlobObject | undefined {
    const key = uploadKey(threadId, hash);
    const upload = this.#uploads.get(key);
    if (upload === undefined) return undefined;
    upload.users -= 1;
    if (upload.users > 0) return undefined;
    this.#uploads.delete(key);
    const { generation } = upload;
    const isNamed =
      this.#rows.find(threadId, hash)?.generation === generation || this.#rows.generations().has(generation);
    return isNamed ? undefined : { hash, generation };
  }

  /** What cannot be deleted now is found by the next sweep: whoever put it has another error to tell. */
  async #deleteLeft(objects: readonly BlobObject[]): Promise<void> {
    await this.#bucket?.delete(objects).catch(() => undefined);
  }
}

/** Waits for all of them, also when one fails: none is left behind unheard. */
async function uploaded(
  uploads: readonly { readonly blob: HashedBytes; readonly upload: Upload }[],
): Promise<StagedBlob[]> {
  const rows = uploads.map(async ({ blob, upload }) => ({ hash: blob.hash, row: await upload.row }));
  const results = await Promise.allSettled(rows);
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}

function uploadKey(threadId: string, hash: string): string {
  return `${hash} ${threadId}`;
}

function incomplete(hash: string, found: number, size: number): UndecodableError {
  return new UndecodableError(`the blob ${hash} has ${found} bytes, not ${size}`, { details: { hash } });
}
