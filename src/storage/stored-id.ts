import { toHex } from "../hex.ts";
import { InvalidArgumentError } from "../errors.ts";
import { isCanonicalUuid } from "../checkpoint/ordering.ts";
import { isWellFormed } from "../checkpoint/serde/text.ts";
import { sharedBytes } from "../shared-bytes.ts";
import { bytesOfUuid } from "../uuid5.ts";

/** An id as a column has it. SQLite sorts both kinds as `compareCheckpointIds` does: text first, then bytes. */
export type StoredId = ArrayBuffer | string;

/** Above every stored id. */
export const HIGHEST_ID: Uint8Array = new Uint8Array(17).fill(0xff);

/** Below every stored id: SQLite sorts numbers before text and bytes. */
export const BELOW_ALL = 0;

export function toInput(id: StoredId): Uint8Array | string {
  return typeof id === "string" ? id : new Uint8Array(id);
}

/** A canonical UUID becomes its 16 bytes, anything else stays text. */
export function toStoredId(id: string): Uint8Array | string {
  return uuidBytes(id) ?? wellFormed("id", id);
}

export function optionalId(id: string | undefined): Uint8Array | string | null {
  return id === undefined ? null : toStoredId(id);
}

export function fromStoredId(stored: StoredId): string {
  if (typeof stored === "string") return stored;
  return toHex(new Uint8Array(stored)).replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** The last ones: a superstep writes most of its ids several times. */
const known = new Map<string, Uint8Array>();
const MOST_KNOWN = 64;

/** Undefined for any other text than a canonical UUID. Not to be changed. */
function uuidBytes(text: string): Uint8Array | undefined {
  const found = known.get(text);
  if (found !== undefined) return found;
  if (!isCanonicalUuid(text)) return undefined;
  const bytes = sharedBytes(16);
  bytes.set(bytesOfUuid(text));
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(text, bytes);
  return bytes;
}

/** Half a surrogate pair cannot be written as UTF-8: two such texts would become the same one. */
export function wellFormed(what: string, text: string): string {
  if (isWellFormed(text)) return text;
  throw new InvalidArgumentError("invalid_identifier", `The ${what} contains half of a surrogate pair.`);
}
