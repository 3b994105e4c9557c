import { RefusedError } from "../../errors.ts";
import type { AnswerRecord } from "../answers/answer-rows.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { StoredEvent } from "./received-event-rows.ts";
import type { RunAdmission } from "../runs/run-admission.ts";
import { awaitedEvents, nextTime, type Standing } from "../state/standing.ts";
import type { StateReader } from "../state/state-reader.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import type { WaitTimer } from "./wait-timer.ts";

export interface AnswerParts {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly admission: RunAdmission;
  readonly states: StateReader;
  readonly timer: WaitTimer;
}

/** What the thread stands at, and when that was read. */
export interface Reading extends Standing {
  readonly checkpointId: string | undefined;
  readonly revision: number;
}

/** Answers that are to be given in a run of the thread's own. */
export interface Delivery {
  readonly answers: readonly (readonly [id: string, value: unknown])[];
  readonly by: string;
  /** The events among them. */
  readonly events: readonly StoredEvent[];
}

/** The thread has changed since it was read. */
export class MovedError extends Error {}

/**
 * Answers that the thread itself gives: each is a run of its own, taken in where nothing is before it in the queue, in one
 * transaction with what it answers by.
 */
export class WaitAnswers {
  readonly #parts: AnswerParts;
  /** The last run of the thread's own that this instance took in. */
  #own: string | undefined;

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  /** Whether the run was taken in here, as the last one. */
  isOwn(runId: string): boolean {
    return this.#own === runId;
  }

  async read(): Promise<Reading> {
    const { storage, states } = this.#parts;
    const { revision } = storage;
    return { ...(await states.standing(storage.thread()?.thread_id ?? "")), revision };
  }

  /** Whether nothing was written since; to be followed by a transaction, without a wait between. */
  isFresh({ revision }: Reading): boolean {
    return this.#parts.storage.revision === revision;
  }

  /** Who can be given an event: nothing else is on its way to them. */
  readers(reading: Reading): ReturnType<typeof awaitedEvents> {
    const held = this.held(reading);
    return awaitedEvents(reading).filter(({ id }) => !held.has(id));
  }

  /** What a run has an answer to that has not ended. */
  held(reading: Reading): ReadonlySet<string> {
    return this.#given(reading, (answer) => this.#isHeld(answer));
  }

  /** What no time answers again. */
  settled(reading: Reading): ReadonlySet<string> {
    return this.#given(reading, (answer) => this.#isSettled(answer));
  }

  /** Gives the id of the run that was taken in; none when the thread has moved on meanwhile, and nothing was done. */
  async deliver(
    reading: Reading,
    { answers, by, events }: Delivery,
    give: (runId: string) => void = () => undefined,
  ): Promise<string | undefined> {
    const { storage, admission, platform, timer } = this.#parts;
    const thread = storage.thread();
    if (thread === undefined) return undefined;
    const runId = storage.randomId();
    const continues = storage.saver.head(thread.thread_id)?.metadata.run ?? undefined;
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
      timer.set(nextTime(reading, new Set(answers.map(([id]) => id))));
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
    const head = storage.saver.head(storage.thread()?.thread_id ?? "")?.id;
    return storage.queue.first() === runId && head === checkpointId;
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
}
