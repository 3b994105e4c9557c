import { encode } from "../checkpoint/encoding.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import { BlobBucket } from "./blob-bucket.ts";
import { BlobStore, type StagedBlobs } from "./blob-store.ts";
import { openBody, sealBody } from "./bodies.ts";
import type { BodyInput, BodyRow } from "./checkpoint-rows.ts";
import { DEFAULT_INLINE_LIMIT } from "./limits.ts";
import { Sql } from "./sql.ts";
import { StoredValues } from "./stored-values.ts";

export interface RecordStoreOptions {
  readonly sql: SqlStorage;
  readonly serde: SerializerProtocol;
  readonly bucket?: R2Bucket;
  readonly prefix: string;
  readonly inlineLimit?: number;
  readonly randomId: () => string;
}

/** A value that is ready for its row. */
export interface StagedRecord extends StagedBlobs {
  readonly body: BodyInput;
}

/** Keeps values of any size in columns of rows that others own, as the saver keeps its bodies: what is large lies apart. */
export class RecordStore {
  readonly #serde: SerializerProtocol;
  readonly #blobs: BlobStore;
  readonly #values: StoredValues;

  constructor(options: RecordStoreOptions) {
    const bucket = options.bucket && new BlobBucket(options.bucket, options.prefix);
    this.#serde = options.serde;
    this.#blobs = new BlobStore(new Sql(options.sql), bucket, options.serde, options.randomId);
    this.#values = new StoredValues(options.serde, options.inlineLimit ?? DEFAULT_INLINE_LIMIT);
  }

  /** `name` says in errors what the value is. Its `commit` goes into the transaction of the row. */
  async stage(threadId: string, name: string, value: unknown): Promise<StagedRecord> {
    const form = await this.#values.toStored([{ channel: name, value }], new WeakMap(), false);
    const encoded = await encode(this.#serde, form.values[0]?.value, (path) => ({ channel: name, path }));
    const sealed = await sealBody(encoded);
    const staged = await this.#blobs.stage(threadId, [...form.blobs, ...sealed.blobs]);
    return { body: sealed.input, commit: () => staged.commit(), release: () => staged.release() };
  }

  async read(threadId: string, row: BodyRow): Promise<unknown> {
    const { value: stored } = await openBody(this.#serde, this.#blobs, threadId, row);
    const [value] = await this.#values.fromStored([stored], (hash) => this.#blobs.read(threadId, hash));
    return value;
  }
}
