import { StorageError } from "../errors.ts";
import type { MaybePromise } from "../checkpoint/types.ts";
import type { HashedBytes } from "./blob-hashes.ts";
import type { StagedBlobs } from "./blob-store.ts";
import { SaverCache } from "./saver-cache.ts";
import type { SharedParts } from "./shared-parts.ts";

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

/** The second phase of every write: blobs first, then all rows in one synchronous transaction. */
export class Commits {
  readonly #transact: Transact;
  readonly #shared: SharedParts;

  constructor(transact: Transact, shared: SharedParts) {
    this.#transact = transact;
    this.#shared = shared;
  }

  begin(threadId: string): PendingCommit {
    return { threadId, deletions: this.#shared.deletions.of(threadId) };
  }

  /**
   * Stays in the turn when there are no blobs. `isAtomic`: `write` changes rows by a single statement. `committed` gets what it
   * has returned, in the turn of the commit.
   */
  commit<T>(
    pending: PendingCommit,
    blobs: readonly HashedBytes[],
    isAtomic: boolean,
    write: () => T | typeof CONFLICT,
    committed: (result: T) => void,
  ): MaybePromise<T | typeof CONFLICT> {
    return blobs.length === 0
      ? this.#run(pending, undefined, isAtomic, write, committed)
      : this.#stageAndRun(pending, blobs, write, committed);
  }

  /** Removes the rows; what is returned removes the objects. */
  deleteThread(threadId: string, deleteRows: () => void): () => Promise<void> {
    const deleteObjects = this.#transact(() => {
      deleteRows();
      return this.#shared.blobs.deleteThread(threadId);
    });
    this.#shared.deletions.note(threadId);
    return deleteObjects;
  }

  async #stageAndRun<T>(
    pending: PendingCommit,
    blobs: readonly HashedBytes[],
    write: () => T | typeof CONFLICT,
    committed: (result: T) => void,
  ): Promise<T | typeof CONFLICT> {
    const staged = await this.#shared.blobs.stage(pending.threadId, blobs);
    try {
      return this.#run(pending, staged, false, write, committed);
    } finally {
      await staged.release();
    }
  }

  #run<T>(
    { threadId, deletions }: PendingCommit,
    staged: StagedBlobs | undefined,
    isAtomic: boolean,
    write: () => T | typeof CONFLICT,
    committed: (result: T) => void,
  ): T | typeof CONFLICT {
    if (deletions !== this.#shared.deletions.of(threadId)) {
      throw new StorageError(
        "thread_deleted",
        `The thread "${threadId}" was deleted while this was being written.`,
      );
    }
    let isConflict = false;
    let result: T;
    try {
      result = this.#transact(() => {
        staged?.commit();
        const written = write();
        if (written !== CONFLICT) return written;
        isConflict = true;
        throw new Error("A row was there already; the transaction is undone.");
      }, isAtomic);
    } catch (error) {
      if (isConflict) return CONFLICT;
      // It may have happened all the same.
      this.#shared.cache = new SaverCache();
      throw error;
    }
    this.#shared.blobs.noteCommit();
    committed(result);
    return result;
  }
}
