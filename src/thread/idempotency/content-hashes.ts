import { chain } from "../../checkpoint/maybe-promise.ts";
import type { SerializerProtocol } from "../../checkpoint/serde/protocol.ts";
import type { MaybePromise } from "../../checkpoint/types.ts";
import { fromHex, toHex } from "../../hex.ts";
import type { Idempotency } from "../call.ts";

/** How content that may be guessed is named in a row, in hex digits. */
export interface ContentHashes {
  readonly hash: string;
  /** What it may have been named before: with another key, or with none. */
  readonly earlier: readonly string[];
}

/** Of content with this SHA-256: where values are encrypted, an HMAC of it. Answers at once where they are not. */
export function contentHashes(serde: SerializerProtocol, sha256: string): MaybePromise<ContentHashes> {
  return chain(serde.fingerprints?.(fromHex(sha256)) ?? [], (fingerprints) => {
    const [hash, ...others] = fingerprints.map(toHex);
    return hash === undefined ? { hash: sha256, earlier: [] } : { hash, earlier: [...others, sha256] };
  });
}

/** What a key stands for, named as the rows name it. */
export type HashedKey = Idempotency & ContentHashes;

export function hashedKey(serde: SerializerProtocol, idempotency: Idempotency): MaybePromise<HashedKey>;
export function hashedKey(
  serde: SerializerProtocol,
  idempotency: Idempotency | undefined,
): MaybePromise<HashedKey | undefined>;
export function hashedKey(
  serde: SerializerProtocol,
  idempotency: Idempotency | undefined,
): MaybePromise<HashedKey | undefined> {
  return (
    idempotency && chain(contentHashes(serde, idempotency.hash), (hashes) => ({ ...idempotency, ...hashes }))
  );
}
