import { encode, type Encoded } from "../checkpoint/encoding.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
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
    const encoded = await encode(this.#serde, form.values[0]?.value, (path) => ({ channel: name, path }));
    const sealed = await sealBody(encoded, this.#stateLimit);
    const staged = await this.#blobs.stage(threadId, [...form.blobs, ...sealed.blobs]);
    return { body: sealed.input, commit: () => staged.commit(), release: () => staged.release() };
  }

  /**
   * What a row elsewhere is to have instead; undefined where `change` is. It is given the value with references to what lies
   * apart.
   */
  async changed(
    threadId: string,
    row: BodyRow,
    change: (stored: unknown) => unknown,
  ): Promise<Encoded | undefined> {
    const { value: stored } = await openBody(this.#serde, this.#blobs, threadId, row);
    const changed = change(stored);
    return changed === undefined ? undefined : encode(this.#serde, changed);
  }

  async read(threadId: string, row: BodyRow): Promise<unknown> {
    const { value: stored } = await openBody(this.#serde, this.#blobs, threadId, row);
    const [value] = await this.#values.fromStored([stored], (hash) => this.#blobs.read(threadId, hash));
    return value;
  }
}
