import { type Ready, requireAccess } from "../access.ts";
import type { Announcer } from "../announcing/announcer.ts";
import { jsonBytes } from "../answer-text.ts";
import { threadBusy, threadExists, threadNotFound } from "../errors.ts";
import type { EventLog } from "../events/event-log.ts";
import type { ThreadPlatform } from "../platform.ts";
import type { Bytes, ByteStream, Reply, ThreadAddress } from "../call.ts";
import type {
  CreateThread,
  ImportedThread,
  ImportThread,
  LifeCycleApi,
  PatchThread,
  PruneThread,
} from "./life-cycle-protocol.ts";
import { replying } from "../replying.ts";
import { pruneThread } from "./retention.ts";
import type { RetentionKeeper } from "./retention-keeper.ts";
import type { RunAdmission } from "../runs/run-admission.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import { ThreadChanges } from "./thread-changes.ts";
import type { ThreadDeletion } from "./thread-deletion.ts";
import type { ThreadRecord } from "../announcing/thread-record.ts";
import type { ThreadStorage } from "../thread-storage.ts";
import type { ThreadTransfer } from "../transfer/thread-transfer.ts";

export interface LifeCycleParts {
  readonly storage: ThreadStorage;
  readonly platform: ThreadPlatform;
  readonly queue: RunQueue;
  readonly admission: RunAdmission;
  readonly announcer: Announcer;
  readonly record: ThreadRecord;
  readonly events: Pick<EventLog, "count">;
  readonly transfer: ThreadTransfer;
  readonly retention: RetentionKeeper;
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
    this.#changes = new ThreadChanges({ ...parts, now: () => parts.platform.now() });
  }

  createThread(create: CreateThread): Promise<Reply<Bytes>> {
    // Whose thread is there already is told only that it is taken.
    return this.#replying("anyone", async () => {
      await this.#changes.create(create);
      return this.#view(create.threadId);
    });
  }

  getThread(address: ThreadAddress): Promise<Reply<Bytes>> {
    return this.#replying(address, () => this.#view(address.threadId));
  }

  getUsage(address: ThreadAddress): Promise<Reply<Bytes>> {
    return this.#replying(address, async ({ storage, events }) => {
      const { threadId } = address;
      if (storage.thread() === undefined) throw threadNotFound(threadId);
      const { is_complete: isComplete, ...usage } = storage.usage();
      const streamed = await events.count();
      return jsonBytes({
        thread_id: threadId,
        ...usage,
        events: { streamed: streamed.count, received: usage.rows["received_events"] ?? 0 },
        is_complete: isComplete && streamed.isComplete,
      });
    });
  }

  patchThread(patch: PatchThread): Promise<Reply<Bytes>> {
    return this.#replying(patch, async () => {
      await this.#changes.patch(patch);
      return this.#view(patch.threadId);
    });
  }

  pruneThread(prune: PruneThread): Promise<Reply<null>> {
    return this.#replying(prune, async ({ storage, queue, platform }) => {
      const { threadId } = prune;
      this.#requireIdle(threadId);
      const now = platform.now();
      await queue.lock.exclusive(() => pruneThread(storage, threadId, prune, now));
      return null;
    });
  }

  /** Whatever is going on in it, a deletion that has begun before included. */
  deleteThread(address: ThreadAddress): Promise<Reply<null>> {
    const { storage, transfer, deletion, announcer } = this.#parts;
    return replying(async () => {
      transfer.requireIdle();
      const thread = storage.thread();
      if (thread === undefined) {
        announcer.draft.end();
        throw threadNotFound(address.threadId);
      }
      requireAccess(thread, address);
      await deletion.begin(thread);
      return null;
    });
  }

  /** Nothing begins because somebody asks this. */
  hasThread(): Promise<Reply<boolean>> {
    return replying(async () => this.#parts.storage.thread()?.deleting === 0);
  }

  announceThread(): Promise<Reply<boolean>> {
    return this.#replying("anyone", ({ announcer }) => announcer.retell());
  }

  exportThread(address: ThreadAddress): Promise<Reply<ByteStream>> {
    return this.#replying(address, async ({ announcer, platform, transfer }) => {
      const { threadId } = address;
      this.#requireIdle(threadId);
      // What the directory is told meanwhile would break the export off.
      await announcer.settle();
      // What is not durable yet must not be seen elsewhere.
      await platform.sync();
      return transfer.export(threadId);
    });
  }

  importThread(target: ImportThread, archive: ByteStream): Promise<Reply<ImportedThread>> {
    return this.#replying("anyone", async ({ storage, admission, transfer, platform, onImported }) => {
      if (storage.thread() !== undefined || admission.isAdmitting) {
        const before = storage.thread() && (await transfer.imported(target, archive));
        if (before === undefined) throw threadExists(target.threadId);
        return before;
      }
      const imported = await transfer.import(target, archive);
      await onImported().catch((fault: unknown) => platform.report(fault));
      return imported;
    });
  }

  async #view(threadId: string): Promise<Bytes> {
    const { storage, record, retention } = this.#parts;
    const view = await record.view(threadId);
    const thread = storage.thread();
    const expiry = thread && retention.ownExpiry(thread);
    return jsonBytes({ ...view, ...(expiry !== undefined && { ttl: wireTtl(thread?.ttl ?? 0, expiry) }) });
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

/** As LangGraph's platform has it. */
function wireTtl(ttl: number, expiry: number): object {
  return { strategy: "delete", ttl_minutes: ttl / 60_000, expires_at: new Date(expiry) };
}
