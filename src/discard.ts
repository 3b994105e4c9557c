/** Lets go of a text that nobody reads: whoever sends a stream waits for that. */
export async function discard(text: Uint8Array | ReadableStream<Uint8Array>): Promise<void> {
  if (text instanceof ReadableStream) await text.cancel();
}
