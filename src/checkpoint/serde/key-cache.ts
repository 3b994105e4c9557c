const SLOTS = 512;
const MAX_LENGTH = 48;

/** Finds the strings of short ASCII keys by their bytes: the same few keys come up in every message. */
export class KeyCache {
  /** Most of them stay empty: a serializer is made for each object. */
  readonly #slots: (string | undefined)[] = [];

  find(bytes: Uint8Array, start: number, size: number): string | undefined {
    if (size > MAX_LENGTH) return undefined;
    const candidate = this.#slots[slotOf(bytes, start, size)];
    if (candidate === undefined || candidate.length !== size) return undefined;
    for (let index = 0; index < size; index++) {
      if (candidate.charCodeAt(index) !== bytes[start + index]) return undefined;
    }
    return candidate;
  }

  /** Returns the key. Only ASCII is kept, where characters and bytes are the same. */
  keep(bytes: Uint8Array, start: number, key: string): string {
    if (key.length <= MAX_LENGTH && isAscii(key)) this.#slots[slotOf(bytes, start, key.length)] = key;
    return key;
  }
}

function slotOf(bytes: Uint8Array, start: number, size: number): number {
  let hash = size;
  for (let at = start; at < start + size; at++) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
  return hash & (SLOTS - 1);
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}
