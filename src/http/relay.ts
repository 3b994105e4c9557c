import { errorBody, TidemarkError, type WireError } from "../errors.ts";
import { stringifyEvent } from "../json.ts";
import type { Bytes, Reply, ThreadApi } from "../thread/protocol.ts";
import type { Disconnection } from "./disconnection.ts";
import { callThread, waitBefore, type ThreadNamespace } from "./thread-stub.ts";

const ATTEMPTS = 6;
const NEWLINE = 10;

type Writer = WritableStreamDefaultWriter<Uint8Array>;

/** Where the events of a run come from. */
export interface EventSource {
  readonly namespace: ThreadNamespace;
  readonly name: string;
  readonly first: Bytes;
  /** Asks for the events that are still to come. */
  readonly attach: (thread: ThreadApi) => Promise<Reply<Bytes>>;
  readonly disconnection?: Disconnection | undefined;
}

/**
 * Passes the events of a run on to a client, whole ones only. When the thread object is reset underway, it attaches to
 * the run again, so that the client gets what is still to come, and at last how the run ended.
 */
export function relay(source: EventSource): Bytes {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const { disconnection } = source;
  const pumped = pump(source, writer)
    .then(() => writer.close())
    // The client is gone, or has to see that the stream was broken off.
    .catch(async (error: unknown) => {
      await writer.abort(error).catch(() => undefined);
      if (error instanceof ClientGoneError) await disconnection?.onGone();
    });
  disconnection?.waitUntil(pumped);
  return readable;
}

async function pump(source: EventSource, client: Writer): Promise<void> {
  let events = source.first;
  /** Since the last event that came. */
  let failures = 0;
  for (;;) {
    try {
      for await (const part of wholeEvents(events)) {
        await client.write(part).catch(clientIsGone);
        failures = 0;
      }
      return;
    } catch (error) {
      failures += 1;
      // A stream that comes from an object says only that it broke off, and not why.
      if (error instanceof ClientGoneError || failures === ATTEMPTS) throw error;
    }
    await waitBefore(failures);
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
    return { ok: false, error, isFailed: false };
  }
}

/** An event ends with an empty line; what was cut off before its end is dropped. */
async function* wholeEvents(events: Bytes): AsyncGenerator<Uint8Array, void, undefined> {
  let rest: Uint8Array[] = [];
  for await (const chunk of events) {
    const end = endOfEvents(chunk, rest.at(-1)?.at(-1));
    if (end === 0) {
      rest.push(chunk);
      continue;
    }
    yield* rest;
    yield chunk.slice(0, end);
    rest = end === chunk.length ? [] : [chunk.subarray(end)];
  }
}

/** `before` is the byte that the chunk follows. */
function endOfEvents(chunk: Uint8Array, before: number | undefined): number {
  for (let index = chunk.length - 1; index >= 0; index--) {
    const previous = index === 0 ? before : chunk[index - 1];
    if (chunk[index] === NEWLINE && previous === NEWLINE) return index + 1;
  }
  return 0;
}

function errorEvent(error: WireError): Uint8Array {
  return new TextEncoder().encode(stringifyEvent("error", errorBody(error)));
}

class ClientGoneError extends Error {}

function clientIsGone(cause: unknown): never {
  throw new ClientGoneError("The client reads no more.", { cause });
}
