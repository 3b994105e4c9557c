import { sha1 } from "./sha1.ts";

/**
 * A UUID of version 5: the same name under the same UUID always gives the same id. LangGraph's first checkpoint of a
 * thread has an id that the RFC does not allow (variant `f`), so the namespace is taken as 16 bytes without a check.
 */
export function uuid5(name: string, namespace: string): string {
  const digits = sha1(bytesOfUuid(namespace), name);
  const variant = "89ab"[Number.parseInt(digits.charAt(16), 16) & 3];
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-5${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
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
