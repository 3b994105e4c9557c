import { type BlobReferences, isPassing } from "./blob-references.ts";
import type { BlobStore } from "./blob-store.ts";
import type { BodyRow } from "./body-row.ts";
import type { Transact } from "./commits.ts";

/** So often is the search for what is in use begun anew because something was stored meanwhile. */
const ATTEMPTS = 3;

export interface CollectorParts {
  readonly references: BlobReferences;
  readonly blobs: BlobStore;
  /** Whatever is being written begins anew afterwards: what it was made of may be gone. */
  readonly remove: Transact;
  /** Bodies in rows of others, whose blobs are among those of the thread. */
  readonly otherBodies: () => Iterable<BodyRow>;
  readonly onUnreadable: (error: unknown) => void;
}

interface Search {
  /** The hashes that rows refer to. */
  readonly used: ReadonlySet<string>;
  /** Why one of the bodies, which may refer to others, cannot be read. */
  readonly unreadable: unknown;
}

/**
 * Removes the blobs that no row refers to any more. They are found by reading what is left, when rows were removed: a
 * superstep pays nothing for it. When all is read, and nothing was stored since, it is decided in one turn. When something
 * cannot be read, whose key is missing, all of them stay.
 */
export class BlobCollector {
  readonly #parts: CollectorParts;

  constructor(parts: CollectorParts) {
    this.#parts = parts;
  }

  /** With a store that is written without a pause it may find nothing: what is left is found the next time. */
  async collect(threadId: string): Promise<void> {
    const { blobs, remove, onUnreadable } = this.#parts;
    for (let attempt = 0; attempt < ATTEMPTS && blobs.hasAny(threadId); attempt++) {
      const { commits } = blobs;
      const { used, unreadable } = await this.#search(threadId);
      if (commits !== blobs.commits) continue;
      if (unreadable === undefined) await remove(() => blobs.drop(threadId, (hash) => used.has(hash)))?.();
      else onUnreadable(unreadable);
      break;
    }
    await blobs.sweep();
  }

  /** Ends with the first body that cannot be read. */
  async #search(threadId: string): Promise<Search> {
    const used = new Set<string>();
    for (const row of this.#bodies(threadId)) {
      try {
        await this.#parts.references.note(threadId, row, used);
      } catch (unreadable) {
        if (isPassing(unreadable)) throw unreadable;
        return { used, unreadable };
      }
    }
    return { used, unreadable: undefined };
  }
  *#bodies(threadId: string): Generator<BodyRow, void, void> {
    yield* this.#parts.references.bodies(threadId);
    yield* this.#parts.otherBodies();
  }
}
