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

/**
 * Runs `write` in one synchronous transaction and rethrows what it throws, having undone everything. `isAtomic` says that
 * it changes rows by a single statement: it needs no transaction of its own.
 */
export type Transact = <T>(write: () => T, isAtomic?: boolean) => T;

/** How often each thread was deleted: a write that began before must not refer to what is gone. */
export class Deletions {
  readonly #byThread = new Map<string, number>();
  #ofAll = 0;

  of(threadId: string): number {
    return this.#ofAll + (this.#byThread.get(threadId) ?? 0);
  }

  note(threadId: string): void {
    this.#byThread.set(threadId, (this.#byThread.get(threadId) ?? 0) + 1);
  }

  noteAll(): void {
    this.#ofAll += 1;
  }
}

/** The second phase of every write: blobs first, then all rows in one synchronous transaction. */
export class Commits {
  readonly #transact: Transact;
  readonly #blobs: BlobStore;
  readonly #deletions: Deletions;

  constructor(transact: Transact, blobs: BlobStore, deletions: Deletions) {
    this.#transact = transact;
    this.#blobs = blobs;
    this.#deletions = deletions;
  }

  begin(threadId: string): PendingCommit {
    return { threadId, deletions: this.#deletions.of(threadId) };
  }

  /** Stays in the turn when there are no blobs. `isAtomic`: `write` changes rows by a single statement. */
  commit<T>(
    pending: PendingCommit,
    blobs: readonly HashedBytes[],
    isAtomic: boolean,
    write: () => T,
  ): MaybePromise<T> {
    return blobs.length === 0
      ? this.#run(pending, undefined, isAtomic, write)
      : this.#stageAndRun(pending, blobs, write);
  }

  /** Removes the rows; what is returned removes the objects. */
  deleteThread(threadId: string, deleteRows: () => void): () => Promise<void> {
    const deleteObjects = this.#transact(() => {
      deleteRows();
      return this.#blobs.deleteThread(threadId);
    });
    this.#deletions.note(threadId);
    return deleteObjects;
  }

  async #stageAndRun<T>(pending: PendingCommit, blobs: readonly HashedBytes[], write: () => T): Promise<T> {
    const staged = await this.#blobs.stage(pending.threadId, blobs);
    try {
      return this.#run(pending, staged, false, write);
    } finally {
      await staged.release();
    }
  }

  #run<T>(
    { threadId, deletions }: PendingCommit,
    staged: StagedBlobs | undefined,
    isAtomic: boolean,
    write: () => T,
  ): T {
    if (deletions !== this.#deletions.of(threadId)) {
      throw new StorageError(
        "thread_deleted",
        `The thread "${threadId}" was deleted while this was being written.`,
      );
    }
    let conflict: T | undefined;
    try {
      const committed = this.#transact(() => {
        staged?.commit();
        const result = write();
        if (result !== CONFLICT) return result;
        conflict = result;
        throw new Error("A row was there already; the transaction is undone.");
      }, isAtomic);
      this.#blobs.noteCommit();
      return committed;
    } catch (error) {
      if (conflict !== undefined) return conflict;
      throw error;
    }
  }
}
