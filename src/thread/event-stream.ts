import { stringifyEvent } from "../json.ts";
import { EventQueue } from "../pregel/event-queue.ts";
import type { Bytes } from "./protocol.ts";

export interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
}

/**
 * Server-sent events as they come. What is written here leaves the object only after what was stored before it is
 * durable: the platform holds back writes of this kind of stream (not those of a JavaScript stream), so an event can
 * claim that a checkpoint exists. A reader that is slow or gone holds up nothing: events wait in memory or are dropped.
 */
export class EventStream {
  readonly body: Bytes;
  /** Ends when all events are written, or when nobody reads any more. */
  readonly written: Promise<void>;
  readonly #queue = new EventQueue<ServerEvent>();
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #isRead = true;

  constructor() {
    const { readable, writable } = new IdentityTransformStream();
    this.body = readable;
    this.#writer = writable.getWriter();
    this.written = this.#pump();
  }

  push(event: string, data: unknown): void {
    if (this.#isRead) this.#queue.push({ event, data });
  }

  end(): void {
    this.#queue.end();
  }

  /** Breaks the stream off, so that its reader knows that it has not ended. */
  fail(reason: unknown): void {
    this.#isRead = false;
    this.#queue.end();
    void this.#writer.abort(reason).catch(() => undefined);
  }

  async #pump(): Promise<void> {
    const encoder = new TextEncoder();
    try {
      for await (const { event, data } of this.#queue) {
        await this.#writer.write(encoder.encode(stringifyEvent(event, data)));
      }
      if (this.#isRead) await this.#writer.close();
    } catch (error) {
      // The reader has gone away, or cannot be told. The run goes on without it; its outcome is kept.
      this.fail(error);
    }
  }
}
