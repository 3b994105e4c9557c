import { mayAccess } from "./access.ts";
import type { Announcer } from "./announcer.ts";
import { threadExists, threadNotFound } from "./errors.ts";
import type { CreateThread, PatchThread } from "./protocol.ts";
import { patchedMetadata } from "./thread-metadata.ts";
import type { ThreadStorage } from "./thread-storage.ts";

/**
 * In one transaction each; the directory knows before they answer, so that who has made a thread finds it. While it cannot
 * be told, they answer without.
 */
export class ThreadChanges {
  readonly #storage: ThreadStorage;
  readonly #announcer: Announcer;
  readonly #now: () => number;

  constructor(storage: ThreadStorage, announcer: Announcer, now: () => number) {
    this.#storage = storage;
    this.#announcer = announcer;
    this.#now = now;
  }

  /** A thread that has run nothing. One that is there stays as it is, when that is allowed. */
  async create({ tenant, threadId, metadata, ifExists, access }: CreateThread): Promise<void> {
    const thread = this.#storage.thread();
    if (thread === undefined) {
      this.#storage.transaction(() => {
        this.#storage.create({ tenant, thread_id: threadId, graph: "", created_at: this.#now(), metadata });
        this.#announcer.note();
      });
    } else if (ifExists === "raise" || !mayAccess(thread, { access })) throw threadExists(threadId);
    await this.#announcer.tellIfPossible();
  }

  /** The keys that are given replace those that are there. */
  async patch({ threadId, metadata }: PatchThread): Promise<void> {
    const thread = this.#storage.thread();
    if (thread === undefined) throw threadNotFound(threadId);
    const patched = patchedMetadata(thread.metadata, metadata, thread.graph);
    this.#storage.transaction(() => {
      this.#storage.setMetadata(patched, this.#now());
      this.#announcer.note();
    });
    await this.#announcer.tellIfPossible();
  }
}
