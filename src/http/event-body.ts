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
  readonly disconnection?: Disconnection | undefined;
}

/** Events for a client, and heartbeats between them. */
export function eventBody({ send, heartbeat, watch, disconnection }: EventBodyOptions): ByteStream {
  const { readable, writable } = new IdentityTransformStream();
  const client = new EventClient(writable.getWriter());
  const stop = new AbortController();
  const beating = heartbeats(heartbeat, (comment) => client.send(comment), stop.signal);
  const watched = watch === undefined ? [] : [watch(stop.signal)];
  const sent = Promise.race([send(client, stop.signal), beating, ...watched])
    .then(() => client.close())
    // The client is gone, or has to see that the stream was broken off: it comes again.
    .catch(async (error: unknown) => {
      await client.abort(error);
      if (error instanceof ClientGoneError) await disconnection?.onGone();
    })
    .finally(() => stop.abort());
  disconnection?.waitUntil(sent);
  return readable;
}

/** Gets what it is sent in one piece, whoever else sends something. */
export class EventClient {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #sent: Promise<void> = Promise.resolve();

  constructor(writer: WritableStreamDefaultWriter<Uint8Array>) {
    this.#writer = writer;
  }

  send(...parts: readonly Uint8Array[]): Promise<void> {
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

export class ClientGoneError extends Error {}

function clientIsGone(cause: unknown): never {
  throw new ClientGoneError("The client reads no more.", { cause });
}
