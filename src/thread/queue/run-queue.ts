import { encode, type Encoded } from "../../checkpoint/encoding.ts";
import type { WireError } from "../../errors.ts";
import { faultError, wireError } from "../wire-errors.ts";
import { isPlatformReset, RunSupersededError, threadDeleted } from "../errors.ts";
import type { ThreadPlatform } from "../platform.ts";
import { type Completion, Completions } from "./completions.ts";
import type { Claim, RunRow } from "../runs/run-row.ts";
import { delayAfterFaults, delayAfterStops, MAX_STALLED } from "./stalled-runs.ts";
import { ThreadLock } from "./thread-lock.ts";
import type { ThreadStorage } from "../thread-storage.ts";

/** Executes runs: claims are already made, rows are written by the executor. */
export interface RunExecutor {
  execute(run: RunRow): Promise<Completion>;
  /** Removes what the run has written, and ends it. */
  rollBack(run: RunRow): Promise<Completion>;
  giveUp(run: RunRow): Promise<Completion>;
}

/**
 * The thread's runs, one at a time and in the order in which they came. A timer is set in the commit that puts a run into
 * the empty queue, and is there until the queue is empty again: whatever stops the object, the queue goes on.
 */
export class RunQueue {
  /** Each run has the thread to itself; so has what must not meet one. */
  readonly lock = new ThreadLock();
  readonly #storage: ThreadStorage;
  readonly #platform: ThreadPlatform;
  readonly #executor: RunExecutor;
  readonly #completions = new Completions();
  /** The runs that this instance took in. Others were left by an earlier one, which one of them may have stopped. */
  readonly #accepted = new Set<string>();
  /** The run that was entered as it was taken in, until it is executed. */
  #begun: RunRow | undefined;
  #draining = false;
  #drained = Promise.resolve();
  /** The run whose last attempt the platform has ended, as this instance was told. */
  #interrupted: string | undefined;
  /** Not before then is a run tried again that a fault has stopped, or that has stopped other instances. */
  #retryAt = 0;
  /** The run whose time has come. */
  #due: string | undefined;
  constructor(storage: ThreadStorage, platform: ThreadPlatform, executor: RunExecutor) {
    this.#storage = storage;
    this.#platform = platform;
    this.#executor = executor;
  }

  /** The run that goes on, or is next. */
  first(): string | undefined {
    return this.#next();
  }

  isEmpty(): boolean {
    return this.#storage.queue.first() === undefined;
  }

  /** Whether a run is under way, or waits for its time. */
  isBusy(): boolean {
    return !this.isEmpty() || this.#storage.timers.has("run_start");
  }

  /** To be called in the transaction that puts a run into the queue, before it is there. */
  expect(): void {
    if (this.isEmpty()) this.#setTimer(this.#platform.now() + this.#platform.lease);
  }

  /** In the transaction that takes in a run, before it is there: how it is entered, when it begins at once. */
  claimNow(): Claim | undefined {
    const now = this.#platform.now();
    if (!this.isEmpty() || this.lock.isHeld() || now < this.#retryAt) return undefined;
    return { startedAt: now, version: this.#platform.version, isCounted: true };
  }

  /** To be called when that transaction has put the run into the queue. `begun`: the run, when it was entered there. */
  accept(runId: string, begun?: RunRow): void {
    this.#accepted.add(runId);
    if (begun !== undefined) this.#begun = begun;
  }

  /** To be called in the transaction in which a run has left the queue. */
  noteLeft(): void {
    if (this.isEmpty()) this.#storage.timers.clear("queue", "");
  }

  /** Goes to work when there is some: after a restart, or when a run was put into the queue. */
  wake(): void {
    if (this.#draining || this.#platform.now() < this.#retryAt || this.isEmpty()) return;
    this.#draining = true;
    // The one who waits for the run has heard of it; the alarm tries again.
    const drained = this.#drain().catch((fault: unknown) => this.#platform.report(fault));
    this.#drained = drained;
    this.#platform.waitUntil(drained);
  }

  /** Resolves when no run goes on any more. */
  drained(): Promise<void> {
    return this.#drained;
  }

  /** The lease has ended: it is renewed while the queue is not empty. */
  onTimer(): void {
    this.#storage.transaction(() => {
      if (this.isEmpty()) this.noteLeft();
      else this.#setTimer(this.#platform.now() + this.#platform.lease);
    });
    this.#retryAt = 0;
    this.#due = this.#next();
    this.wake();
  }

  /** Resolves when the run has left the queue; rejects when the object can no longer see to it. */
  completion(runId: string): Promise<Completion> {
    const thread = this.#storage.thread();
    // Whoever waited was refused when that began, and nobody is answered after it.
    if (thread !== undefined && thread.deleting !== 0)
      return Promise.resolve({ status: "refused", error: wireError(threadDeleted(thread.thread_id)) });
    const run = this.#storage.runs.get(runId);
    const isOver = run === undefined || run.endedAt !== undefined;
    return isOver ? Promise.resolve({ status: "ended" }) : this.#completions.of(runId);
  }

  /** The run was ended from outside: its callers need not wait for what goes on of it. */
  settleStopped(runId: string): void {
    this.#settle(runId, { status: "ended" });
    // It may be the one that a fault has stopped: those behind it need not wait.
    this.#retryAt = 0;
    this.wake();
  }

  /** Nobody gets an answer from the queue any more; for a thread that is deleted. */
  dismiss(error: WireError): void {
    this.#completions.refuseAll(error);
    this.#retryAt = 0;
  }

  async #drain(): Promise<void> {
    try {
      for (let id = this.#nextNow(); id !== undefined; id = this.#nextNow()) {
        const runId = id;
        const cancelled = this.#storage.runs.get(runId)?.cancelled;
        try {
          const completion = await this.lock.exclusive(() => this.#step(runId));
          this.#settle(runId, completion);
        } catch (fault) {
          await this.#outlive(runId, cancelled, fault);
        }
      }
    } finally {
      // In the turn in which nothing was found: what comes after it wakes the queue anew.
      this.#draining = false;
    }
  }

  /** The run that may go on at once. */
  #nextNow(): string | undefined {
    const id = this.#next();
    return id === undefined || this.#platform.now() < this.#retryAt || this.#isHeldBack(id) ? undefined : id;
  }

  /**
   * What stopped a run, which was entered as `cancelled` says, lets the queue go on, now or at its time. Throws when this instance can do
   * nothing more.
   */
  async #outlive(runId: string, cancelled: RunRow["cancelled"], fault: unknown): Promise<void> {
    const { runs, serde } = this.#storage;
    try {
      if (isPlatformReset(fault)) {
        this.#interrupted = runId;
        throw fault;
      }
      const { code, message } = faultError(fault);
      const encoded = await encode(serde, { code, message });
      const run = runs.get(runId);
      if (run === undefined || run.endedAt !== undefined) this.#settle(runId, { status: "ended" });
      // Another attempt, or nobody, is to go on with the run, or go on with it in another way: the rows say which.
      if (fault instanceof RunSupersededError || this.#next() !== runId || run?.cancelled !== cancelled)
        return;
      this.#postpone(runId, encoded);
      this.#platform.log.note("warn", "run.postponed", { run_id: runId, code });
      this.#platform.report(fault, { run_id: runId });
    } catch (cause) {
      this.#accepted.delete(runId);
      this.#completions.reject(runId, cause);
      throw cause;
    }
  }

  /** A run that has stopped instances, or was stopped with them, waits for its next attempt: whoever calls meanwhile. */
  #isHeldBack(runId: string): boolean {
    if (this.#accepted.has(runId) || this.#due === runId) return false;
    const { runs, timers } = this.#storage;
    const { stalled = 0 } = runs.get(runId) ?? {};
    const now = this.#platform.now();
    const due = Math.min(timers.dueTime("queue", "") ?? now, now + delayAfterStops(stalled));
    if (stalled >= MAX_STALLED || due <= now) return false;
    this.#retryAt = due;
    this.#storage.transaction(() => this.#setTimer(due));
    this.#platform.log.note("warn", "run.held_back", { run_id: runId, stalled });
    this.#platform.reached("run.held_back");
    return true;
  }

  /** Lets the timer try the run again. Who waits for it waits on. */
  #postpone(runId: string, fault: Encoded): void {
    const { runs } = this.#storage;
    const stalled = runs.get(runId)?.stalled ?? 0;
    this.#retryAt = this.#platform.now() + delayAfterFaults(Math.max(stalled, 1));
    this.#storage.transaction(() => {
      runs.noteFault(runId, fault);
      this.#setTimer(this.#retryAt);
    });
    this.#platform.reached("run.postponed");
  }

  #setTimer(due: number): void {
    this.#storage.timers.set("queue", "", due);
  }

  #next(): string | undefined {
    return this.#storage.thread()?.deleting === 0 ? this.#storage.queue.first() : undefined;
  }

  async #step(id: string): Promise<Completion> {
    const { runs } = this.#storage;
    const before = this.#next() === id ? runs.get(id) : undefined;
    if (before === undefined) return { status: "ended" };
    if (before.stalled >= MAX_STALLED) {
      this.#storage.fence.enter(before);
      return this.#executor.giveUp(before);
    }
    const run = this.#takeBegun(before) ?? this.#claim(before);
    // One that was stopped since it was taken in is not accepted any more.
    if (!this.#accepted.has(id)) {
      // When the run stops this instance too, the attempt must have been counted.
      await this.#platform.sync();
      if (this.#next() !== id || runs.get(id)?.cancelled !== run.cancelled) return { status: "ended" };
    }
    return run.cancelled === "rollback" ? this.#executor.rollBack(run) : this.#executor.execute(run);
  }

  /** The run as it was entered when it was taken in. */
  #takeBegun(run: RunRow): RunRow | undefined {
    const begun = this.#begun;
    this.#begun = undefined;
    if (begun?.id !== run.id) return undefined;
    this.#platform.reached("run.claimed");
    return begun;
  }

  /** The attempt counts, unless the platform has ended the last one: with an error that was seen, or for newer code. */
  #claim(run: RunRow): RunRow {
    const { version, lease } = this.#platform;
    const isDeployed = run.attempt > 0 && run.version !== undefined && run.version !== version;
    const isCounted = this.#interrupted !== run.id && !isDeployed;
    this.#interrupted = undefined;
    const now = this.#platform.now();
    const claimed = this.#storage.transaction(() => {
      // Should it stop this instance too, the alarm comes no earlier than a call may try again.
      if (run.stalled > 0) this.#setTimer(now + Math.max(lease, delayAfterStops(run.stalled + 1)));
      return this.#storage.claim(run, { startedAt: now, version, isCounted });
    });
    this.#platform.reached("run.claimed");
    return claimed;
  }

  #settle(runId: string, completion: Completion): void {
    this.#accepted.delete(runId);
    this.#completions.resolve(runId, completion);
  }
}
