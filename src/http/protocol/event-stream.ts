import type { ByteStream } from "../../thread/protocol.ts";
import { heartbeats } from "../heartbeat.ts";
import type { RequestedThread } from "../thread-call.ts";
import { Subscriptions, type Filter } from "./subscriptions.ts";
import { threadEvents } from "./thread-listener.ts";

export interface EventStreamOptions {
  /** The number of the last event that the client has had. */
  readonly since: number;
  /** In milliseconds. */
  readonly heartbeat: number;
  /** Throws when the client may listen no longer. */
  readonly watch: (signal: AbortSignal) => Promise<never>;
}

/**
 * The events of a thread as server-sent events, with heartbeats while nothing is told: open until the client leaves, or the
 * thread is deleted.
 */
export function eventStream(
  { namespace, name, address: { access } }: RequestedThread,
  filter: Filter,
  { since, heartbeat, watch }: EventStreamOptions,
): ByteStream {
  const { readable, writable } = new IdentityTransformStream();
  const client = new Client(writable.getWriter());
  const subscriptions = new Subscriptions();
  subscriptions.add("stream", filter, since);
  const { channels } = subscriptions;
  const stop = new AbortController();
  const send = async (): Promise<void> => {
    for await (const event of threadEvents({ namespace, name, access, channels, since }, stop.signal)) {
      if (!subscriptions.wants(event)) continue;
      await client.send(`event: ${event.method}\ndata: ${event.text}\nid: ${event.number}\n\n`);
    }
  };
  const beating = heartbeats(heartbeat, (comment) => client.write(comment), stop.signal);
  void Promise.race([send(), beating, watch(stop.signal)])
    .then(() => client.close())
    // The client is gone, or has to see that the stream was broken off: it comes again.
    .catch((error: unknown) => client.abort(error))
    .finally(() => stop.abort());
  return readable;
}

/** Gets what it is sent in one piece, whoever else sends something. */
class Client {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #encoder = new TextEncoder();
  #sent: Promise<void> = Promise.resolve();

  constructor(writer: WritableStreamDefaultWriter<Uint8Array>) {
    this.#writer = writer;
  }

  send(text: string): Promise<void> {
    return this.write(this.#encoder.encode(text));
  }

  write(bytes: Uint8Array): Promise<void> {
    this.#sent = this.#sent.then(() => this.#writer.write(bytes));
    return this.#sent;
  }

  async close(): Promise<void> {
    await this.#sent;
    await this.#writer.close();
  }

  async abort(reason: unknown): Promise<void> {
    await this.#writer.abort(reason).catch(() => undefined);
  }
}
