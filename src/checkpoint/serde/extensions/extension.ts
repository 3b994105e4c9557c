import type { ByteReader } from "../byte-reader.ts";
import type { ByteWriter } from "../byte-writer.ts";

/** What an extension writes its payload with. Values nest. */
export interface PayloadWriter {
  readonly out: ByteWriter;
  /** A value that has no place of its own in the path to it. */
  value(value: unknown): void;
  /** A value at a place in the object that is being written. */
  part(key: string | number, value: unknown): void;
  /** A key and its value, or nothing when the value cannot be stored. */
  optionalEntry(key: string, value: unknown): void;
}

/** What an extension reads its payload with. */
export interface PayloadReader {
  readonly input: ByteReader;
  value(): unknown;
  /** A value that must be text. */
  text(): string;
  /** Gives the object its number. To be called before any part of it is read, so that parts can refer to it. */
  register<T extends object>(object: T): T;
}

/** How the instances of a built-in class become the payload of an extension type, and are made from it again. */
export interface Extension<T extends object = object> {
  readonly type: number;
  write(value: T, to: PayloadWriter): void;
  /** Must register the object, and end at `end` exactly. */
  read(from: PayloadReader, end: number): T;
}
