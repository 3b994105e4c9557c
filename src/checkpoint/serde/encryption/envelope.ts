import { UndecodableError } from "../../../errors.ts";

/**
 * Encrypted bytes: a head in the clear (version, id of the key, type of what is inside), a nonce, and what AES-GCM makes
 * of the data. The head is authenticated too. Versions are never given a new meaning, only added.
 */
const VERSION = 1;
export const NONCE_SIZE = 12;
/** What AES-GCM adds. */
const TAG_SIZE = 16;

export interface Envelope {
  readonly keyId: string;
  /** The tag under which the serializer inside reads the data. */
  readonly type: string;
  readonly head: Uint8Array<ArrayBuffer>;
  readonly nonce: Uint8Array<ArrayBuffer>;
  /** A view of the data. */
  readonly ciphertext: Uint8Array;
}

export function headOf(keyId: string, type: string): Uint8Array<ArrayBuffer> {
  const parts = [keyId, type].map((text) => new TextEncoder().encode(text));
  const head = [VERSION, ...parts.flatMap((part) => [part.length, ...part])];
  return Uint8Array.from(head);
}

export function writeEnvelope(head: Uint8Array, nonce: Uint8Array, ciphertext: ArrayBuffer): Uint8Array {
  const bytes = new Uint8Array(head.length + nonce.length + ciphertext.byteLength);
  bytes.set(head);
  bytes.set(nonce, head.length);
  bytes.set(new Uint8Array(ciphertext), head.length + nonce.length);
  return bytes;
}

/** The bytes may be anything. */
export function readEnvelope(data: Uint8Array): Envelope {
  const version = data[0];
  if (version !== undefined && version !== VERSION) {
    throw new UndecodableError(
      `it is encrypted in version ${version}, but this code reads version ${VERSION}; deploy code that knows it`,
      { details: { version } },
    );
  }
  const keyId = readText(data, 1);
  const type = readText(data, keyId.end);
  const nonceEnd = type.end + NONCE_SIZE;
  if (data.length < nonceEnd + TAG_SIZE) throw new UndecodableError("its encrypted form is cut short");
  return {
    keyId: keyId.text,
    type: type.text,
    head: data.slice(0, type.end),
    nonce: data.slice(type.end, nonceEnd),
    ciphertext: data.subarray(nonceEnd),
  };
}

function readText(data: Uint8Array, start: number): { text: string; end: number } {
  const size = data[start];
  const end = start + 1 + (size ?? 0);
  if (size === undefined || end > data.length) throw new UndecodableError("its encrypted form is cut short");
  return { text: new TextDecoder().decode(data.subarray(start + 1, end)), end };
}
