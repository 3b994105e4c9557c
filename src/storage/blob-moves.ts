import { BlobBucket, noBucket } from "./blob-bucket.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import { isNamedRight } from "./blob-hashes.ts";
import { BlobRows, type StoredBlob } from "./blob-rows.ts";
import type { LazyTables } from "./lazy-tables.ts";

/** A large value that lies in the bucket. */
export interface MovedBlob {
  readonly hash: string;
  /** In bytes. */
  readonly size: number;
}

/** Takes the large values of a thread out of its bucket, and puts those of a thread that is moved here where they belong. */
export class BlobMoves {
  readonly #rows: BlobRows;
  readonly #bucket: BlobBucket | undefined;

  readonly #serde: SerializerProtocol;

  constructor(tables: LazyTables, bucket: R2Bucket | undefined, prefix: string, serde: SerializerProtocol) {
    this.#serde = serde;
    this.#rows = new BlobRows(tables);
    this.#bucket = bucket && new BlobBucket(bucket, prefix);
  }

  /** All of them, with the serializer's type where it has written the bytes. */
  all(threadId: string): readonly Pick<StoredBlob, "hash" | "type">[] {
    return this.#rows.ofThread(threadId);
  }

  /** Those that are not in the tables. */
  outside(threadId: string): MovedBlob[] {
    return this.#inBucket(threadId).map(({ hash }) => ({
      hash,
      size: this.#rows.require(threadId, hash).size,
    }));
  }

  /**
   * Whether a blob has as many bytes as its row says, and those that its hash stands for, as far as anybody can tell. `given`: unless the
   * tables have them.
   */
  async isTrue(threadId: string, hash: string, given?: Uint8Array): Promise<boolean | undefined> {
    const row = this.#rows.find(threadId, hash);
    if (row === undefined) return false;
    const bytes = given ?? this.#rows.bytes(threadId, hash, row.size);
    if (typeof bytes === "number" || bytes.length !== row.size) return false;
    return isNamedRight(this.#serde, hash, row.type, bytes);
  }

  /** The hashes of those whose object is gone. */
  async gone(threadId: string): Promise<readonly string[]> {
    const outside = this.#inBucket(threadId);
    const [first] = outside;
    if (first === undefined) return [];
    if (this.#bucket === undefined) throw noBucket(first.hash);
    const there = new Set<string | null>();
    for await (const page of this.#bucket.list()) for (const { generation } of page) there.add(generation);
    return outside.filter(({ generation }) => !there.has(generation)).map(({ hash }) => hash);
  }

  async read(threadId: string, hash: string): Promise<Uint8Array> {
    const { generation } = this.#rows.require(threadId, hash);
    if (this.#bucket !== undefined && generation !== null) return this.#bucket.get(hash, generation);
    throw noBucket(hash);
  }

  /** The row of the blob is there already, and says that the bytes are in a bucket. Where there is none, tables keep them. */
  async write(threadId: string, hash: string, bytes: Uint8Array): Promise<void> {
    const { generation } = this.#rows.require(threadId, hash);
    if (this.#bucket !== undefined && generation !== null) {
      return this.#bucket.put(hash, generation, bytes);
    }
    this.#rows.insertParts(threadId, hash, bytes);
    this.#rows.keepInParts(threadId, hash);
  }

  #inBucket(threadId: string): StoredBlob[] {
    return this.#rows.ofThread(threadId).filter(({ generation }) => generation !== null);
  }
}
