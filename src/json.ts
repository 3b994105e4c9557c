import { isObject, isPlain } from "./values/containers.ts";
import { isLangChainMessage, wireMessage } from "./langchain-message.ts";

/** JSON as it goes over the wire. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * Any state as JSON text. What JSON does not have becomes its nearest form: a date its ISO text, a BigInt its digits, a
 * Map an object (or pairs, when a key is no string), a Set a list, bytes base64, an error its name and message, one
 * of LangChain's messages its fields and type, a reference to an enclosing value null. A text of more than `most` characters
 * is a `RangeError`, before it is there: what stands in a value twice, and in that again, is short until it is text.
 */
export function stringifyJson(value: unknown, most = Infinity): string {
  /** Of the text so far, at least. */
  let length = 0;
  /** From the outermost value to the one whose keys are being written: as it was, and as it is written. */
  const enclosing: { readonly original: unknown; readonly written: object }[] = [];
  return (
    JSON.stringify(value, function (this: unknown, key: string, converted: unknown): unknown {
      // `toJSON` has been called on `converted` already; dates and messages are wanted as they were.
      const held: unknown = isObject(this) ? Reflect.get(this, key) : converted;
      const original = held instanceof Date || isLangChainMessage(held) ? held : converted;
      const written = plain(original);
      length += typeof written === "string" ? written.length : Number(written !== undefined);
      if (length > most) throw new RangeError("too long a text");
      if (!isObject(written)) return written;
      while (enclosing.length > 0 && enclosing.at(-1)?.written !== this) enclosing.pop();
      if (enclosing.some((outer) => outer.original === original)) return null;
      enclosing.push({ original, written });
      return written;
    }) ?? "null"
  );
}

/** Any state as what its JSON text says. */
export function plainJson(value: unknown): Json {
  return JSON.parse(stringifyJson(value)) as Json;
}

/** Whether JSON says the value as it is. */
export function isJson(value: unknown): value is Json {
  if (Array.isArray(value)) return value.every(isJson);
  if (isObject(value)) return isPlain(value) && Object.values(value).every(isJson);
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

/** A server-sent event. JSON text has no line breaks, so an empty line is the end of an event and nothing else. */
export function stringifyEvent(event: string, data: unknown, id?: string): string {
  return `event: ${event}\ndata: ${stringifyJson(data)}\n${id === undefined ? "" : `id: ${id}\n`}\n`;
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (!isObject(value)) return value;
  if (isLangChainMessage(value)) return wireMessage(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Map) return plainMap(value);
  if (value instanceof Set) return [...value];
  if (value instanceof Uint8Array) return base64(value);
  if (value instanceof ArrayBuffer) return base64(new Uint8Array(value));
  if (ArrayBuffer.isView(value)) {
    return value instanceof DataView
      ? base64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
      : Array.from(value as unknown as Iterable<unknown>);
  }
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof URL) return value.href;
  if (value instanceof RegExp) return String(value);
  return value;
}

function plainMap(map: ReadonlyMap<unknown, unknown>): unknown {
  const entries = [...map];
  return entries.every(([key]) => typeof key === "string") ? Object.fromEntries(entries) : entries;
}

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += 32_768) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 32_768));
  }
  return btoa(binary);
}
