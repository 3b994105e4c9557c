import { encode, type Encoded } from "../../checkpoint/encoding.ts";
import { requireEventKey } from "../../pregel/wait.ts";
import type { ReceivedEvent } from "../../pregel/waited.ts";
import { type HashedKey, hashedKey } from "../idempotency/content-hashes.ts";
import { eventTooLarge, threadNotFound, tooManyEvents } from "../errors.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { EventReceipt, SendEvent } from "./sent-event.ts";
import type { StoredEvent } from "./received-event-rows.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import { MovedError, type WaitAnswers } from "./wait-answers.ts";

/** Events that nobody has got yet, in a thread. */
const MAX_KEPT = 1000;
/** In bytes, as it is stored: in the row. */
const MAX_PAYLOAD = 256 * 1024;
/** An event whose key is named as the rows name it. */
type HashedEvent = SendEvent & { readonly idempotency?: HashedKey };

export interface IntakeParts {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly queue: RunQueue;
  readonly answers: WaitAnswers;
}

/** Takes events in: each is given to who waits for it, in the transaction that stores it, or kept for who will. */
export class EventIntake {
  readonly #parts: IntakeParts;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /** An event has come: it is given to who waits for it, or kept. The same one again gets the receipt of the first. */
  async send(call: SendEvent): Promise<EventReceipt> {
    requireEventKey(call.key);
    const { storage, queue, answers } = this.#parts;
    const { idempotency: given, ...others } = call;
    const idempotency = await hashedKey(storage.serde, given);
    const event: HashedEvent = idempotency === undefined ? others : { ...others, idempotency };
    const payload = await encode(storage.serde, event.payload);
    if (payload.data.byteLength > MAX_PAYLOAD) throw eventTooLarge(payload.data.byteLength, MAX_PAYLOAD);
    for (;;) {
      if (storage.thread() === undefined) throw threadNotFound(event.threadId);
      const known = this.#known(event);
      if (known !== undefined) return receiptOf(known);
      if (!queue.isEmpty()) return this.#keep(event, payload);
      const reading = await answers.read();
      const wait = answers.readers(reading).find(({ key }) => key === event.key);
      if (wait !== undefined) {
        const value: ReceivedEvent = { timedOut: false, payload: event.payload };
        const delivery = { answers: [[wait.id, value] as const], by: "event", events: [] };
        const give = (runId: string): void => this.#insert(event, payload, runId);
        const runId = await answers.deliver(reading, delivery, give);
        if (runId !== undefined) return { event_id: event.eventId, status: "delivered", run_id: runId };
      } else if (answers.isFresh(reading)) return this.#keep(event, payload);
    }
  }

  #keep(event: HashedEvent, payload: Encoded): EventReceipt {
    const { storage, platform } = this.#parts;
    storage.transaction(() => {
      // Those that are too old do not count.
      storage.received.removeOld(platform.now());
      if (storage.received.countKept() >= MAX_KEPT) throw tooManyEvents(MAX_KEPT);
      this.#insert(event, payload, undefined);
    });
    platform.reached("event.kept");
    return { event_id: event.eventId, status: "kept" };
  }

  /** In a transaction. */
  #insert(event: HashedEvent, payload: Encoded, run: string | undefined): void {
    const { storage, platform } = this.#parts;
    const { eventId: id, key, delivery, idempotency } = event;
    const receivedAt = platform.now();
    // The same event may have come twice at once.
    if (this.#known(event) !== undefined) throw new MovedError();
    storage.received.removeOld(receivedAt);
    storage.received.insert({ id, key, delivery, payload, receivedAt, run });
    if (idempotency !== undefined) storage.keys.insert(idempotency, id, receivedAt);
  }

  #known({ eventId, delivery, idempotency }: HashedEvent): StoredEvent | undefined {
    const { storage, platform } = this.#parts;
    const id = idempotency && storage.keys.find(idempotency, platform.now());
    return (
      storage.received.get(id ?? eventId) ??
      (delivery === undefined ? undefined : storage.received.ofDelivery(delivery))
    );
  }
}

function receiptOf({ id, run }: StoredEvent): EventReceipt {
  return run === undefined
    ? { event_id: id, status: "kept" }
    : { event_id: id, status: "delivered", run_id: run };
}
