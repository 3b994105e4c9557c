import type { ByteStream } from "../thread/protocol.ts";
import type { Disconnection } from "./disconnection.ts";
import { heartbeats } from "./heartbeat.ts";

export interface EventBodyOptions {
  /** Sends events until there are no more; with the signal nobody wants them any more. */
  readonly send: (client: EventClient, signal: AbortSignal) => Promise<void>;
  /** How often a client hears something at least, in milliseconds. */
  readonly heartbeat: number;
  /** Throws when the client may listen no longer. */
  readonly watch?: ((signal: AbortSignal) => Promise<never>) | undefined;
  readonly disconnection?: Pick<Disconnection, "onGone"> | undefined;
  /** Lets the work outlive a client that is gone: until what it was sent from is left. */
  readonly waitUntil: Disconnection["waitUntil"];
}

/** Events for a client, and heartbeats between them. */
export function eventBody({
  send,
  heartbeat,
  watch,
  disconnection,
  waitUntil,
}: EventBodyOptions): ByteStream {
  const { readable, writable } = new IdentityTransformStream();
  const client = new EventClient(writable.getWriter());
  const stop = new AbortController();
  const sending = send(client, stop.signal);
  const beating = heartbeats(heartbeat, (comment) => client.send(comment), stop.signal);
  const watched = watch === undefined ? [] : [watch(stop.signal)];
  const ended = Promise.race([sending, beating, client.closed(), ...watched])
    .then(() => client.close())
    // The client is gone, or has to see that the stream was broken off: it comes again.
    .catch(async (error: unknown) => {
      await client.abort(error);
      if (error instanceof ClientGoneError) await disconnection?.onGone();
    })
    .finally(() => stop.abort());
  waitUntil(Promise.allSettled([sending, ended]));
  return readable;
}

/** Gets what it is sent in one piece, whoever else sends something. */
class EventClient {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #sent: Promise<void> = Promise.resolve();

  constructor(writer: WritableStreamDefaultWriter<Uint8Array>) {
    this.#writer = writer;
  }

  send(...parts: readonly Uint8Array[]): Promise<void> {
    this.#sent = this.#sent.then(() => this.#write(parts));
    return this.#sent;
  }

  /** Rejects when the client is gone. */
  closed(): Promise<void> {
    return this.#writer.closed.catch(clientIsGone);
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
