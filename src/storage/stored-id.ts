import { InvalidArgumentError } from "../errors.ts";
import { isWellFormed } from "../checkpoint/serde/text.ts";

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
  const digits = toHex(new Uint8Array(stored));
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20),
  ].join("-");
}

export function toHex(bytes: Uint8Array): string {
  let digits = "";
  for (const byte of bytes) digits += BYTE_DIGITS[byte];
  return digits;
}

export function fromHex(digits: string): Uint8Array {
  const bytes = new Uint8Array(digits.length / 2);
  for (let index = 0; index < bytes.length; index++) {
    bytes[index] = (digitAt(digits, 2 * index) << 4) | digitAt(digits, 2 * index + 1);
  }
  return bytes;
}

/** Undefined for any other text than a canonical UUID. In one pass: a row has several. */
function uuidBytes(text: string): Uint8Array | undefined {
  if (text.length !== 36) return undefined;
  const bytes = new Uint8Array(16);
  let index = 0;
  for (let position = 0; position < bytes.length; position++) {
    const isGroup = position === 4 || position === 6 || position === 8 || position === 10;
    if (isGroup && text.charCodeAt(index++) !== HYPHEN) return undefined;
    const high = digitAt(text, index++);
    const low = digitAt(text, index++);
    if (high < 0 || low < 0) return undefined;
    bytes[position] = (high << 4) | low;
  }
  return bytes;
}

/** Half a surrogate pair cannot be written as UTF-8: two such texts would become the same one. */
export function wellFormed(what: string, text: string): string {
  if (isWellFormed(text)) return text;
  throw new InvalidArgumentError("invalid_identifier", `The ${what} contains half of a surrogate pair.`);
}

const BYTE_DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

const HYPHEN = "-".charCodeAt(0);

/** By the code of the character; -1 for what is no lower-case hex digit. */
const DIGIT_VALUES = Int8Array.from({ length: 128 }, (_, code) =>
  "0123456789abcdef".indexOf(String.fromCharCode(code)),
);

function digitAt(digits: string, index: number): number {
  return DIGIT_VALUES[digits.charCodeAt(index)] ?? -1;
}
