import { decode, encode, type Encoded } from "../checkpoint/encoding.ts";
import { RefusedError } from "../errors.ts";
import type { Environment } from "../pregel/environment.ts";
import { requireEventKey, type ReceivedEvent } from "../pregel/wait.ts";
import type { AnswerRecord } from "./answer-rows.ts";
import { eventTooLarge, threadNotFound, tooManyEvents } from "./errors.ts";
import type { StoredEvent } from "./received-event-rows.ts";
import type { ThreadPlatform } from "./platform.ts";
import { type ContentHashes, hashedKey } from "./content-hashes.ts";
import type { EditState, EventReceipt, Idempotency, SendEvent } from "./protocol.ts";
import type { RunAdmission } from "./run-admission.ts";
import type { RunQueue } from "./run-queue.ts";
import { awaitedEvents, dueAnswers, nextTime, type Standing, type StandingAfter } from "./standing.ts";
import type { StateReader } from "./state-reader.ts";
import type { ThreadStorage } from "./thread-storage.ts";

/** Events that nobody has got yet, in a thread. */
const MAX_KEPT = 1000;
/** In bytes, as it is stored: in the row. */
const MAX_PAYLOAD = 256 * 1024;
/** So long, in milliseconds, nobody looks at what a run holds that has not begun. When it leaves, somebody does. */
const HELD_FOR = 60 * 60 * 1000;

/** An event whose key is named as the rows name it. */
type HashedEvent = SendEvent & { readonly idempotency?: Idempotency & ContentHashes };

export interface WaitParts {
  readonly storage: ThreadStorage;
  readonly environment: Pick<Environment, "now">;
  readonly platform: ThreadPlatform;
  readonly queue: RunQueue;
  readonly admission: RunAdmission;
  readonly states: StateReader;
}

/** What the thread stands at, and when that was read. */
interface Reading extends Standing {
  readonly checkpointId: string | undefined;
  readonly revision: number;
}

/** Answers that are to be given in a run of the thread's own. */
interface Delivery {
  readonly answers: readonly (readonly [id: string, value: unknown])[];
  readonly by: string;
  /** The events among them. */
  readonly events: readonly StoredEvent[];
}

/** The thread has changed since it was read. */
class MovedError extends Error {}

/**
 * Answers what nobody has to be asked for: sleeps and time-outs when they are over, questions that expire, and events that
 * have come. Each answer is a run of the thread's own, taken in when nothing else is in the queue, in one transaction with
 * what it answers by. The one timer is set for what comes next at the checkpoint that the thread stands at.
 */
export class WaitKeeper {
  readonly #parts: WaitParts;
  /** The last run of the thread's own that this instance took in. */
  #own: string | undefined;

  constructor(parts: WaitParts) {
    this.#parts = parts;
  }

  /** Part of the transaction in which a run leaves the queue. */
  noteLeft(runId: string, standing: StandingAfter): void {
    const { storage, platform } = this.#parts;
    const run = storage.runs.get(runId);
    storage.received.settle(runId, run?.inputApplied === true && run.cancelled !== "rollback");
    // What never began has changed nothing but that it was to answer something.
    const isSame = run?.attempt === 0 && storage.answers.ofRun(runId).length === 0;
    if (standing === "same" || (standing === "unknown" && isSame)) return this.#lookAgain(runId);
    this.#setTimer(standing === "unknown" ? platform.now() : this.#dueAt(standing));
  }

  /** Does an edit. One at an older checkpoint may reopen what was waited for there: whatever happens, that is found. */
  async watching<T>({ checkpointId }: EditState, edit: () => Promise<T>): Promise<T> {
    if (checkpointId === undefined) return edit();
    const { storage, platform } = this.#parts;
    const before = storage.timers.dueTime("wait", "");
    storage.transaction(() => this.#setTimer(platform.now() + platform.lease));
    platform.reached("edit.watched");
    try {
      return await edit();
    } catch (error) {
      storage.transaction(() => this.#setTimer(before));
      throw error;
    }
  }

  /** In a transaction: the thread may stand somewhere else than what the timer was set for. */
  noteEdit(): void {
    const { storage, platform } = this.#parts;
    if (storage.timers.dueTime("wait", "") !== undefined) this.#setTimer(platform.now());
  }

  /** Answers what is due, and sets the timer for what is next. */
  async onTimer(): Promise<void> {
    const { storage, queue } = this.#parts;
    while (queue.isEmpty()) {
      const reading = await this.#read();
      const delivery = await this.#due(reading);
      if (delivery !== undefined) {
        if ((await this.#deliver(reading, delivery)) === undefined) break;
        return;
      }
      if (!this.#isFresh(reading)) continue;
      return storage.transaction(() => this.#setTimer(this.#next(reading)));
    }
    // What has come before sets the timer when it leaves the queue.
    const { platform } = this.#parts;
    storage.transaction(() => this.#setTimer(platform.now() + platform.lease));
  }

  /** An event has come: it is given to who waits for it, or kept. The same one again gets the receipt of the first. */
  async send(call: SendEvent): Promise<EventReceipt> {
    requireEventKey(call.key);
    const { storage, queue } = this.#parts;
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
      const reading = await this.#read();
      const wait = this.#readers(reading).find(({ key }) => key === event.key);
      if (wait !== undefined) {
        const value: ReceivedEvent = { timedOut: false, payload: event.payload };
        const delivery = { answers: [[wait.id, value] as const], by: "event", events: [] };
        const give = (runId: string): void => this.#insert(event, payload, runId);
        const runId = await this.#deliver(reading, delivery, give);
        if (runId !== undefined) return { event_id: event.eventId, status: "delivered", run_id: runId };
      } else if (this.#isFresh(reading)) return this.#keep(event, payload);
    }
  }

  /**
   * The thread stands where it stood. What came while the run was in the queue has looked at nothing, and answers that the
   * run had were not taken. What the thread itself has given in vain is given again after a lease.
   */
  #lookAgain(runId: string): void {
    const { storage, platform } = this.#parts;
    const isOwn = this.#own === runId || storage.answers.ofRun(runId).length > 0;
    const isWaiting = storage.timers.dueTime("wait", "") !== undefined || storage.received.countKept() > 0;
    if (isOwn || isWaiting) this.#setTimer(platform.now() + (isOwn ? platform.lease : 0));
  }

  #dueAt(standing: Standing): number | undefined {
    const { storage, platform } = this.#parts;
    const now = platform.now();
    const isHere = awaitedEvents(standing).some(({ key }) => storage.received.kept(key, 1, now).length > 0);
    return isHere ? now : nextTime(standing);
  }

  async #read(): Promise<Reading> {
    const { storage, states } = this.#parts;
    const { revision } = storage;
    return { ...(await states.standing(storage.thread()?.thread_id ?? "")), revision };
  }

  /** Whether nothing was written since; to be followed by a transaction, without a wait between. */
  #isFresh({ revision }: Reading): boolean {
    return this.#parts.storage.revision === revision;
  }

  async #due(reading: Reading): Promise<Delivery | undefined> {
    const now = this.#parts.environment.now();
    const given = this.#given(reading, (answer) => this.#isSettled(answer));
    const due = dueAnswers(reading, now).filter(({ interruptId }) => !given.has(interruptId));
    const events = await this.#awaited(reading, now);
    if (events !== undefined) return events;
    const [first] = due;
    if (first === undefined) return undefined;
    const alike = due.filter(({ by }) => by === first.by);
    return { answers: alike.map(({ interruptId, value }) => [interruptId, value]), by: first.by, events: [] };
  }

  /** Events that came before the thread waited for them: the first ones to those who waited first. */
  async #awaited(reading: Reading, now: number): Promise<Delivery | undefined> {
    const { storage } = this.#parts;
    const waits = Map.groupBy(this.#readers(reading), ({ key }) => key);
    const answers: [string, unknown][] = [];
    const events: StoredEvent[] = [];
    for (const [key, readers] of waits) {
      for (const [index, event] of storage.received.kept(key, readers.length, now).entries()) {
        const reader = readers[index];
        if (reader === undefined || event.payload === undefined) continue;
        const payload = await decode(storage.serde, event.payload);
        answers.push([reader.id, { timedOut: false, payload }]);
        events.push(event);
      }
    }
    return events.length === 0 ? undefined : { answers, by: "event", events };
  }

  /** Who can be given an event: nothing else is on its way to them. */
  #readers(reading: Reading): ReturnType<typeof awaitedEvents> {
    const held = this.#given(reading, (answer) => this.#isHeld(answer));
    return awaitedEvents(reading).filter(({ id }) => !held.has(id));
  }

  #next(reading: Reading): number | undefined {
    const isHeld = this.#given(reading, (answer) => this.#isHeld(answer)).size > 0;
    const next = nextTime(
      reading,
      this.#given(reading, (answer) => this.#isSettled(answer)),
    );
    return isHeld ? Math.min(next ?? Infinity, this.#parts.platform.now() + HELD_FOR) : next;
  }

  /** What has such an answer here. */
  #given(reading: Reading, isSuch: (answer: AnswerRecord) => boolean): ReadonlySet<string> {
    const { storage } = this.#parts;
    const ids = [...(reading.waiting ?? []), ...reading.interrupts].map(({ id }) => id);
    const isGiven = (id: string): boolean =>
      storage.answers.of(id).some((answer) => answer.checkpointId === reading.checkpointId && isSuch(answer));
    return new Set(ids.filter(isGiven));
  }

  /** No time answers it again: a run that has not begun has the answer, or it has not taken one and waits for another. */
  #isSettled(answer: AnswerRecord): boolean {
    const { answeredBy, runId } = answer;
    const byTime = answeredBy === "timer" || answeredBy === "expiry";
    return this.#isHeld(answer) || (byTime && this.#parts.storage.runs.get(runId)?.inputApplied === true);
  }

  #isHeld({ runId }: AnswerRecord): boolean {
    const run = this.#parts.storage.runs.get(runId);
    return run !== undefined && run.endedAt === undefined;
  }

  /** Gives the id of the run that was taken in; none when the thread has moved on meanwhile, and nothing was done. */
  async #deliver(
    reading: Reading,
    { answers, by, events }: Delivery,
    give: (runId: string) => void = () => undefined,
  ): Promise<string | undefined> {
    const { storage, admission, platform } = this.#parts;
    const thread = storage.thread();
    if (thread === undefined) return undefined;
    const runId = storage.randomId();
    const continues = storage.checkpoints.head(thread.thread_id)?.runId;
    const request = { input: { kind: "answers", answers }, config: {}, answeredBy: by } as const;
    const start = {
      tenant: thread.tenant,
      threadId: thread.thread_id,
      runId,
      request: { ...request, onInterrupted: "refuse", modes: [] },
      ...(continues !== undefined && { continues }),
    } as const;
    const onAdmitted = (admitted: string): void => {
      if (admitted !== runId || !this.#isNext(reading, runId)) throw new MovedError();
      for (const event of events) storage.received.give(event.id, runId);
      give(runId);
      this.#own = runId;
      this.#setTimer(nextTime(reading, new Set(answers.map(([id]) => id))));
    };
    try {
      await admission.admit(start, onAdmitted);
    } catch (error) {
      const isLate = error instanceof RefusedError && error.code === "interrupt_answered";
      if (error instanceof MovedError || isLate) return undefined;
      throw error;
    }
    platform.reached("wait.answered");
    return runId;
  }

  /** Whether the run goes on where the thread was read: nothing is before it in the queue. */
  #isNext({ checkpointId }: Reading, runId: string): boolean {
    const { storage } = this.#parts;
    const head = storage.saver.headId(storage.thread()?.thread_id ?? "");
    return storage.runs.first() === runId && head === checkpointId;
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

  #setTimer(due: number | undefined): void {
    const { timers } = this.#parts.storage;
    const known = timers.dueTime("wait", "");
    if (due === known) return;
    if (due === undefined) timers.clear("wait", "");
    else timers.set("wait", "", due);
  }
}

function receiptOf({ id, run }: StoredEvent): EventReceipt {
  return run === undefined
    ? { event_id: id, status: "kept" }
    : { event_id: id, status: "delivered", run_id: run };
}
