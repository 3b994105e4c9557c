import { RefusedError } from "../../errors.ts";

/** In bytes of UTF-8. */
const MAX_LENGTH = 256;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Reads a thread id from its place in a path. It may be any text, a slash as %2F. */
export function parseThreadId(encoded: string): string {
  return requireThreadId(decode(encoded));
}

export function requireThreadId(id: string): string {
  if (id === "" || id === "." || id === "..") throw invalid(`"${id}" cannot be a thread id.`);
  if (!id.isWellFormed()) throw invalid("A thread id must not contain half of a surrogate pair.");
  if (CONTROL.test(id)) throw invalid("A thread id must not contain control characters.");
  const length = new TextEncoder().encode(id).byteLength;
  if (length > MAX_LENGTH) throw invalid(`The thread id has ${length} bytes; the limit is ${MAX_LENGTH}.`);
  return id;
}

function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch (cause) {
    throw new RefusedError(
      "invalid_thread_id",
      "The thread id in the path is not valid percent-encoded UTF-8.",
      { cause },
    );
  }
}

function invalid(message: string): RefusedError {
  return new RefusedError("invalid_thread_id", message);
}
