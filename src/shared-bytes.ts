const SIZE = 16 * 1024;
const MOST = 1024;

let memory = new ArrayBuffer(0);
let used = 0;

/**
 * Bytes to be filled. Few have their place in memory that others share: an array takes longer to get memory of its own, or to
 * lay it open to the platform, than a row takes to be stored. Nobody may look at the buffer.
 */
export function sharedBytes(size: number): Uint8Array {
  if (size > MOST) return new Uint8Array(size);
  if (used + size > memory.byteLength) {
    memory = new ArrayBuffer(SIZE);
    used = 0;
  }
  used += size;
  return new Uint8Array(memory, used - size, size);
}
