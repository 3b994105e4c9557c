import { stringifyJson } from "../json.ts";
import { ResponseTooLargeError } from "./errors.ts";
import type { Bytes } from "./call.ts";

/** Of its text, in characters. An object has 128 MB of memory for the state, its text, and everything else. */
const MAX_ANSWER = 48 * 1024 * 1024;

/** In characters. What is shorter goes as it is: a stream between objects costs more than its text. */
const MAX_WHOLE = 1024 * 1024;

/** A page of a history ends early rather than grow over it; in bytes. */
const MAX_PAGE = 32 * 1024 * 1024;

/** As JSON text, within the limit of an answer. A long one is there once, as text: its bytes are made as they are taken. */
export function jsonBytes(value: unknown): Bytes {
  const text = jsonText(value);
  return text.length > MAX_WHOLE ? partsOf(text) : encoded(text);
}

function partsOf(text: string): ReadableStream<Uint8Array> {
  let start = 0;
  return new ReadableStream({
    type: "bytes",
    pull: (controller) => {
      const end = start + MAX_WHOLE;
      // The halves of a pair are encoded together.
      const part = text.slice(start, isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end);
      if (part.length > 0) controller.enqueue(encoded(part));
      else controller.close();
      start += part.length;
    },
  });
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** An encoder gives nobody shared memory. */
function encoded(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
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
  try {
    for await (const item of items) {
      const bytes = encoded(jsonText(item));
      if (size > 0 && size + bytes.byteLength > MAX_PAGE) break;
      yield encoded(size === 0 ? "[" : ",");
      size += bytes.byteLength;
      yield bytes;
    }
  } catch (error) {
    if (size === 0) throw error;
    report(error);
  }
  yield encoded(size === 0 ? "[]" : "]");
}

function jsonText(value: unknown): string {
  let text: string;
  try {
    text = stringifyJson(value, MAX_ANSWER);
  } catch (error) {
    if (error instanceof RangeError) throw new ResponseTooLargeError(MAX_ANSWER, MAX_ANSWER);
    throw error;
  }
  if (text.length > MAX_ANSWER) throw new ResponseTooLargeError(text.length, MAX_ANSWER);
  return text;
}
