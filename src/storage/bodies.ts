import type { Encoded } from "../checkpoint/encoding.ts";
import { chain } from "../checkpoint/maybe-promise.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import type { MaybePromise } from "../checkpoint/types.ts";
import { ValueTooLargeError } from "../errors.ts";
import { hashEncoded } from "./blob-store.ts";
import type { BlobStore, HashedBytes } from "./blob-store.ts";
import type { BodyInput, BodyRow } from "./body-row.ts";
import { MAX_INLINE_BODY } from "./limits.ts";
import { fromHex, toHex } from "./stored-id.ts";

/** An encoded body as its row has it, and the blob that is to be staged for it. */
export interface SealedBody {
  readonly input: BodyInput;
  readonly blobs: readonly HashedBytes[];
}

/** A body that is too large for its row goes to the blobs, and its hash into the row. Refuses one above the limit, in bytes. */
export function sealBody({ type, data }: Encoded, limit: number): MaybePromise<SealedBody> {
  if (data.length > limit)
    throw new ValueTooLargeError(data.length, limit, undefined, "What is to be stored");
  if (data.length <= MAX_INLINE_BODY) return { input: { type, body: data, bodyHash: null }, blobs: [] };
  return hashEncoded(data).then((blob) => ({
    input: { type, body: null, bodyHash: fromHex(blob.hash) },
    blobs: [blob],
  }));
}

export interface OpenedBody {
  readonly value: unknown;
  /** Bytes, as it is stored. */
  readonly size: number;
}

/** Decodes a body; references in it stay references. */
export function openBody(
  serde: SerializerProtocol,
  blobs: BlobStore,
  threadId: string,
  row: BodyRow,
): MaybePromise<OpenedBody> {
  const reading =
    row.body === null
      ? blobs.read(threadId, toHex(new Uint8Array(row.body_hash ?? new ArrayBuffer(0))))
      : new Uint8Array(row.body);
  return chain(reading, (data) =>
    chain(serde.loadsTyped(row.type, data), (value) => ({ value, size: data.length })),
  );
}
