import type { BaseStore } from "../checkpoint/store/base-store.ts";
import type { DirectoryApi } from "../directory/protocol.ts";
import { StorageError } from "../errors.ts";
import { GRAPH_CRONS } from "../graph-crons.ts";
import { isPlatformReset } from "./errors.ts";
import type { ThreadPlatform } from "./platform.ts";
import type { ThreadRecord } from "./thread-record.ts";
import type { ThreadStorage } from "./thread-storage.ts";

/** What the directory does not take is offered again at least so often, in milliseconds: once an hour. */
const MAX_DELAY = 60 * 60 * 1000;

/** The directory that a thread belongs to. */
export interface ThreadDirectory {
  of(tenant: string): Pick<DirectoryApi, "knowsThread" | "putThread" | "removeThread">;
  /** What the tenant's graphs remember across threads. */
  store(tenant: string): BaseStore;
  /** What it is told of the values. */
  readonly extract: readonly string[];
}

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
  /** What is told whatever has changed. */
  readonly #anew = new Set<Promise<boolean>>();
  #isClosed = false;
  #isAwake = false;

  constructor(parts: AnnouncerParts) {
    this.#parts = parts;
  }

  /** In the transaction in which the thread changes. */
  note(): void {
    const { platform, directory } = this.#parts;
    if (directory === undefined) return;
    this.#expect();
    // When the transaction fails, there is nothing to tell.
    platform.waitUntil(Promise.resolve().then(() => this.tellIfPossible()));
  }

  /** For work that changes the thread in transactions of its own, or throws. What it has changed by then is told, too. */
  async expecting<Value>(work: () => Promise<Value>): Promise<Value> {
    const { storage, platform } = this.#parts;
    storage.transaction(() => this.#expect());
    try {
      return await work();
    } catch (error) {
      platform.waitUntil(this.tellIfPossible());
      throw error;
    }
  }

  #expect(): void {
    const { storage, platform, directory } = this.#parts;
    if (directory === undefined) return;
    const now = platform.now();
    storage.noteChange(now);
    storage.timers.set("announcement", "", now + platform.lease);
  }

  /** Resolves when the directory knows all that has changed so far. */
  async tell(): Promise<void> {
    if (this.#parts.directory === undefined) return this.#drop();
    while (this.#current !== undefined) await this.#current.catch(() => undefined);
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
    const { platform } = this.#parts;
    await this.tell().catch((fault: unknown) => platform.report(fault));
  }

  /** The directory may have lost what it knew: the first call of an instance has it asked, and told when it has. */
  onWake(): void {
    const { platform } = this.#parts;
    if (this.#isAwake) return;
    this.#isAwake = true;
    const reported = (fault: unknown): void => platform.report(fault);
    platform.waitUntil(Promise.resolve().then(() => this.#tracked(this.#tellAnew(false)).catch(reported)));
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

  /** What is to be told anyway is told by its timer, or by who has noted it. */
  async #tellAnew(isWanted: boolean): Promise<boolean> {
    const { storage, record, directory } = this.#parts;
    const thread = storage.thread();
    if (thread?.deleting !== 0 || directory === undefined || thread.thread_id === GRAPH_CRONS) return false;
    if (!isWanted && this.#isDue()) return true;
    const { tenant, thread_id: threadId, version } = thread;
    const of = directory.of(tenant);
    if (!isWanted && (await of.knowsThread(threadId, version))) return true;
    const entry = await record.entry(threadId, directory.extract);
    // Deleted meanwhile: the directory has forgotten it.
    if (this.#isClosed || storage.thread()?.deleting !== 0) return false;
    await of.putThread(entry);
    return true;
  }

  /** What cannot be told is tried again, each time after twice as long. */
  async onTimer(): Promise<void> {
    const { storage, platform } = this.#parts;
    try {
      await this.tell();
    } catch (fault) {
      if (isPlatformReset(fault)) throw fault;
      platform.report(fault);
      if (!this.#isDue()) return;
      const now = platform.now();
      // The version is not less than the time of the last change.
      const quiet = now - (storage.thread()?.version ?? now);
      const delay = Math.min(Math.max(quiet, platform.lease), MAX_DELAY);
      storage.transaction(() => storage.timers.set("announcement", "", now + delay));
    }
  }

  /** The thread is being deleted: the directory forgets it, and is told nothing more. */
  async close(): Promise<void> {
    const { storage, directory } = this.#parts;
    const thread = storage.thread();
    if (directory === undefined || thread === undefined) return;
    this.#isClosed = true;
    // What is on its way would arrive after the thread was forgotten.
    await Promise.allSettled([this.#current, ...this.#anew]);
    try {
      await directory.of(thread.tenant).removeThread(thread.thread_id);
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
    const { storage, record, directory, platform } = this.#parts;
    while (!this.#isClosed && this.#isDue()) {
      const thread = storage.thread();
      if (thread === undefined || directory === undefined) return;
      const entry = await record.entry(thread.thread_id, directory.extract);
      await directory.of(thread.tenant).putThread(entry);
      platform.reached("announcement.told");
      if (storage.thread()?.version !== entry.version) continue;
      storage.transaction(() => storage.timers.clear("announcement", ""));
    }
  }

  /** There was a directory once, and nobody is to be told any more. */
  #drop(): void {
    const { storage } = this.#parts;
    if (this.#isDue()) storage.transaction(() => storage.timers.clear("announcement", ""));
  }

  #isDue(): boolean {
    const { storage } = this.#parts;
    return storage.thread()?.deleting === 0 && storage.timers.dueTime("announcement", "") !== undefined;
  }
}
