import { type Ready, requireAccess } from "./access.ts";
import type { Announcer } from "./announcer.ts";
import { jsonBytes } from "./answer-text.ts";
import { threadBusy, threadExists, threadNotFound } from "./errors.ts";
import type { ThreadPlatform } from "./platform.ts";
import type {
  Bytes,
  CreateThread,
  ImportedThread,
  ImportThread,
  LifeCycleApi,
  PatchThread,
  PruneThread,
  Reply,
  ThreadAddress,
} from "./protocol.ts";
import { replying } from "./replying.ts";
import { pruneThread } from "./retention.ts";
import type { RunAdmission } from "./run-admission.ts";
import type { RunQueue } from "./run-queue.ts";
import { ThreadChanges } from "./thread-changes.ts";
import type { ThreadDeletion } from "./thread-deletion.ts";
import type { ThreadRecord } from "./thread-record.ts";
import type { ThreadStorage } from "./thread-storage.ts";
import type { ThreadTransfer } from "./thread-transfer.ts";

export interface LifeCycleParts {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly queue: RunQueue;
  readonly admission: RunAdmission;
  readonly announcer: Announcer;
  readonly record: ThreadRecord;
  readonly transfer: ThreadTransfer;
  readonly deletion: ThreadDeletion;
  readonly ready: Ready;
  /** Takes up what an imported thread waits for. */
  readonly onImported: () => Promise<void>;
}

/** What becomes of the thread as a whole. */
export class ThreadLifeCycle implements LifeCycleApi {
  readonly #parts: LifeCycleParts;
  readonly #changes: ThreadChanges;

  constructor(parts: LifeCycleParts) {
    this.#parts = parts;
    const { storage, announcer, platform } = parts;
    this.#changes = new ThreadChanges(storage, announcer, () => platform.now());
  }

  createThread(create: CreateThread): Promise<Reply<Bytes>> {
    // Whose thread is there already is told only that it is taken.
    return this.#replying("anyone", async ({ record }) => {
      await this.#changes.create(create);
      return jsonBytes(await record.view(create.threadId));
    });
  }

  getThread(address: ThreadAddress): Promise<Reply<Bytes>> {
    return this.#replying(address, async ({ record }) => jsonBytes(await record.view(address.threadId)));
  }

  getUsage(address: ThreadAddress): Promise<Reply<Bytes>> {
    return this.#replying(address, async ({ storage }) => {
      const { threadId } = address;
      if (storage.thread() === undefined) throw threadNotFound(threadId);
      return jsonBytes({ thread_id: threadId, ...storage.usage() });
    });
  }

  patchThread(patch: PatchThread): Promise<Reply<Bytes>> {
    return this.#replying(patch, async ({ record }) => {
      await this.#changes.patch(patch);
      return jsonBytes(await record.view(patch.threadId));
    });
  }

  pruneThread(prune: PruneThread): Promise<Reply<null>> {
    return this.#replying(prune, async ({ storage, queue, platform }) => {
      const { threadId } = prune;
      this.#requireIdle(threadId);
      const now = platform.now();
      await queue.exclusive(() => pruneThread(storage, threadId, prune, now));
      return null;
    });
  }

  /** Whatever is going on in it, a deletion that has begun before included. */
  deleteThread(address: ThreadAddress): Promise<Reply<null>> {
    const { storage, transfer, deletion } = this.#parts;
    return replying(async () => {
      transfer.requireIdle();
      const thread = storage.thread();
      if (thread === undefined) throw threadNotFound(address.threadId);
      requireAccess(thread, address);
      await deletion.begin(thread);
      return null;
    });
  }

  exportThread(address: ThreadAddress): Promise<Reply<Bytes>> {
    return this.#replying(address, async ({ announcer, platform, transfer }) => {
      const { threadId } = address;
      this.#requireIdle(threadId);
      // What the directory is told meanwhile would break the export off.
      await announcer.tellIfPossible();
      // What is not durable yet must not be seen elsewhere.
      await platform.sync();
      return transfer.export(threadId);
    });
  }

  importThread(target: ImportThread, archive: Bytes): Promise<Reply<ImportedThread>> {
    return this.#replying("anyone", async ({ storage, admission, transfer, platform, onImported }) => {
      const isTaken = storage.thread() !== undefined || admission.isStaging;
      if (isTaken) throw threadExists(target.threadId);
      const imported = await transfer.import(target, archive);
      await onImported().catch((fault: unknown) => platform.report(fault));
      return imported;
    });
  }

  #replying<Value>(
    caller: Parameters<Ready>[0],
    work: (parts: LifeCycleParts) => Promise<Value>,
  ): Promise<Reply<Value>> {
    return replying(async () => {
      await this.#parts.ready(caller);
      return work(this.#parts);
    });
  }

  #requireIdle(threadId: string): void {
    const { storage, queue } = this.#parts;
    if (storage.thread() === undefined) throw threadNotFound(threadId);
    if (queue.isBusy()) throw threadBusy(threadId);
  }
}
