import { encode, type Encoded } from "../checkpoint/encoding.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import type { MaybePromise } from "../checkpoint/types.ts";
import type { BlobStore, StagedBlobs } from "./blob-store.ts";
import { openBody, sealBody } from "./bodies.ts";
import type { BodyInput, BodyRow } from "./body-row.ts";
import type { SharedParts } from "./shared-parts.ts";
import type { StoredValues } from "./stored-values.ts";

/** A value that is ready for its row. */
export interface StagedRecord extends StagedBlobs {
  readonly body: BodyInput;
}

/** Keeps values of any size in columns of rows that others own, as the saver keeps its bodies: what is large lies apart. */
export class RecordStore {
  readonly #serde: SerializerProtocol;
  readonly #blobs: BlobStore;
  readonly #values: StoredValues;

  readonly #stateLimit: number;

  constructor(serde: SerializerProtocol, { blobs, values, stateLimit }: SharedParts) {
    this.#serde = serde;
    this.#stateLimit = stateLimit;
    this.#blobs = blobs;
    this.#values = values;
  }

  /** `name` says in errors what the value is. Its `commit` goes into the transaction of the row. */
  async stage(threadId: string, name: string, value: unknown): Promise<StagedRecord> {
    const form = await this.#values.toStored([{ channel: name, value }], new WeakMap(), false);
    const encoded = await encode(this.#serde, form.values[0], (path) => ({ channel: name, path }));
    const sealed = await sealBody(encoded, this.#stateLimit);
    const staged = await this.#blobs.stage(threadId, [...form.blobs, ...sealed.blobs]);
    return { body: sealed.input, commit: () => staged.commit(), release: () => staged.release() };
  }

  /** As it is stored: with references to what is large. */
  async stored(threadId: string, row: BodyRow): Promise<unknown> {
    return (await openBody(this.#serde, this.#blobs, threadId, row)).value;
  }

  /** For a row elsewhere. */
  encoded(stored: unknown): MaybePromise<Encoded> {
    return encode(this.#serde, stored);
  }

  /** The hashes of the blobs that a value in stored form refers to. */
  referencesIn(stored: unknown): string[] {
    return this.#values.referencesIn(stored).map(({ hash }) => hash);
  }

  async read(threadId: string, row: BodyRow): Promise<unknown> {
    const stored = await this.stored(threadId, row);
    const [value] = await this.#values.fromStored([stored], (hash) => this.#blobs.read(threadId, hash));
    return value;
  }
}
