/**
 * SHA-1 of a short text's UTF-8 bytes after a prefix of 16 bytes: what a UUID of version 5 is made of. Task ids are made for
 * every task of every superstep, and the platforms' own hashes cost several times as much for so few bytes.
 */
export function sha1(prefix: Uint8Array, text: string): Uint8Array {
  const message = padded(prefix, encoder.encode(text));
  const state = new Int32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]);
  const view = new DataView(message.buffer);
  for (let offset = 0; offset < message.length; offset += 64) addBlock(state, view, offset);
  const digest = new Uint8Array(20);
  const out = new DataView(digest.buffer);
  for (let index = 0; index < 5; index++) out.setInt32(4 * index, at(state, index));
  return digest;
}

const encoder = new TextEncoder();
/** The expanded words of one block. */
const words = new Int32Array(80);

function padded(prefix: Uint8Array, text: Uint8Array): Uint8Array {
  const length = prefix.length + text.length;
  const message = new Uint8Array(Math.ceil((length + 9) / 64) * 64);
  message.set(prefix);
  message.set(text, prefix.length);
  message[length] = 0x80;
  const view = new DataView(message.buffer);
  view.setUint32(message.length - 8, Math.floor(length / 2 ** 29));
  view.setUint32(message.length - 4, length * 8);
  return message;
}

function addBlock(state: Int32Array, view: DataView, offset: number): void {
  for (let index = 0; index < 16; index++) words[index] = view.getInt32(offset + 4 * index);
  for (let index = 16; index < 80; index++) {
    words[index] = rotate(
      at(words, index - 3) ^ at(words, index - 8) ^ at(words, index - 14) ^ at(words, index - 16),
      1,
    );
  }
  let [a, b, c, d, e] = [at(state, 0), at(state, 1), at(state, 2), at(state, 3), at(state, 4)];
  for (let round = 0; round < 80; round++) {
    const mixed = (rotate(a, 5) + mix(round, b, c, d) + e + at(words, round)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = mixed;
  }
  state[0] = (at(state, 0) + a) | 0;
  state[1] = (at(state, 1) + b) | 0;
  state[2] = (at(state, 2) + c) | 0;
  state[3] = (at(state, 3) + d) | 0;
  state[4] = (at(state, 4) + e) | 0;
}

/** The function and the constant of a round. */
function mix(round: number, b: number, c: number, d: number): number {
  if (round < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (round < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (round < 60) return ((b & c) | (b & d) | (c & d)) - 0x70e44324;
  return (b ^ c ^ d) - 0x359d3e2a;
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** Inside the bounds that the algorithm keeps. */
function at(array: Int32Array, index: number): number {
  return array[index] ?? 0;
}
