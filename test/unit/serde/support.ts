import { MsgpackSerializer } from "../../../src/checkpoint/serde/msgpack-serializer.ts";

export class Box {
  readonly content: unknown;

  constructor(content: unknown) {
    this.content = content;
  }
}

export const boxCodec = {
  name: "box",
  class: Box,
  encode: (box: Box) => ({ content: box.content }),
  decode(parts: unknown): Box {
    if (typeof parts !== "object" || parts === null || !("content" in parts)) throw new Error("no content");
    return new Box(parts.content);
  },
};

export const serializer = new MsgpackSerializer({ codecs: [boxCodec] });

export function roundTrip(value: unknown): unknown {
  const [type, data] = serializer.dumpsTyped(value);
  return serializer.loadsTyped(type, data);
}

/** What the function throws; fails when it does not throw. */
export function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function bytesOf(hex: string): Uint8Array {
  const digits = hex.replaceAll(/\s/g, "");
  return Uint8Array.from({ length: digits.length / 2 }, (_, index) =>
    Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16),
  );
}
