import type { MiddlewareHandler } from "hono";

/** In bytes. */
const MOST = 64 * 1024 * 1024;

/** In milliseconds. */
const LONGEST = 10_000;

/** Strangers, and who calls too often, are not listened to. */
const UNHEARD: ReadonlySet<number> = new Set([401, 403, 429]);

/**
 * Reads what is left of the body of a call that is refused. Where an answer goes out while the body still comes, a runtime
 * may end the connection, and a client that is busy sending never sees why.
 */
export const readUnread: MiddlewareHandler = async (context, next) => {
  await next();
  const { body } = context.req.raw;
  const { status } = context.res;
  if (body === null || body.locked || status < 400 || status >= 500 || UNHEARD.has(status)) return;
  const reader = body.getReader();
  await Promise.race([readAll(reader), scheduler.wait(LONGEST)]);
  reader.releaseLock();
};

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    for (let size = 0; size < MOST;) {
      const { value } = await reader.read();
      if (value === undefined) return;
      size += value.byteLength;
    }
  } catch {
    // Whoever has gone needs no answer.
  }
}
