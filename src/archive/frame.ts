/**
 * The form of an archive: a line that names the format, then frames. A frame is the length of its record in four bytes,
 * the SHA-256 over the digest of the frame before and this record, and the record. So each frame vouches for all that
 * came before it, and damage is found where it is, before anything is done with it.
 */

/** The first bytes of a file, without the version. */
export const SIGNATURE = new TextEncoder().encode("tidemark thread archive ");
/** One byte, and a line break follows it. */
export const FORMAT_VERSION = 1;
export const LINE_BREAK = 10;
export const PREFIX_SIZE = SIGNATURE.length + 2;

export const LENGTH_SIZE = 4;
export const DIGEST_SIZE = 32;
/** In bytes. A record that says it is longer is damaged. */
export const MAX_RECORD = 40 * 1024 * 1024;

export const FIRST_DIGEST: Uint8Array<ArrayBuffer> = new Uint8Array(DIGEST_SIZE);

export async function nextDigest(digest: Uint8Array, record: Uint8Array): Promise<Uint8Array> {
  const bytes = new Uint8Array(digest.length + record.length);
  bytes.set(digest);
  bytes.set(record, digest.length);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}
