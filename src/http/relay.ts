import type { Bytes, Reply, ThreadApi } from "../thread/protocol.ts";
import { callThread, wasReset, waitBefore, type ThreadNamespace } from "./thread-stub.ts";

const ATTEMPTS = 6;

/**
 * Passes the events of a run on to a client. When the thread object is reset underway, it attaches to the run again, so
 * that the client gets what is still to come, and at last how the run ended.
 */
export function relay(
  namespace: ThreadNamespace,
  name: string,
  first: Bytes,
  attach: (thread: ThreadApi) => Promise<Reply<Bytes>>,
): Bytes {
  const { readable, writable } = new IdentityTransformStream();
  void pump(namespace, name, first, attach, writable);
  return readable;
}

async function pump(
  namespace: ThreadNamespace,
  name: string,
  first: Bytes,
  attach: (thread: ThreadApi) => Promise<Reply<Bytes>>,
  client: WritableStream<Uint8Array>,
): Promise<void> {
  let source = first;
  for (let attempt = 1; ; attempt++) {
    try {
      await source.pipeTo(client, { preventAbort: true });
      return;
    } catch (error) {
      if (!wasReset(error) || attempt === ATTEMPTS) {
        await client.abort(error).catch(() => undefined);
        return;
      }
    }
    await waitBefore(attempt);
    const reply = await callThread(namespace, name, attach);
    if (!reply.ok) return;
    source = reply.value;
  }
}
