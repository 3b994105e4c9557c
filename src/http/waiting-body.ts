import type { Bytes } from "../thread/protocol.ts";
import type { Disconnection } from "./disconnection.ts";

/** In milliseconds. White space before JSON keeps the connection, and shows when nobody is there any more. */
const PAUSE = 1000;
const NEWLINE = new Uint8Array([10]);

/** A body of JSON that is still to come. */
export function waitingBody(json: () => Promise<Uint8Array>, disconnection?: Disconnection): Bytes {
  const { readable, writable } = new IdentityTransformStream();
  const pumped = pump(json(), writable.getWriter(), disconnection?.onGone);
  disconnection?.waitUntil(pumped);
  return readable;
}

async function pump(
  json: Promise<Uint8Array>,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  onGone: (() => Promise<unknown>) | undefined,
): Promise<void> {
  try {
    for (;;) {
      const next = await Promise.race([json, scheduler.wait(PAUSE)]);
      await writer.write(next ?? NEWLINE);
      if (next !== undefined) break;
    }
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
    await onGone?.();
  }
}
