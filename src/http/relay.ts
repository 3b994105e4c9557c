import { errorBody, TidemarkError, type WireError } from "../errors.ts";
import { stringifyJson } from "../json.ts";
import type { Bytes, Reply, ThreadApi } from "../thread/protocol.ts";
import { callThread, waitBefore, wasReset, type ThreadNamespace } from "./thread-stub.ts";

const ATTEMPTS = 6;
const NEWLINE = 10;

/** Where the events of a run come from. */
export interface EventSource {
  readonly namespace: ThreadNamespace;
  readonly name: string;
  readonly first: Bytes;
  /** Asks for the events that are still to come. */
  readonly attach: (thread: ThreadApi) => Promise<Reply<Bytes>>;
}

/**
 * Passes the events of a run on to a client, whole ones only. When the thread object is reset underway, it attaches to
 * the run again, so that the client gets what is still to come, and at last how the run ended.
 */
export function relay(source: EventSource): Bytes {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  void pump(source, writer)
    .then(() => writer.close())
    // The client is gone, or has to see that the stream was broken off.
    .catch((error: unknown) => writer.abort(error).catch(() => undefined));
  return readable;
}

async function pump(source: EventSource, client: WritableStreamDefaultWriter<Uint8Array>): Promise<void> {
  let events = source.first;
  for (let attempt = 1; ; attempt++) {
    try {
      return await passEvents(events, client);
    } catch (error) {
      if (!wasReset(error) || attempt === ATTEMPTS) throw error;
    }
    await waitBefore(attempt);
    const reply = await attachAgain(source);
    if (!reply.ok) return client.write(errorEvent(reply.error));
    events = reply.value;
  }
}

async function attachAgain({ namespace, name, attach }: EventSource): Promise<Reply<Bytes>> {
  try {
    return await callThread(namespace, name, attach);
  } catch (error) {
    if (!(error instanceof TidemarkError)) throw error;
    return { ok: false, error };
  }
}

/** An event ends with an empty line; what was cut off before its end is dropped. */
async function passEvents(events: Bytes, client: WritableStreamDefaultWriter<Uint8Array>): Promise<void> {
  let rest: Uint8Array = new Uint8Array(0);
  for await (const chunk of events) {
    const bytes = concat(rest, chunk);
    const end = endOfEvents(bytes);
    if (end > 0) await client.write(bytes.slice(0, end));
    rest = bytes.subarray(end);
  }
}

function endOfEvents(bytes: Uint8Array): number {
  for (let index = bytes.length - 1; index > 0; index--) {
    if (bytes[index] === NEWLINE && bytes[index - 1] === NEWLINE) return index + 1;
  }
  return 0;
}

function concat(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (left.length === 0) return right;
  const result = new Uint8Array(left.length + right.length);
  result.set(left);
  result.set(right, left.length);
  return result;
}

function errorEvent(error: WireError): Uint8Array {
  return new TextEncoder().encode(`event: error\ndata: ${stringifyJson(errorBody(error))}\n\n`);
}
