import { mayAccess, type Ready } from "../access.ts";
import type { Announcer } from "../announcing/announcer.ts";
import { type HashedKey, hashedKey } from "../idempotency/content-hashes.ts";
import { threadExists, threadNotFound } from "../errors.ts";
import type { CreateThread, PatchThread } from "./life-cycle-protocol.ts";
import { patchedMetadata } from "../thread-metadata.ts";
import type { RetentionKeeper } from "./retention-keeper.ts";
import type { RunAdmission } from "../runs/run-admission.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import type { ThreadTransfer } from "../transfer/thread-transfer.ts";

export interface ThreadChangesParts {
  readonly storage: ThreadStorage;
  readonly announcer: Announcer;
  readonly retention: Pick<RetentionKeeper, "noteUse">;
  readonly transfer: Pick<ThreadTransfer, "make" | "requireIdle">;
  readonly admission: Pick<RunAdmission, "isAdmitting">;
  readonly ready: Ready;
  readonly now: () => number;
}

/**
 * In one transaction each; the directory knows before they answer, so that who has made a thread finds it. While it cannot
 * be told, they answer without.
 */
export class ThreadChanges {
  readonly #parts: ThreadChangesParts;

  constructor(parts: ThreadChangesParts) {
    this.#parts = parts;
  }

  /** A thread that has run nothing, or that is made of steps. One that is there stays as it is, when that is allowed. */
  async create(create: CreateThread): Promise<void> {
    const { storage, announcer, transfer, admission, now } = this.#parts;
    const key = await hashedKey(storage.serde, create.idempotency);
    const thread = storage.thread();
    const isKnown = thread && key && storage.keys.find(key, now()) !== undefined;
    if (thread === undefined) {
      if (create.supersteps === undefined) return this.#createEmpty(create, key);
      if (admission.isAdmitting) throw threadExists(create.threadId);
      await transfer.make(create, create.supersteps);
      storage.transaction(() => this.#noteKey(key));
    } else {
      const isWanted = isKnown || create.ifExists !== "raise";
      if (!isWanted || !mayAccess(thread, create)) throw threadExists(create.threadId);
      if (!isKnown) storage.transaction(() => this.#noteKey(key));
    }
    await announcer.tellIfPossible();
  }

  /** The keys that are given replace those that are there. */
  async patch({ threadId, metadata, ttl }: PatchThread): Promise<void> {
    const { storage, announcer, retention, now } = this.#parts;
    const thread = storage.thread();
    if (thread === undefined) throw threadNotFound(threadId);
    const patched = patchedMetadata(thread.metadata, metadata, thread.graph);
    storage.transaction(() => {
      storage.row.setMetadata(patched, now());
      if (ttl !== undefined) storage.row.setTtl(ttl);
      retention.noteUse();
      announcer.note();
    });
    await announcer.tellIfPossible();
  }

  async #createEmpty(create: CreateThread, key: HashedKey | undefined): Promise<void> {
    const { storage, announcer, transfer, retention, ready, now } = this.#parts;
    const { tenant, threadId, metadata, ttl } = create;
    const thread = { tenant, thread_id: threadId, graph: "", created_at: now(), metadata };
    const isTold = await announcer.draft.announce(thread);
    transfer.requireIdle();
    if (storage.thread() !== undefined) {
      // Somebody else has made it meanwhile, or is about to.
      await ready("anyone");
      return this.create(create);
    }
    try {
      storage.transaction(() => {
        storage.create({ ...thread, ...(ttl !== undefined && { ttl }) });
        retention.noteUse();
        announcer.note();
        this.#noteKey(key);
      });
    } catch (fault) {
      announcer.draft.end();
      throw fault;
    }
    if (isTold && !announcer.draft.isExpected) await announcer.tellIfPossible();
  }

  /** In a transaction: what came of a call with the key is the thread. */
  #noteKey(key: HashedKey | undefined): void {
    const { storage, now } = this.#parts;
    if (key !== undefined) storage.keys.insert(key, "", now());
  }
}
