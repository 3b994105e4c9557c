import type { TraceHost } from "../thread/attempt/traces.ts";
import type { SpanRecord } from "./span-record.ts";

/** More spans than these, or longer ones in characters of JSON, do not wait: the newest ones are dropped. */
const MAX_WAITING = { spans: 2048, length: 4_000_000 } as const;
/** So many are sent at once, and sent as soon as there are. */
const BATCH = { spans: 512, length: 1_000_000 } as const;

/** What became of a batch: `again` when it may be sent once more. */
export type Sent =
  | { readonly status: "taken" }
  | { readonly status: "refused" | "again"; readonly reason: string };

/** Sends spans, each as JSON text. */
export type Send = (spans: readonly string[]) => Promise<Sent>;

/** Spans on their way out, as many as memory is given for. An endpoint that takes none costs no more than that. */
export class SpanQueue {
  readonly #host: TraceHost;
  readonly #send: Send;
  readonly #waiting: string[] = [];
  /** Of all that wait, and of those that came since a batch was full. */
  #length = 0;
  #unsent = { spans: 0, length: 0 };
  #dropped = 0;
  #flushed: Promise<void> = Promise.resolve();

  constructor(host: TraceHost, send: Send) {
    this.#host = host;
    this.#send = send;
  }

  add(span: SpanRecord): void {
    const text = JSON.stringify(span);
    const isFull =
      this.#waiting.length >= MAX_WAITING.spans || this.#length + text.length > MAX_WAITING.length;
    if (isFull) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(text);
    this.#length += text.length;
    this.#unsent = { spans: this.#unsent.spans + 1, length: this.#unsent.length + text.length };
    if (this.#unsent.spans < BATCH.spans && this.#unsent.length < BATCH.length) return;
    this.#unsent = { spans: 0, length: 0 };
    this.#host.waitUntil(this.flush());
  }

  /** Sends what there is. What an endpoint does not take now goes with the next flush, unless it never will. */
  flush(): Promise<void> {
    this.#flushed = this.#flushed.then(() => this.#flush());
    return this.#flushed;
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#batch();
      const sent = await this.#send(batch);
      if (sent.status === "again") return this.#note(sent.reason);
      this.#waiting.splice(0, batch.length);
      this.#length -= lengthOf(batch);
      if (sent.status === "taken") continue;
      this.#dropped += batch.length;
      this.#note(sent.reason);
    }
    if (this.#dropped > 0) this.#note("queue_full");
  }

  /** The first that wait: one at least. */
  #batch(): string[] {
    const batch: string[] = [];
    let length = 0;
    for (const text of this.#waiting) {
      length += text.length;
      if (batch.length > 0 && (batch.length === BATCH.spans || length > BATCH.length)) break;
      batch.push(text);
    }
    return batch;
  }

  #note(reason: string): void {
    const fields = { code: reason, waiting: this.#waiting.length, dropped: this.#dropped };
    this.#dropped = 0;
    this.#host.log.note("warn", "traces.not_taken", fields);
  }
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((length, text) => length + text.length, 0);
}
