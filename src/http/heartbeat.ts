/** A comment: whoever reads events passes over it. */
const COMMENT = new TextEncoder().encode(": heartbeat\n\n");

/** Sends a comment at a steady pace, in milliseconds, until the signal is aborted. `send` may take its time. */
export async function heartbeats(
  pace: number,
  send: (comment: Uint8Array) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await scheduler.wait(pace, { signal });
    await send(COMMENT);
  }
}
