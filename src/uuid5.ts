import { sha1Words } from "./sha1.ts";

/** Character codes of the one that is made: put together piece by piece, it would be as many texts. */
const text = Array.from("00000000-0000-0000-0000-000000000000", (character) => character.charCodeAt(0));
const HYPHEN = 45;

/**
 * A UUID of version 5: the same name under the same UUID always gives the same id. LangGraph's first checkpoint of a
 * thread has an id that the RFC does not allow (variant `f`), so the namespace is taken as 16 bytes without a check.
 */
export function uuid5(name: string, namespace: string): string {
  const words = sha1Words(bytesOfUuid(namespace), name);
  words[1] = ((words[1] ?? 0) & ~0xf000) | 0x5000;
  words[2] = ((words[2] ?? 0) & 0x3fffffff) | 0x80000000;
  let digit = 0;
  for (let position = 0; position < text.length; position++) {
    if (text[position] === HYPHEN) continue;
    const value = ((words[digit >> 3] ?? 0) >>> (28 - 4 * (digit & 7))) & 15;
    text[position] = value < 10 ? 48 + value : 87 + value;
    digit += 1;
  }
  return String.fromCharCode(...text);
}

/** Of its digits, wherever the hyphens are. */
export function bytesOfUuid(uuid: string): Uint8Array {
  const bytes = new Uint8Array(16);
  let position = 0;
  let high = -1;
  for (let index = 0; index < uuid.length && position < 16; index++) {
    const digit = hexDigit(uuid.charCodeAt(index));
    if (digit < 0) continue;
    if (high < 0) high = digit;
    else {
      bytes[position++] = 16 * high + digit;
      high = -1;
    }
  }
  return bytes;
}

/** Of a character code; -1 for what is no digit. */
function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
