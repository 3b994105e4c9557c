/** SHA-1 of a short text's UTF-8 bytes after a prefix, in hexadecimal digits. */
export function sha1(prefix: Uint8Array, text: string): string {
  return Array.from(sha1Words(prefix, text), (sum) => (sum >>> 0).toString(16).padStart(8, "0")).join("");
}

/**
 * The same as five words: what a UUID of version 5 is made of. Task ids are made for every task of every superstep, and the
 * platforms' own hashes cost several times as much for so few bytes.
 *
 * It goes on from where the hash before came to with the blocks that are the same: what one task calls differs in its
 * last block only.
 */
export function sha1Words(prefix: Uint8Array, text: string): Int32Array {
  [last, before] = [before, last];
  pad(last, prefix, text);
  const { view, states, blocks } = last;
  const known = blocksAlike(last, before);
  const state = known === 0 ? INITIAL.slice() : before.states.slice(5 * known - 5, 5 * known);
  if (known > 0) states.set(before.states.subarray(0, 5 * known));
  for (let block = known; block < blocks; block++) {
    addBlock(state, view, 64 * block);
    states.set(state, 5 * block);
  }
  return state;
}

/** A text with its padding, and the hash after each of its blocks. */
interface Hashed {
  bytes: Uint8Array;
  view: DataView;
  states: Int32Array;
  blocks: number;
}

const INITIAL = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
const encoder = new TextEncoder();

/** What a hash works in. It is made within one call, so that one of each is enough. */
const words = new Int32Array(80);
let last = roomFor(4);
let before = roomFor(4);

function roomFor(blocks: number): Hashed {
  const bytes = new Uint8Array(64 * blocks);
  return { bytes, view: new DataView(bytes.buffer), states: new Int32Array(5 * blocks), blocks: 0 };
}

function blocksAlike(left: Hashed, right: Hashed): number {
  const most = 64 * Math.min(left.blocks, right.blocks);
  let same = 0;
  while (same < most && left.bytes[same] === right.bytes[same]) same += 1;
  return same >> 6;
}

/** Puts the message and its padding into place. */
function pad(hashed: Hashed, prefix: Uint8Array, text: string): void {
  const most = Math.ceil((prefix.length + 3 * text.length + 9) / 64);
  if (hashed.bytes.length < 64 * most) Object.assign(hashed, roomFor(most));
  const { bytes } = hashed;
  bytes.set(prefix);
  const end = prefix.length + writeText(bytes, text, prefix.length);
  hashed.blocks = Math.ceil((end + 9) / 64);
  const length = 64 * hashed.blocks;
  bytes[end] = 0x80;
  bytes.fill(0, end + 1, length);
  // The length in bits: a text is never so long that it would take more than these four bytes.
  hashed.view.setUint32(length - 4, end * 8);
}

/** Returns how many bytes it wrote. */
function writeText(bytes: Uint8Array, text: string, offset: number): number {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return encoder.encodeInto(text, bytes.subarray(offset)).written;
    bytes[offset + index] = code;
  }
  return text.length;
}

/** A loop for each of the four functions: one that asks in each of its 80 rounds which it is takes twice as long. */
function addBlock(state: Int32Array, view: DataView, offset: number): void {
  expand(view, offset);
  let a = state[0] ?? 0;
  let b = state[1] ?? 0;
  let c = state[2] ?? 0;
  let d = state[3] ?? 0;
  let e = state[4] ?? 0;
  for (let round = 0; round < 20; round++) {
    const mixed = (rotate(a, 5) + ((b & c) | (~b & d)) + 0x5a827999 + e + word(round)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = mixed;
  }
  for (let round = 20; round < 40; round++) {
    const mixed = (rotate(a, 5) + (b ^ c ^ d) + 0x6ed9eba1 + e + word(round)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = mixed;
  }
  for (let round = 40; round < 60; round++) {
    const mixed = (rotate(a, 5) + ((b & c) | (b & d) | (c & d)) - 0x70e44324 + e + word(round)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = mixed;
  }
  for (let round = 60; round < 80; round++) {
    const mixed = (rotate(a, 5) + (b ^ c ^ d) - 0x359d3e2a + e + word(round)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = mixed;
  }
  state[0] = (state[0] ?? 0) + a;
  state[1] = (state[1] ?? 0) + b;
  state[2] = (state[2] ?? 0) + c;
  state[3] = (state[3] ?? 0) + d;
  state[4] = (state[4] ?? 0) + e;
}

/** The words of the rounds, from the block at the offset. */
function expand(view: DataView, offset: number): void {
  for (let index = 0; index < 16; index++) words[index] = view.getInt32(offset + 4 * index);
  for (let index = 16; index < 80; index++) {
    words[index] = rotate(word(index - 3) ^ word(index - 8) ^ word(index - 14) ^ word(index - 16), 1);
  }
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** All indexes are inside the bounds that the algorithm keeps. */
function word(index: number): number {
  return words[index] ?? 0;
}
