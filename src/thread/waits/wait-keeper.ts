import { decode } from "../../checkpoint/encoding.ts";
import type { Environment } from "../../pregel/environment.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { EditState } from "../state/state-protocol.ts";
import type { EventReceipt, SendEvent } from "./sent-event.ts";
import type { StoredEvent } from "./received-event-rows.ts";
import type { RunAdmission } from "../runs/run-admission.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import { awaitedEvents, dueAnswers, nextTime, type Standing, type StandingAfter } from "../state/standing.ts";
import type { StateReader } from "../state/state-reader.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import { EventIntake } from "./event-intake.ts";
import { type Delivery, type Reading, WaitAnswers } from "./wait-answers.ts";
import { WaitTimer } from "./wait-timer.ts";

/** So long, in milliseconds, nobody looks at what a run holds that has not begun. When it leaves, somebody does. */
const HELD_FOR = 60 * 60 * 1000;

export interface WaitParts {
  readonly storage: ThreadStorage;
  readonly environment: Pick<Environment, "now">;
  readonly platform: ThreadPlatform;
  readonly queue: RunQueue;
  readonly admission: RunAdmission;
  readonly states: StateReader;
}

/**
 * Answers what nobody has to be asked for: sleeps and time-outs when they are over, questions that expire, and events that
 * have come. Each answer is a run of the thread's own, taken in when nothing else is in the queue, in one transaction with
 * what it answers by. The one timer is set for what comes next at the checkpoint that the thread stands at.
 */
export class WaitKeeper {
  readonly #parts: WaitParts;
  readonly #timer: WaitTimer;
  readonly #answers: WaitAnswers;
  readonly #intake: EventIntake;

  constructor(parts: WaitParts) {
    this.#parts = parts;
    this.#timer = new WaitTimer(parts.storage);
    this.#answers = new WaitAnswers({ ...parts, timer: this.#timer });
    this.#intake = new EventIntake({ ...parts, answers: this.#answers });
  }

  /** An event has come: it is given to who waits for it, or kept. The same one again gets the receipt of the first. */
  send(event: SendEvent): Promise<EventReceipt> {
    return this.#intake.send(event);
  }

  /** Part of the transaction in which a run leaves the queue. */
  noteLeft(runId: string, standing: StandingAfter): void {
    const { storage, platform } = this.#parts;
    const run = storage.runs.get(runId);
    storage.received.settle(runId, run?.inputApplied === true && run.cancelled !== "rollback");
    // What never began has changed nothing but that it was to answer something.
    const isSame = run?.attempt === 0 && storage.answers.ofRun(runId).length === 0;
    if (standing === "same" || (standing === "unknown" && isSame)) return this.#lookAgain(runId);
    this.#timer.set(standing === "unknown" ? platform.now() : this.#dueAt(standing));
  }

  /** Does an edit. One at an older checkpoint may reopen what was waited for there: whatever happens, that is found. */
  async watching<T>({ checkpointId }: EditState, edit: () => Promise<T>): Promise<T> {
    if (checkpointId === undefined) return edit();
    const { storage, platform } = this.#parts;
    const before = this.#timer.due();
    storage.transaction(() => this.#timer.set(platform.now() + platform.lease));
    platform.reached("edit.watched");
    try {
      return await edit();
    } catch (error) {
      storage.transaction(() => this.#timer.set(before));
      throw error;
    }
  }

  /** In a transaction: the thread may stand somewhere else than what the timer was set for. */
  noteEdit(): void {
    const { platform } = this.#parts;
    if (this.#timer.due() !== undefined) this.#timer.set(platform.now());
  }

  /** Answers what is due, and sets the timer for what is next. */
  async onTimer(): Promise<void> {
    const { storage, queue } = this.#parts;
    while (queue.isEmpty()) {
      const reading = await this.#answers.read();
      const delivery = await this.#due(reading);
      if (delivery !== undefined) {
        if ((await this.#answers.deliver(reading, delivery)) === undefined) break;
        return;
      }
      if (!this.#answers.isFresh(reading)) continue;
      return storage.transaction(() => this.#timer.set(this.#next(reading)));
    }
    // What has come before sets the timer when it leaves the queue.
    const { platform } = this.#parts;
    storage.transaction(() => this.#timer.set(platform.now() + platform.lease));
  }

  /**
   * The thread stands where it stood. What came while the run was in the queue has looked at nothing, and answers that the
   * run had were not taken. What the thread itself has given in vain is given again after a lease.
   */
  #lookAgain(runId: string): void {
    const { storage, platform } = this.#parts;
    const isOwn = this.#answers.isOwn(runId) || storage.answers.ofRun(runId).length > 0;
    const isWaiting = this.#timer.due() !== undefined || storage.received.countKept() > 0;
    if (isOwn || isWaiting) this.#timer.set(platform.now() + (isOwn ? platform.lease : 0));
  }

  #dueAt(standing: Standing): number | undefined {
    const { storage, platform } = this.#parts;
    const now = platform.now();
    const isHere = awaitedEvents(standing).some(({ key }) => storage.received.kept(key, 1, now).length > 0);
    return isHere ? now : nextTime(standing);
  }

  async #due(reading: Reading): Promise<Delivery | undefined> {
    const now = this.#parts.environment.now();
    const given = this.#answers.settled(reading);
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
    const waits = Map.groupBy(this.#answers.readers(reading), ({ key }) => key);
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

  #next(reading: Reading): number | undefined {
    const isHeld = this.#answers.held(reading).size > 0;
    const next = nextTime(reading, this.#answers.settled(reading));
    return isHeld ? Math.min(next ?? Infinity, this.#parts.platform.now() + HELD_FOR) : next;
  }
}
