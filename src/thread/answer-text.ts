import { stringifyJson } from "../json.ts";
import { ResponseTooLargeError } from "./errors.ts";
import type { Bytes } from "./protocol.ts";

/** In bytes. An object has 128 MB of memory for the state, its text, and everything else. */
const MAX_ANSWER = 64 * 1024 * 1024;

/** In bytes. What is shorter goes as it is: a stream between objects costs more than its text. */
const MAX_WHOLE = 1024 * 1024;

/** A page of a history ends early rather than grow over it; in bytes. */
const MAX_PAGE = 32 * 1024 * 1024;

/** JSON text, within the limit of an answer. */
export function jsonChunk(value: unknown): Uint8Array<ArrayBuffer> {
  const text = jsonText(value);
  // Text has at least as many bytes as characters.
  if (text.length > MAX_ANSWER) throw new ResponseTooLargeError(text.length, MAX_ANSWER);
  // An encoder gives nobody shared memory.
  const bytes = new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
  if (bytes.byteLength > MAX_ANSWER) throw new ResponseTooLargeError(bytes.byteLength, MAX_ANSWER);
  return bytes;
}

export function jsonBytes(value: unknown): Bytes {
  const chunk = jsonChunk(value);
  return chunk.byteLength > MAX_WHOLE ? new Blob([chunk]).stream() : chunk;
}

/**
 * A list as JSON text, item by item: no more than one is held as text. Ends early, as a whole list, when it has become
 * long, and when an item that is not the first cannot be had: whoever asks for what follows hears why.
 */
export async function jsonPage(
  items: AsyncIterable<unknown>,
  report: (error: unknown) => void,
): Promise<Bytes> {
  const chunks = pageChunks(items, report);
  // What goes wrong before the first item is an error of the call.
  const first = await chunks.next();
  return new ReadableStream({
    type: "bytes",
    start: (controller) => {
      if (first.done !== true) controller.enqueue(first.value);
    },
    pull: async (controller) => {
      const next = await chunks.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: async () => {
      await chunks.return();
    },
  });
}

async function* pageChunks(
  items: AsyncIterable<unknown>,
  report: (error: unknown) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  const encoder = new TextEncoder();
  try {
    for await (const item of items) {
      const bytes = jsonChunk(item);
      if (size > 0 && size + bytes.byteLength > MAX_PAGE) break;
      yield encoder.encode(size === 0 ? "[" : ",");
      size += bytes.byteLength;
      yield bytes;
    }
  } catch (error) {
    if (size === 0) throw error;
    report(error);
  }
  yield encoder.encode(size === 0 ? "[]" : "]");
}

function jsonText(value: unknown): string {
  try {
    return stringifyJson(value);
  } catch (error) {
    // A text that is longer than any can be.
    if (error instanceof RangeError) throw new ResponseTooLargeError(MAX_ANSWER, MAX_ANSWER);
    throw error;
  }
}
