import { backoff } from "../../backoff.ts";
import type { ThreadEntry } from "../../directory/protocol.ts";
import { StorageError } from "../../errors.ts";
import { GRAPH_CRONS } from "../../graph-crons.ts";
import { answered, DirectoryCalls } from "./directory-calls.ts";
import { Draft } from "./draft.ts";
import { isPlatformReset } from "../errors.ts";
import { Later } from "./later.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { ThreadDirectory } from "./thread-directory.ts";
import type { ThreadRecord } from "./thread-record.ts";
import type { ThreadStorage } from "../thread-storage.ts";

/**
 * In milliseconds. The directory is not told of a run that somebody waits for, and that is over sooner, until it is over; of a thread at rest
 * that has run again it is told so long after the last time; and the timer of what it was told stays so long, since another change
 * may come that needs one.
 */
const MOMENT = 500;

export interface AnnouncerParts {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly record: ThreadRecord;
  /** Absent: nobody is told. */
  readonly directory: ThreadDirectory | undefined;
}

/**
 * Tells the directory what becomes of the thread. That there is something to tell is stored with what has changed, as a
 * timer: whatever stops the object, the directory hears of it, and hears last what is true.
 */
export class Announcer {
  readonly #parts: AnnouncerParts;
  #current: Promise<void> | undefined;
  /** The version that the directory was told last, by this instance. */
  #told: number | undefined;
  /** The version of the last change, until it is offered to the directory: what else changes by then needs no other. */
  #untold: number | undefined;
  readonly draft: Draft;
  readonly #calls = new DirectoryCalls();
  /** Changes that are being made in transactions of their own. What is told meanwhile would be told as if they were made. */
  #changing = 0;
  /** When it was told last how the thread is at rest. */
  #restToldAt = -Infinity;
  readonly #tellLater: Later;
  readonly #forgetLater: Later;
  /** What is told whatever has changed. */
  readonly #anew = new Set<Promise<boolean>>();
  #isClosed = false;
  #isAwake = false;

  constructor(parts: AnnouncerParts) {
    this.#parts = parts;
    this.draft = new Draft(parts);
    const moment = (): Promise<void> => parts.platform.wait(MOMENT);
    this.#tellLater = new Later(moment, () => this.tell());
    this.#forgetLater = new Later(moment, () => this.#forget());
  }

  /** In the transaction in which the thread changes. `isPressing`: the directory hears of it at once, also of a busy thread. */
  note(isPressing = false): void {
    const { storage, platform, directory } = this.#parts;
    if (directory === undefined) return;
    const isNew = (storage.thread()?.version ?? 0) === 0;
    this.#noteChange();
    const isKnown = !isNew || this.draft.isExpected;
    const maySettle = (): boolean =>
      !isPressing && isKnown && (isNew || this.#isBusy() || this.#hasJustTold());
    // When the transaction fails, there is nothing to tell.
    const told = Promise.resolve().then(() => (maySettle() ? this.#tellLater.do() : this.tell()));
    platform.waitUntil(this.#reporting(told));
  }

  /** For work that changes the thread in transactions of its own, or throws. What it has changed by then is told after it. */
  async noting<Value>(work: () => Promise<Value>): Promise<Value> {
    const { storage, platform } = this.#parts;
    storage.transaction(() => this.#noteChange());
    this.#changing += 1;
    try {
      return await work();
    } finally {
      this.#changing -= 1;
      platform.waitUntil(this.tellIfPossible());
    }
  }

  #noteChange(): void {
    const { storage, platform, directory } = this.#parts;
    if (directory === undefined) return;
    if (storage.thread()?.version !== this.#untold) storage.row.noteChange(platform.now());
    this.#untold = storage.thread()?.version;
    if (!this.draft.isExpected) this.#setTimer();
  }

  /** In a transaction. */
  #setTimer(): void {
    const { storage, platform } = this.#parts;
    const due = platform.now() + platform.lease;
    // One that comes earlier tells it as well.
    if ((storage.timers.dueTime("announcement", "") ?? Infinity) > due)
      storage.timers.set("announcement", "", due);
  }

  /** Resolves when the directory knows all that has changed so far. Rejects when it does not take what is being told. */
  async tell(): Promise<void> {
    if (this.#parts.directory === undefined) return this.#forget();
    while (this.#current !== undefined) await this.#current;
    if (this.#isClosed || !this.#isDue()) return;
    this.#current = this.#tellAll();
    try {
      await this.#current;
    } finally {
      this.#current = undefined;
    }
  }

  /** As `tell`. What cannot be told now, the timer tells. */
  async tellIfPossible(): Promise<void> {
    await this.#reporting(this.tell());
  }

  /** As `tellIfPossible`. Nothing is written any more then, unless something changes. */
  async settle(): Promise<void> {
    await this.tellIfPossible();
    this.#forget();
  }

  /** The directory may have lost what it knew: the first call of an instance has it asked, and told when it has. */
  onWake(): void {
    const { platform } = this.#parts;
    if (this.#isAwake) return;
    this.#isAwake = true;
    // This instance has told it.
    if (this.draft.isExpected) return;
    platform.waitUntil(Promise.resolve().then(() => this.#reporting(this.#tracked(this.#tellAnew(false)))));
  }

  /** Tells what the thread is, whatever the directory knows. False when there is no thread that it is told of. */
  async retell(): Promise<boolean> {
    return this.#tracked(this.#tellAnew(true));
  }

  async #tracked(telling: Promise<boolean>): Promise<boolean> {
    this.#anew.add(telling);
    try {
      return await telling;
    } finally {
      this.#anew.delete(telling);
    }
  }

  async #tellAnew(isWanted: boolean): Promise<boolean> {
    const { storage, directory } = this.#parts;
    // Told when they are made.
    if (this.#changing > 0) return true;
    // The directory asks, and what changes from here on has a timer.
    if (isWanted) this.draft.end();
    const thread = storage.thread();
    if (thread?.deleting !== 0 || directory === undefined || thread.thread_id === GRAPH_CRONS) return false;
    if (!isWanted && this.#isDue()) {
      await this.tell();
      return true;
    }
    const { tenant, thread_id: threadId, version } = thread;
    const of = directory.of(tenant);
    if (!isWanted && (await answered(() => of.knowsThread(threadId, version)))) return true;
    const entry = await this.#offer(threadId, directory);
    // Deleted meanwhile: the directory has forgotten it.
    if (this.#isClosed || storage.thread()?.deleting !== 0) return false;
    await this.#put(entry);
    return true;
  }

  /** What the directory does not take, the timer tells. */
  async #put(entry: ThreadEntry): Promise<void> {
    const { storage, directory } = this.#parts;
    const thread = storage.thread();
    if (thread === undefined || directory === undefined) return;
    try {
      const of = directory.of(thread.tenant);
      await this.#calls.make(() => of.putThread(entry));
    } catch (fault) {
      if (storage.thread()?.deleting === 0) storage.transaction(() => this.#setTimer());
      throw fault;
    }
  }

  /** What cannot be told is tried again, each time after twice as long. */
  async onTimer(): Promise<void> {
    const { storage, platform } = this.#parts;
    try {
      await this.tell();
      this.#forget();
    } catch (fault) {
      if (isPlatformReset(fault)) throw fault;
      platform.report(fault);
      if (!this.#isDue()) return;
      const now = platform.now();
      // The version is not less than the time of the first change that was not offered before.
      const quiet = now - (storage.thread()?.version ?? now);
      const delay = backoff(quiet, platform.lease);
      storage.transaction(() => storage.timers.set("announcement", "", now + delay));
    }
  }

  /** The thread is being deleted: the directory forgets it, and is told nothing more. */
  async close(): Promise<void> {
    const { storage, directory } = this.#parts;
    const thread = storage.thread();
    if (directory === undefined || thread === undefined) return;
    this.#isClosed = true;
    this.draft.end();
    // What is on its way would arrive after the thread was forgotten.
    await Promise.allSettled([this.#current, ...this.#anew]);
    this.#told = undefined;
    try {
      await this.#calls.over();
      const of = directory.of(thread.tenant);
      await answered(() => of.removeThread(thread.thread_id));
    } catch (cause) {
      const message = "The directory could not forget the thread yet. The deletion goes on by itself.";
      throw new StorageError("directory_unavailable", message, { cause });
    }
  }

  /** A thread with the same id may come to be. */
  reopen(): void {
    this.#isClosed = false;
  }

  async #tellAll(): Promise<void> {
    const { storage, directory, platform } = this.#parts;
    while (!this.#isClosed && this.#isDue()) {
      const thread = storage.thread();
      if (thread === undefined || directory === undefined) return;
      const entry = await this.#offer(thread.thread_id, directory);
      // What has changed meanwhile has no timer; what changes from here on has one.
      if (this.draft.isExpected && storage.thread()?.version !== entry.version) continue;
      this.draft.end();
      await this.#put(entry);
      platform.reached("announcement.told");
      this.#told = entry.version;
      if (entry.status !== "busy") this.#restToldAt = platform.now();
      this.#isAwake = true;
    }
    if (this.#hasTimer()) platform.waitUntil(this.#reporting(this.#forgetLater.do()));
  }

  /** The directory keeps one entry of each version: what changes from here on needs another. */
  #offer(threadId: string, { extract }: ThreadDirectory): Promise<ThreadEntry> {
    this.#untold = undefined;
    return this.#parts.record.entry(threadId, extract);
  }

  /** Removes the timer when there is nothing to tell, or nobody any more. */
  #forget(): void {
    const { storage, directory } = this.#parts;
    if (!this.#hasTimer() || (directory !== undefined && this.#isDue())) return;
    storage.transaction(() => storage.timers.clear("announcement", ""));
  }

  #isDue(): boolean {
    const thread = this.#parts.storage.thread();
    if (this.#changing > 0 || thread?.deleting !== 0) return false;
    return (this.draft.isExpected || this.#hasTimer()) && thread.version !== this.#told;
  }

  #hasTimer(): boolean {
    const { storage } = this.#parts;
    return storage.thread()?.deleting === 0 && storage.timers.dueTime("announcement", "") !== undefined;
  }

  #isBusy(): boolean {
    const { storage } = this.#parts;
    return storage.thread()?.deleting === 0 && storage.queue.first() !== undefined;
  }

  #hasJustTold(): boolean {
    return this.#parts.platform.now() - this.#restToldAt < MOMENT;
  }

  async #reporting(work: Promise<unknown>): Promise<void> {
    await work.catch((fault: unknown) => this.#parts.platform.report(fault));
  }
}
