import { errorBody } from "../errors.ts";
import { stringifyEvent } from "../json.ts";
import { EventQueue } from "../pregel/event-queue.ts";
import { clientTooSlow } from "./errors.ts";
import type { Bytes } from "./protocol.ts";

/** What may wait for a client that does not read, in bytes. */
const MAX_WAITING = 16 * 1024 * 1024;

/**
 * Server-sent events as they come. What is written here leaves the object only after what was stored before it is
 * durable: the platform holds back writes of this kind of stream (not those of a JavaScript stream), so an event can
 * claim that a checkpoint exists. A reader that is slow or gone holds up nothing: events wait in memory, and when they are
 * too many the stream ends with an error.
 */
export class EventStream {
  readonly body: Bytes;
  /** Ends when all events are written, or when nobody reads any more. */
  readonly written: Promise<void>;
  readonly #queue = new EventQueue<Uint8Array>();
  readonly #encoder = new TextEncoder();
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #isOpen = true;
  /** In bytes. */
  #waiting = 0;

  constructor() {
    const { readable, writable } = new IdentityTransformStream();
    this.body = readable;
    this.#writer = writable.getWriter();
    this.written = this.#pump();
  }

  /** Takes the data as it is now. Never throws: a stream that cannot go on is no matter of the run. */
  push(event: string, data: unknown): void {
    if (!this.#isOpen) return;
    try {
      this.#enqueue(stringifyEvent(event, data));
    } catch (error) {
      this.fail(error);
      return;
    }
    if (this.#waiting <= MAX_WAITING) return;
    this.#enqueue(stringifyEvent("error", errorBody(clientTooSlow(MAX_WAITING))));
    this.end();
  }

  end(): void {
    this.#isOpen = false;
    this.#queue.end();
  }

  /** Breaks the stream off, so that its reader knows that it has not ended. */
  fail(reason: unknown): void {
    this.end();
    void this.#writer.abort(reason).catch(() => undefined);
  }

  #enqueue(text: string): void {
    const bytes = this.#encoder.encode(text);
    this.#waiting += bytes.byteLength;
    this.#queue.push(bytes);
  }

  async #pump(): Promise<void> {
    try {
      for await (const bytes of this.#queue) {
        await this.#writer.write(bytes);
        this.#waiting -= bytes.byteLength;
      }
      await this.#writer.close();
    } catch (error) {
      // The reader has gone away, or cannot be told. The run goes on without it; its outcome is kept.
      this.fail(error);
    }
  }
}
