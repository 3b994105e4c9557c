import { toHex } from "../../hex.ts";

/** One byte of sign, then the magnitude, most significant byte first. */
export function bigintBytes(value: bigint): Uint8Array {
  const negative = value < 0n;
  const digits = (negative ? -value : value).toString(16);
  const hex = digits.length % 2 === 0 ? digits : `0${digits}`;
  const bytes = new Uint8Array(1 + hex.length / 2);
  bytes[0] = negative ? 1 : 0;
  for (let index = 1; index < bytes.length; index++)
    bytes[index] = Number.parseInt(hex.slice(2 * index - 2, 2 * index), 16);
  return bytes;
}

export function bigintOf(bytes: Uint8Array): bigint {
  const sign = bytes[0];
  if (bytes.length < 2 || (sign !== 0 && sign !== 1))
    throw new RangeError("a BigInt has no sign or no digits");
  const absolute = BigInt(`0x${toHex(bytes.subarray(1))}`);
  return sign === 1 ? -absolute : absolute;
}
