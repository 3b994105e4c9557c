import { errorBody, TidemarkError, type WireError } from "../errors.ts";
import { stringifyEvent } from "../json.ts";
import type { ByteStream, Reply, RunEvents, ThreadApi } from "../thread/protocol.ts";
import type { Disconnection } from "./disconnection.ts";
import { heartbeats } from "./heartbeat.ts";
import { ATTEMPTS, callThread, waitBefore, type ThreadNamespace } from "./thread-stub.ts";
import { wholeEvents } from "./whole-events.ts";

/** Where the events of a run come from. */
export interface EventSource {
  readonly namespace: ThreadNamespace;
  readonly name: string;
  readonly first: RunEvents;
  /** The id of the last event that the client has had already. */
  readonly after?: string | undefined;
  /** Asks for the events that come after the one with this id, or for all. */
  readonly attach: (thread: ThreadApi, after: string | undefined) => Promise<Reply<RunEvents>>;
  /** How often a client hears something at least, in milliseconds. */
  readonly heartbeat: number;
  readonly disconnection?: Disconnection | undefined;
  /** Throws when the client may listen no longer. */
  readonly watch?: (signal: AbortSignal) => Promise<never>;
}

/**
 * Passes the events of a run on to a client, whole ones only, and heartbeats between them. When the thread object is reset
 * underway, it attaches to the run again and goes on after the last event that it has passed on.
 */
export function relay(source: EventSource): ByteStream {
  const { readable, writable } = new IdentityTransformStream();
  const client = new Client(writable.getWriter());
  const { heartbeat, disconnection, watch } = source;
  const stop = new AbortController();
  const beating = heartbeats(heartbeat, (comment) => client.send([comment]), stop.signal);
  const watched = watch === undefined ? [] : [watch(stop.signal)];
  const relayed = Promise.race([pump(source, client, stop.signal), beating, ...watched])
    .then(() => client.close())
    // The client is gone, or has to see that the stream was broken off: it comes again.
    .catch(async (error: unknown) => {
      await client.abort(error);
      if (error instanceof ClientGoneError) await disconnection?.onGone();
    })
    .finally(() => stop.abort());
  disconnection?.waitUntil(relayed);
  return readable;
}

async function pump(source: EventSource, client: Client, signal: AbortSignal): Promise<void> {
  let { after, first: current } = source;
  /** Since the last event that came. */
  let failures = 0;
  for (;;) {
    try {
      for await (const { parts, lastId } of wholeEvents(current.events, signal)) {
        await client.send(parts);
        after = lastId ?? after;
        failures = 0;
      }
      return;
    } catch (error) {
      failures += 1;
      // A stream that comes from an object says only that it broke off, and not why.
      if (error instanceof ClientGoneError || failures === ATTEMPTS) throw error;
    } finally {
      current.reader[Symbol.dispose]();
    }
    await waitBefore(failures);
    const reply = await attachAgain(source, after);
    if (!reply.ok) return client.send([errorEvent(reply.error)]);
    current = reply.value;
  }
}

async function attachAgain(
  { namespace, name, attach }: EventSource,
  after: string | undefined,
): Promise<Reply<RunEvents>> {
  try {
    return await callThread(namespace, name, (thread) => attach(thread, after));
  } catch (error) {
    if (!(error instanceof TidemarkError)) throw error;
    return { ok: false, error, isFailed: false };
  }
}

function errorEvent(error: WireError): Uint8Array {
  return new TextEncoder().encode(stringifyEvent("error", errorBody(error)));
}

/** Gets what it is sent in one piece, whoever else sends something. */
class Client {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #sent: Promise<void> = Promise.resolve();

  constructor(writer: WritableStreamDefaultWriter<Uint8Array>) {
    this.#writer = writer;
  }

  send(parts: readonly Uint8Array[]): Promise<void> {
    this.#sent = this.#sent.then(() => this.#write(parts));
    return this.#sent;
  }

  async close(): Promise<void> {
    await this.#sent;
    await this.#writer.close();
  }

  async abort(reason: unknown): Promise<void> {
    await this.#writer.abort(reason).catch(() => undefined);
  }

  async #write(parts: readonly Uint8Array[]): Promise<void> {
    for (const part of parts) await this.#writer.write(part).catch(clientIsGone);
  }
}

class ClientGoneError extends Error {}

function clientIsGone(cause: unknown): never {
  throw new ClientGoneError("The client reads no more.", { cause });
}
