import { StorageError } from "../errors.ts";
import type { MaybePromise } from "../checkpoint/types.ts";
import type { BlobStore, HashedBytes, StagedBlobs } from "./blob-store.ts";

/** Returned by a write that found a row it did not expect: its transaction is undone, and the write tried anew. */
export const CONFLICT: unique symbol = Symbol("conflict");

/** Made when a write begins to encode. */
export interface PendingCommit {
  readonly threadId: string;
  readonly deletions: number;
}

/** The second phase of every write: blobs first, then all rows in one synchronous transaction. */
export class Commits {
  readonly #transact: <T>(write: () => T) => T;
  readonly #blobs: BlobStore;
  /** How often each thread was deleted: a write that began before must not refer to what is gone. */
  readonly #deletions = new Map<string, number>();

  constructor(transact: <T>(write: () => T) => T, blobs: BlobStore) {
    this.#transact = transact;
    this.#blobs = blobs;
  }

  begin(threadId: string): PendingCommit {
    return { threadId, deletions: this.#deletionsOf(threadId) };
  }

  /** Stays in the turn when there are no blobs. */
  commit<T>(pending: PendingCommit, blobs: readonly HashedBytes[], write: () => T): MaybePromise<T> {
    return blobs.length === 0
      ? this.#run(pending, undefined, write)
      : this.#stageAndRun(pending, blobs, write);
  }

  /** Removes the rows; what is returned removes the objects. */
  deleteThread(threadId: string, deleteRows: () => void): () => Promise<void> {
    const deleteObjects = this.#transact(() => {
      deleteRows();
      return this.#blobs.deleteThread(threadId);
    });
    this.#deletions.set(threadId, this.#deletionsOf(threadId) + 1);
    return deleteObjects;
  }

  async #stageAndRun<T>(pending: PendingCommit, blobs: readonly HashedBytes[], write: () => T): Promise<T> {
    const staged = await this.#blobs.stage(pending.threadId, blobs);
    try {
      return this.#run(pending, staged, write);
    } finally {
      staged.release();
    }
  }

  #run<T>({ threadId, deletions }: PendingCommit, staged: StagedBlobs | undefined, write: () => T): T {
    if (deletions !== this.#deletionsOf(threadId)) {
      throw new StorageError(
        "thread_deleted",
        `The thread "${threadId}" was deleted while this was being written.`,
      );
    }
    let conflict: T | undefined;
    try {
      return this.#transact(() => {
        staged?.commit();
        const result = write();
        if (result !== CONFLICT) return result;
        conflict = result;
        throw new Error("A row was there already; the transaction is undone.");
      });
    } catch (error) {
      if (conflict !== undefined) return conflict;
      throw error;
    }
  }

  #deletionsOf(threadId: string): number {
    return this.#deletions.get(threadId) ?? 0;
  }
}
