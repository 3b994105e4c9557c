import type { ByteStream } from "../../thread/protocol.ts";
import type { Disconnection } from "./disconnection.ts";

/** Whoever reads events passes over it. */
const COMMENT = new TextEncoder().encode(": heartbeat\n\n");

export interface StreamedBodyOptions {
  /** Sends what there is until there is no more; with the signal nobody wants it any more. */
  readonly send: (client: BodyClient, signal: AbortSignal) => Promise<void>;
  /** How often a client hears something at least, in milliseconds. */
  readonly heartbeat: number;
  /** What it hears then; a comment among events by default. */
  readonly beat?: Uint8Array;
  /** Throws when the client may listen no longer. */
  readonly watch?: ((signal: AbortSignal) => Promise<never>) | undefined;
  readonly disconnection?: Disconnection | undefined;
  /** Lets the work outlive a client that is gone: until what it was sent from is left. */
  readonly waitUntil: (work: Promise<unknown>) => void;
}

/** What comes bit by bit for a client, and heartbeats: they keep the connection, and show when nobody is there any more. */
export function streamedBody({
  send,
  heartbeat,
  beat = COMMENT,
  watch,
  disconnection,
  waitUntil,
}: StreamedBodyOptions): ByteStream {
  const { readable, writable } = new IdentityTransformStream();
  const client = new BodyClient(writable.getWriter());
  const stop = new AbortController();
  const sending = send(client, stop.signal);
  const beating = heartbeats(heartbeat, () => client.send(beat), stop.signal);
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

/** At a steady pace, in milliseconds, until the signal is aborted. */
async function heartbeats(pace: number, send: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (;;) {
    await scheduler.wait(pace, { signal });
    await send();
  }
}

/** Gets what it is sent in one piece, whoever else sends something. */
class BodyClient {
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
