import type { MiddlewareHandler } from "hono";

/** In bytes. */
const MOST = 64 * 1024 * 1024;

/** So long a client is waited for, in milliseconds. */
export const LONGEST = 10_000;

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
  // It stays locked: a reader that waits cannot let go.
  await Promise.race([readAll(body.getReader()), scheduler.wait(LONGEST)]);
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
