import type { Bytes } from "./protocol.ts";

/** Lets go of a text that nobody reads: whoever sends a stream waits for that. */
export async function discard(text: Bytes): Promise<void> {
  if (text instanceof ReadableStream) await text.cancel();
}
