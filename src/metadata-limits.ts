import { RefusedError } from "./errors.ts";

/** Of a thread's metadata, in characters of JSON text: it is kept in the directory too, and each part of it is a key there. */
export const MAX_METADATA = 16_384;

/** Of the body that says something of an assistant, in bytes, and of the metadata that patches add up to, in characters. */
export const MAX_ASSISTANT = 65_536;

/** Refuses metadata that patches have made too large. */
export function requireMetadataSize(metadata: object, limit: number): void {
  const size = JSON.stringify(metadata).length;
  if (size <= limit) return;
  throw new RefusedError(
    "value_too_large",
    `The metadata would have ${size} characters; the limit is ${limit}. Set keys to null that are not needed.`,
    { details: { size, limit } },
  );
}
