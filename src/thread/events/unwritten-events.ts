import { encode, type Encoded } from "../../checkpoint/encoding.ts";
import { chain } from "../../checkpoint/maybe-promise.ts";
import type { SerializerProtocol } from "../../checkpoint/serde/protocol.ts";
import type { MaybePromise } from "../../checkpoint/types.ts";
import type { LoggedEvent } from "./logged-event.ts";
import type { WrittenBatch } from "./log-writer.ts";

/** Events that are encoded together. */
interface Batch extends WrittenBatch {
  /** In characters. */
  readonly size: number;
  encoded: Encoded | undefined;
  ready: MaybePromise<void>;
}

/** The events of an attempt that no row has yet, in the order in which they are written. Sizes are in characters. */
export class UnwrittenEvents {
  readonly #serde: SerializerProtocol;
  #loose: LoggedEvent[] = [];
  #looseSize = 0;
  /** Encoded, or being encoded. */
  readonly #batches: Batch[] = [];
  /** Of the last event that no checkpoint could say again. */
  #lastOwn = 0;

  constructor(serde: SerializerProtocol) {
    this.#serde = serde;
  }

  /** `isOwn`: no checkpoint could say it again. */
  push(event: LoggedEvent, isOwn: boolean): void {
    this.#loose.push(event);
    this.#looseSize += event.text.length;
    if (isOwn) this.#lastOwn = event.position.seq;
  }

  get isEmpty(): boolean {
    return !this.hasBatches && this.#loose.length === 0;
  }

  /** Of those that nobody has made ready yet. */
  get looseSize(): number {
    return this.#looseSize;
  }

  get hasBatches(): boolean {
    return this.#batches.length > 0;
  }

  get batchesSize(): number {
    return this.#batches.reduce((sum, { size }) => sum + size, 0);
  }

  /** Whether the batches have an event that no checkpoint could say again. */
  get hasOwn(): boolean {
    const first = this.#batches[0]?.events[0];
    return first !== undefined && first.position.seq <= this.#lastOwn;
  }

  /** Makes all that there is ready to be written. */
  ready(): MaybePromise<void> {
    this.#pack();
    const pending = this.#batches.filter(({ encoded }) => encoded === undefined);
    if (pending.length > 0) return Promise.all(pending.map(async ({ ready }) => ready)).then(() => undefined);
  }

  /** The batches that are ready, as far as none before them is not. */
  takeReady(): readonly WrittenBatch[] {
    const pending = this.#batches.findIndex(({ encoded }) => encoded === undefined);
    return this.#batches.splice(0, pending < 0 ? this.#batches.length : pending);
  }

  #pack(): void {
    if (this.#loose.length === 0) return;
    const events = this.#loose;
    const bytes = new TextEncoder().encode(events.map(({ text }) => text).join(""));
    const batch: Batch = { events, size: this.#looseSize, encoded: undefined, ready: undefined };
    this.#loose = [];
    this.#looseSize = 0;
    this.#batches.push(batch);
    batch.ready = chain(encode(this.#serde, bytes), (encoded) => {
      batch.encoded = encoded;
    });
  }
}
