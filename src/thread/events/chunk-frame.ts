import { UndecodableError } from "../../errors.ts";

/** Chunks of bytes one after the other, each behind its length: what a row holds may be added to. */

const LENGTH_SIZE = 4;

export function frameChunk(bytes: Uint8Array): Uint8Array {
  const framed = new Uint8Array(LENGTH_SIZE + bytes.byteLength);
  new DataView(framed.buffer).setUint32(0, bytes.byteLength);
  framed.set(bytes, LENGTH_SIZE);
  return framed;
}

/** `more` gives the bytes that follow on these, when the last chunk is longer than they are. */
export function unframeChunks(bytes: Uint8Array, more: () => Uint8Array | undefined): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let rest = bytes;
  while (rest.byteLength > 0) {
    const length = new DataView(rest.buffer, rest.byteOffset, LENGTH_SIZE).getUint32(0);
    const end = LENGTH_SIZE + length;
    if (rest.byteLength < end) rest = complete(rest, end, more);
    chunks.push(rest.subarray(LENGTH_SIZE, end));
    rest = rest.subarray(end);
  }
  return chunks;
}

function complete(start: Uint8Array, size: number, more: () => Uint8Array | undefined): Uint8Array {
  const whole = new Uint8Array(size);
  whole.set(start);
  for (let offset = start.byteLength; offset < size;) {
    const part = more();
    if (part === undefined) throw new UndecodableError("an event of the log ends before its end");
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}
