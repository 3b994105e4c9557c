import type { ByteStream } from "../thread/protocol.ts";
import type { Disconnection } from "./disconnection.ts";

/** In milliseconds. White space before JSON keeps the connection, and shows when nobody is there any more. */
const PAUSE = 1000;
const NEWLINE = new Uint8Array([10]);

export interface WaitingOptions {
  readonly disconnection?: Disconnection | undefined;
  /** Throws when the client may wait no longer. */
  readonly watch: (signal: AbortSignal) => Promise<never>;
}

/** A body of JSON that is still to come. It is broken off when it cannot be had. */
export function waitingBody(
  json: () => Promise<Uint8Array>,
  { disconnection, watch }: WaitingOptions,
): ByteStream {
  const { readable, writable } = new IdentityTransformStream();
  const stop = new AbortController();
  const awaited = Promise.race([json(), watch(stop.signal)]);
  const pumped = pump(awaited, writable.getWriter(), disconnection).finally(() => stop.abort());
  disconnection?.waitUntil(pumped);
  return readable;
}

async function pump(
  json: Promise<Uint8Array>,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  disconnection: Disconnection | undefined,
): Promise<void> {
  let isGone = false;
  const clientIsGone = (error: unknown): never => {
    isGone = true;
    throw error;
  };
  try {
    for (;;) {
      const next = await Promise.race([json, scheduler.wait(PAUSE)]);
      await writer.write(next ?? NEWLINE).catch(clientIsGone);
      if (next !== undefined) break;
    }
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
    if (isGone) await disconnection?.onGone();
  }
}
