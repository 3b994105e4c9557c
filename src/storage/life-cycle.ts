import { parsePrune } from "../checkpoint/prune-options.ts";
import type { PruneOptions } from "../checkpoint/prune-options.ts";
import { threadExists } from "../checkpoint/removal-errors.ts";
import { beyond, ofRuns } from "../checkpoint/removal-plan.ts";
import type { Selection } from "../checkpoint/removal-plan.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import type { ThreadHistory } from "../checkpoint/thread-history.ts";
import { BlobCollector } from "./blob-collector.ts";
import { BlobReferences } from "./blob-references.ts";
import type { CheckpointReader } from "./checkpoint-reader.ts";
import type { BodyRow } from "./body-row.ts";
import type { Commits, Transact } from "./commits.ts";
import { SaverCache } from "./saver-cache.ts";
import type { SharedParts } from "./shared-parts.ts";
import { ThreadRemoval } from "./thread-removal.ts";

export interface LifeCycleParts {
  readonly serde: SerializerProtocol;
  readonly transact: Transact;
  readonly shared: SharedParts;
  readonly reader: CheckpointReader;
  readonly commits: Commits;
  readonly otherBodies?: () => Iterable<BodyRow>;
  readonly onUnreadable: (error: unknown) => void;
  readonly yieldTurn?: () => Promise<void>;
}

/** What becomes of threads as a whole: they are deleted, pruned and copied. */
export class LifeCycle {
  readonly #parts: LifeCycleParts;
  readonly #removal: ThreadRemoval;
  readonly #collector: BlobCollector;

  constructor(parts: LifeCycleParts) {
    this.#parts = parts;
    const { shared, serde, reader, onUnreadable } = parts;
    const { otherBodies = () => [], yieldTurn = () => Promise.resolve() } = parts;
    const remove = <T>(removeRows: () => T): T => this.#forgetting(() => parts.transact(removeRows));
    this.#removal = new ThreadRemoval({ shared, serde, reader, remove, yieldTurn });
    const references = new BlobReferences({ ...shared, serde });
    this.#collector = new BlobCollector({
      blobs: shared.blobs,
      references,
      remove,
      otherBodies,
      onUnreadable,
    });
  }

  /** Removes the rows first: when an object cannot be deleted it is garbage, and nothing refers to it. */
  async deleteThread(threadId: string): Promise<void> {
    const { shared, commits } = this.#parts;
    const deleteObjects = this.#forgetting(() =>
      commits.deleteThread(threadId, () => shared.threads.delete(threadId)),
    );
    await deleteObjects();
  }

  async deleteForRuns(runIds: readonly string[]): Promise<void> {
    const ids = new Set(runIds);
    const { checkpoints } = this.#parts.shared;
    const threads = new Set([...ids].flatMap((id) => checkpoints.threadsOf(id)));
    for (const threadId of threads) await this.#remove(threadId, (history) => ofRuns(history, ids));
  }

  /** In one turn. */
  copyThread(source: string, target: string): void {
    const { transact, shared } = this.#parts;
    const { namespaces, threads, blobs } = shared;
    const copy = (): void => {
      if (namespaces.matching(source, undefined).length === 0) return;
      if (namespaces.matching(target, undefined).length > 0) throw threadExists(target);
      threads.copy(source, target);
      blobs.copyThread(source, target);
    };
    this.#forgetting(() => transact(copy));
  }

  /** `removeOthers` removes rows of the owner, when it is sure that the checkpoints can be removed. */
  async prune(
    threadIds: readonly string[],
    options: PruneOptions,
    removeOthers: () => void = () => undefined,
  ): Promise<void> {
    const keep = parsePrune(options);
    for (const threadId of threadIds) {
      if (keep === undefined) await this.deleteThread(threadId);
      else await this.#remove(threadId, (history) => beyond(history, keep), removeOthers);
    }
  }

  /** Rows in turns of a few hundred; what is large and nothing refers to any more goes last. */
  async #remove(
    threadId: string,
    select: (history: ThreadHistory) => Selection,
    removeOthers: () => void = () => undefined,
  ): Promise<void> {
    await this.#removal.remove(threadId, select);
    removeOthers();
    await this.#collector.collect(threadId);
  }

  /** What is remembered of the rows need not be what they say afterwards, also when that fails. */
  #forgetting<T>(write: () => T): T {
    try {
      return write();
    } finally {
      this.#parts.shared.cache = new SaverCache();
    }
  }
}
