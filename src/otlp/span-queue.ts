import type { TraceHost } from "../thread/traces.ts";
import type { SpanRecord } from "./span-record.ts";

/** More than so many spans do not wait: the newest ones are dropped. */
const MAX_WAITING = 2048;
/** So many are sent at once, and sent as soon as there are. */
const BATCH = 512;

/** What became of a batch: `again` when it may be sent once more. */
export type Sent =
  | { readonly status: "taken" }
  | { readonly status: "refused" | "again"; readonly reason: string };

/** Spans on their way out, as many as memory is given for. An endpoint that takes none costs no more than that. */
export class SpanQueue {
  readonly #host: TraceHost;
  readonly #send: (spans: readonly SpanRecord[]) => Promise<Sent>;
  #waiting: SpanRecord[] = [];
  #dropped = 0;
  #flushed: Promise<void> = Promise.resolve();

  constructor(host: TraceHost, send: (spans: readonly SpanRecord[]) => Promise<Sent>) {
    this.#host = host;
    this.#send = send;
  }

  add(span: SpanRecord): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length % BATCH === 0) this.#host.waitUntil(this.flush());
  }

  /** Sends what there is. What an endpoint does not take now goes with the next flush, unless it never will. */
  flush(): Promise<void> {
    this.#flushed = this.#flushed.then(() => this.#flush());
    return this.#flushed;
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH);
      const sent = await this.#send(batch);
      if (sent.status === "again") return this.#note(sent.reason);
      this.#waiting.splice(0, batch.length);
      if (sent.status === "taken") continue;
      this.#dropped += batch.length;
      this.#note(sent.reason);
    }
    if (this.#dropped > 0) this.#note("queue_full");
  }

  #note(reason: string): void {
    const fields = { code: reason, waiting: this.#waiting.length, dropped: this.#dropped };
    this.#dropped = 0;
    this.#host.log.note("warn", "traces.not_taken", fields);
  }
}
