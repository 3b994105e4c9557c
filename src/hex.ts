const DIGITS = new TextEncoder().encode("0123456789abcdef");

/**
 * Bytes as hexadecimal digits, two each. Through bytes, because a text that grows digit by digit takes many times its size
 * while it grows.
 */
export function toHex(bytes: Uint8Array): string {
  const hex = new Uint8Array(2 * bytes.length);
  bytes.forEach((byte, index) => {
    hex[2 * index] = DIGITS[byte >> 4] ?? 0;
    hex[2 * index + 1] = DIGITS[byte & 0xf] ?? 0;
  });
  return new TextDecoder().decode(hex);
}

/** The bytes that the digits stand for. */
export function fromHex(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
