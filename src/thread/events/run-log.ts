import { chain, isPromise } from "../../checkpoint/maybe-promise.ts";
import type { SerializerProtocol } from "../../checkpoint/serde/protocol.ts";
import type { MaybePromise } from "../../checkpoint/types.ts";
import { SUPERSTEPS_BEHIND, WRITE_AFTER, WRITE_SIZE } from "./event-limits.ts";
import { EventTail } from "./event-tail.ts";
import { loggedEvent, type LoggedEvent } from "./logged-event.ts";
import { LogWriter, type LogWriterParts } from "./log-writer.ts";
import type { Position } from "./position.ts";
import { UnwrittenEvents } from "./unwritten-events.ts";
import { INTERVAL, WritePace } from "./write-pace.ts";

export interface RunLogParts extends LogWriterParts {
  readonly serde: SerializerProtocol;
  readonly now: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Resolves when all that was written is durable. */
  readonly sync: () => Promise<void>;
  readonly report: (fault: unknown) => void;
  /** Does it in a transaction of its own, unless the attempt may commit no more: then it throws. */
  readonly commit: (write: () => void) => void;
  /** There is a new event. */
  readonly onEvent: () => void;
}

export interface LoggedRun {
  readonly id: string;
  readonly attempt: number;
  /** Whether it says anything that a next attempt could tell from its checkpoints. */
  readonly isDerivable: boolean;
}

/**
 * Who can say an event again. "derived": as long as the superstep is not finished a new attempt does, and afterwards its
 * checkpoint. "own": nobody. "staged": nobody, and it is true when the checkpoint that is being staged is stored: it is told then.
 */
export type EventKind = "derived" | "own" | "staged";

/**
 * The events of one attempt of a run. They are told at once, and go to the rows in the commit of their superstep.
 *
 * Where supersteps follow faster on each other than the log is written, what they say waits, and is told when it is
 * stored. So, when the object stops, the log has all of a finished superstep, or nobody was told of it and the
 * next attempt tells it, from its checkpoint: no event is lost, and none is told under two ids.
 */
export class RunLog {
  readonly runId: string;
  readonly attempt: number;
  readonly #parts: RunLogParts;
  readonly #tail: EventTail;
  readonly #writer: LogWriter;
  readonly #pace = new WritePace();
  readonly #unwritten: UnwrittenEvents;
  /** Of the last event. */
  #seq = 0;
  /** Of the last event that readers may have. */
  #told = 0;
  #writtenAt: number;
  /** Something of the superstep that goes on is told: the rest is told at once, and stored in its commit. */
  #isOpen = false;
  /** What a finished superstep has said waits, untold. */
  #isBehind = false;
  /** The one of the superstep that has finished last. */
  #checkpoint: string | undefined;
  readonly #isDerivable: boolean;
  /** Supersteps that have finished since the rows said up to which checkpoint the log is complete. */
  #unnoted = 0;
  #isTimed = false;
  #isWriting = false;
  #isClosed = false;

  constructor(run: LoggedRun, parts: RunLogParts) {
    this.runId = run.id;
    this.attempt = run.attempt;
    this.#parts = parts;
    this.#tail = new EventTail({ attempt: run.attempt, seq: 0 });
    this.#writer = new LogWriter(run.id, parts);
    this.#unwritten = new UnwrittenEvents(parts.serde);
    this.#writtenAt = parts.now();
    this.#isDerivable = run.isDerivable;
    if (run.attempt > 1 && run.isDerivable) this.#checkpoint = this.#writer.checkpoint();
  }

  /** Whether this attempt has told nothing. */
  get isEmpty(): boolean {
    return this.#seq === 0;
  }

  /** Up to which the log is complete; undefined where no row says so. */
  get checkpoint(): string | undefined {
    return this.#checkpoint;
  }

  /** Takes the data as it is now. Never throws: what cannot be sent is no matter of the run. */
  emit(name: string, data: unknown, kind: EventKind = "own"): void {
    if (this.#isClosed) return;
    const isDerived = kind === "derived";
    const { now, report } = this.#parts;
    try {
      const event = loggedEvent({ attempt: this.attempt, seq: this.#seq + 1 }, name, data);
      this.#seq += 1;
      this.#tail.push(event);
      this.#unwritten.push(event, !isDerived);
      if (kind === "staged") return;
      if (!this.#isBehind && (!isDerived || this.#pace.wait(now()) === 0)) this.#isOpen = true;
      // What a node says itself costs its superstep a row anyway: what waits goes along.
      if (!this.#isOpen) return isDerived ? this.#later() : this.#write();
      this.#tell(this.#seq);
      const isLate = !isDerived && now() - this.#writtenAt >= WRITE_AFTER;
      if (isLate || this.#unwritten.looseSize >= WRITE_SIZE) this.#write();
    } catch (fault) {
      report(fault);
    }
  }

  /** As `emit`, with all that `events` makes. */
  emitAll(events: () => Iterable<readonly [name: string, data: unknown, kind: EventKind]>): void {
    try {
      for (const event of events()) this.emit(...event);
    } catch (fault) {
      this.#parts.report(fault);
    }
  }

  /** What a superstep has said that finished in an earlier attempt, without having been told. What fails is only reported. */
  async derive(checkpoint: string, say: () => Promise<void>): Promise<void> {
    this.#isOpen = false;
    this.#isBehind = true;
    try {
      await say();
    } catch (fault) {
      // Newer code may not know any more what older code has done, and a value may be gone that nobody else needs.
      this.#parts.report(fault);
    }
    this.#checkpoint = checkpoint;
  }

  /** All that earlier attempts have finished is derived: it is stored and told, also when this one ends the object at once. */
  async catchUp(): Promise<void> {
    const { commit, sync, report } = this.#parts;
    if (!this.#isBehind) return;
    try {
      await this.ready();
      if (this.#isClosed) return;
      commit(() => this.#writeOrNote());
      await sync();
    } catch (fault) {
      report(fault);
      this.#later(INTERVAL);
    }
    this.#isBehind &&= !this.#unwritten.isEmpty;
  }

  /** The events after this one; undefined when some of them are to be had from the rows only. */
  after(position: Position): readonly LoggedEvent[] | undefined {
    return this.#tail.after(position, this.#told);
  }

  /** Makes all that there is ready to be written. */
  ready(): MaybePromise<void> {
    return this.#unwritten.ready();
  }

  /**
   * Makes ready what goes with the commit of a checkpoint: `finished` is its id, absent where it is one of a graph inside
   * a node. What is returned is to be called in the transaction, in which nothing fails after it.
   */
  stage(finished: string | undefined): MaybePromise<(() => void) | undefined> {
    return chain(this.ready(), () => {
      if (this.#unwritten.hasBatches || this.#isOpen)
        return () => (finished === undefined ? this.#finishInside() : this.#finish(finished));
      return finished === undefined ? undefined : this.#pass(finished);
    });
  }

  /** Writes what is ready; in a transaction. */
  writeReady(): void {
    const ready = this.#unwritten.takeReady();
    const newest = ready.at(-1)?.events.at(-1);
    if (newest === undefined) return;
    this.#writer.append(ready, this.#checkpoint);
    this.#unnoted = 0;
    this.#tail.trim(newest.position);
    this.#writtenAt = this.#parts.now();
    this.#pace.note(this.#writtenAt);
    this.#isBehind &&= this.#unwritten.hasBatches;
    this.#tell(newest.position.seq);
  }

  /** The attempt is over: what a node says afterwards is lost. */
  close(): void {
    this.#isClosed = true;
  }

  #tell(seq: number): void {
    this.#told = Math.max(this.#told, seq);
    this.#parts.onEvent();
  }

  /** A superstep of the graph itself has said nothing, and nothing waits. */
  #pass(checkpoint: string): (() => void) | undefined {
    this.#checkpoint = checkpoint;
    this.#unnoted += 1;
    return this.#isDerivable && this.#unnoted >= SUPERSTEPS_BEHIND ? () => this.#writeOrNote() : undefined;
  }

  /** A superstep of the graph itself is committed. */
  #finish(checkpoint: string): void {
    this.#checkpoint = checkpoint;
    this.#unnoted += 1;
    if (this.#isOpen || this.#isDue()) {
      this.#writeOrNote();
      this.#isOpen = false;
    } else {
      this.#isBehind = true;
      this.#later();
    }
  }

  /** In a transaction. */
  #writeOrNote(): void {
    if (this.#unwritten.hasBatches) return this.writeReady();
    if (this.#checkpoint !== undefined) this.#writer.noteCheckpoint(this.#checkpoint);
    this.#unnoted = 0;
  }

  /** A superstep inside a node is committed: what it has said is said by no checkpoint of the graph. */
  #finishInside(): void {
    if (!this.#unwritten.hasOwn) return;
    this.writeReady();
    this.#isOpen = !this.#isBehind;
  }

  #isDue(): boolean {
    if (this.#unwritten.hasOwn || this.#pace.wait(this.#parts.now()) === 0) return true;
    if (this.#unnoted >= SUPERSTEPS_BEHIND) return true;
    return this.#unwritten.batchesSize >= WRITE_SIZE;
  }

  /** Without a checkpoint to go with. */
  #write(): void {
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#writtenAt = this.#parts.now();
    try {
      const written = chain(this.ready(), () => this.#store());
      if (isPromise(written)) void written.catch((fault: unknown) => this.#writeAgain(fault));
    } catch (fault) {
      this.#writeAgain(fault);
    }
  }

  #store(): void {
    if (this.#isClosed) return;
    this.#parts.commit(() => this.writeReady());
    this.#isWriting = false;
    if (this.#isBehind) return this.#later();
    this.#isOpen = true;
    this.#tell(this.#seq);
  }

  #writeAgain(fault: unknown): void {
    this.#isWriting = false;
    this.#parts.report(fault);
    this.#later(INTERVAL);
  }

  /** What waits is told when the next write may come. */
  #later(atLeast = 0): void {
    if (this.#isTimed || this.#isClosed) return;
    this.#isTimed = true;
    const { wait, now, report } = this.#parts;
    void wait(Math.max(atLeast, this.#pace.wait(now())))
      .then(() => this.#onTime())
      .catch(report);
  }

  #onTime(): void {
    this.#isTimed = false;
    if (this.#isClosed || this.#told === this.#seq) return;
    if (this.#pace.wait(this.#parts.now()) > 0) return this.#later();
    if (this.#isBehind) return this.#write();
    this.#isOpen = true;
    this.#tell(this.#seq);
  }
}
