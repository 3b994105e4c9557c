/**
 * SHA-1 of a short text's UTF-8 bytes after a prefix of 16 bytes: what a UUID of version 5 is made of. Task ids are made for
 * every task of every superstep, and the platforms' own hashes cost several times as much for so few bytes.
 */
export function sha1(prefix: Uint8Array, text: string): Uint8Array {
  const length = pad(prefix, text);
  state.set(INITIAL);
  for (let offset = 0; offset < length; offset += 64) addBlock(offset);
  const digest = new Uint8Array(20);
  for (let index = 0; index < 20; index++) digest[index] = part(index >> 2) >>> (24 - 8 * (index & 3));
  return digest;
}

const INITIAL = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
const encoder = new TextEncoder();

/** What a hash works in. It is made within one call, so that one of each is enough. */
const state = new Int32Array(5);
const words = new Int32Array(80);
let message = new DataView(new ArrayBuffer(256));

/** Puts the message and its padding into place, and returns the length of both. */
function pad(prefix: Uint8Array, text: string): number {
  const most = prefix.length + 3 * text.length + 72;
  if (message.byteLength < most) message = new DataView(new ArrayBuffer(most));
  for (let index = 0; index < prefix.length; index++) message.setUint8(index, prefix[index] ?? 0);
  const end = prefix.length + writeText(text, prefix.length);
  const length = Math.ceil((end + 9) / 64) * 64;
  message.setUint8(end, 0x80);
  for (let index = end + 1; index < length; index++) message.setUint8(index, 0);
  message.setUint32(length - 8, Math.floor(end / 2 ** 29));
  message.setUint32(length - 4, end * 8);
  return length;
}

/** Returns how many bytes it wrote. */
function writeText(text: string, offset: number): number {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return encoder.encodeInto(text, new Uint8Array(message.buffer, offset)).written;
    message.setUint8(offset + index, code);
  }
  return text.length;
}

function addBlock(offset: number): void {
  for (let index = 0; index < 16; index++) words[index] = message.getInt32(offset + 4 * index);
  for (let index = 16; index < 80; index++) {
    words[index] = rotate(word(index - 3) ^ word(index - 8) ^ word(index - 14) ^ word(index - 16), 1);
  }
  let a = part(0);
  let b = part(1);
  let c = part(2);
  let d = part(3);
  let e = part(4);
  for (let round = 0; round < 80; round++) {
    const mixed = (rotate(a, 5) + mix(round, b, c, d) + e + word(round)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = mixed;
  }
  state[0] = part(0) + a;
  state[1] = part(1) + b;
  state[2] = part(2) + c;
  state[3] = part(3) + d;
  state[4] = part(4) + e;
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
function word(index: number): number {
  return words[index] ?? 0;
}

function part(index: number): number {
  return state[index] ?? 0;
}
