/** The bytes that hexadecimal digits, two each, stand for. */
export function bytesOfHex(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}
