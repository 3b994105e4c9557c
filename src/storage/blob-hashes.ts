import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import { toHex } from "../hex.ts";

export interface HashedBytes {
  /** Hex digits: SHA-256, or the fingerprint of a serializer that encrypts. */
  readonly hash: string;
  readonly bytes: Uint8Array;
  /** The serializer has written them: they are stored as they are, and read by whoever knows their type. */
  readonly isEncoded?: true;
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

/** Whether a blob is what its name says. Undefined for what is encrypted and cannot be read here: nobody can tell. */
export async function isNamedRight(
  serde: SerializerProtocol,
  hash: string,
  type: string | null,
  stored: Uint8Array,
): Promise<boolean | undefined> {
  const names = type === null ? [await sha256(stored)] : await namesOf(serde, type, stored);
  return names?.some((name) => toHex(name) === hash);
}

/** Undefined where nobody can tell. */
async function namesOf(
  serde: SerializerProtocol,
  type: string,
  stored: Uint8Array,
): Promise<readonly Uint8Array[] | undefined> {
  try {
    const bytes = await serde.loadsTyped(type, stored);
    return bytes instanceof Uint8Array ? serde.fingerprints?.(bytes) : undefined;
  } catch {
    return undefined;
  }
}
