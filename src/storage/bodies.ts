import { encode } from "../checkpoint/encoding.ts";
import type { Encoded } from "../checkpoint/encoding.ts";
import { chain, isPromise } from "../checkpoint/maybe-promise.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import type { MaybePromise } from "../checkpoint/types.ts";
import { UnserializableError, ValueTooLargeError } from "../errors.ts";
import { hashEncoded } from "./blob-hashes.ts";
import type { HashedBytes } from "./blob-hashes.ts";
import type { BlobStore } from "./blob-store.ts";
import type { BodyInput, BodyRow } from "./body-row.ts";
import { MAX_INLINE_BODY } from "./limits.ts";
import { fromHex, toHex } from "../hex.ts";

/** An encoded body as its row has it, and the blob that is to be staged for it. */
export interface SealedBody {
  readonly input: BodyInput;
  readonly blobs: readonly HashedBytes[];
}

/**
 * Encodes what is made of the values of channels. The path to what cannot be stored is one through the body: it is found again in the
 * value of its channel. `isBare`: all lists in it are our own, or were adopted.
 */
export function encodeBody(
  serde: SerializerProtocol,
  body: unknown,
  isBare: boolean,
  values: () => Iterable<readonly [channel: string, value: unknown]>,
): MaybePromise<Encoded> {
  const explain = (error: unknown): MaybePromise<never> => {
    if (!(error instanceof UnserializableError)) throw error;
    let checking: MaybePromise<unknown> = undefined;
    for (const [channel, value] of values()) {
      checking = chain(checking, () => encode(serde, value, (path) => ({ channel, path })));
    }
    return chain(checking, () => {
      throw error;
    });
  };
  try {
    const encoding = encode(serde, body, undefined, isBare);
    return isPromise(encoding) ? encoding.catch(explain) : encoding;
  } catch (error) {
    return explain(error);
  }
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
      ? blobs.readEncoded(threadId, toHex(new Uint8Array(row.body_hash ?? new ArrayBuffer(0))))
      : new Uint8Array(row.body);
  return chain(reading, (data) =>
    chain(serde.loadsTyped(row.type, data), (value) => ({ value, size: data.length })),
  );
}
