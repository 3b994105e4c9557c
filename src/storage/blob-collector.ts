import { chain } from "../checkpoint/maybe-promise.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import type { MaybePromise } from "../checkpoint/types.ts";
import type { BlobStore } from "./blob-store.ts";
import { openBody } from "./bodies.ts";
import type { BodyRow, CheckpointRows } from "./checkpoint-rows.ts";
import type { Transact } from "./commits.ts";
import type { StoredValues } from "./stored-values.ts";
import { toHex } from "./stored-id.ts";
import type { WriteRows } from "./write-rows.ts";

/** So often is the search for what is in use begun anew because something was stored meanwhile. */
const ATTEMPTS = 3;

export interface CollectorParts {
  readonly serde: SerializerProtocol;
  readonly checkpoints: CheckpointRows;
  readonly writes: WriteRows;
  readonly blobs: BlobStore;
  readonly values: StoredValues;
  /** Whatever is being written begins anew afterwards: what it was made of may be gone. */
  readonly remove: Transact;
  /** Bodies in rows of others, whose blobs are among those of the thread. */
  readonly otherBodies: () => Iterable<BodyRow>;
}

/**
 * Removes the blobs that no row refers to any more. They are found by reading what is left, when rows were removed: a
 * superstep pays nothing for it. When all is read, and nothing was stored since, it is decided in one turn.
 */
export class BlobCollector {
  readonly #parts: CollectorParts;

  constructor(parts: CollectorParts) {
    this.#parts = parts;
  }

  /** With a store that is written without a pause it may find nothing: what is left is found the next time. */
  async collect(threadId: string): Promise<void> {
    const { blobs, remove } = this.#parts;
    for (let attempt = 0; attempt < ATTEMPTS && blobs.hasAny(threadId); attempt++) {
      const { commits } = blobs;
      const used = await this.#used(threadId);
      if (commits !== blobs.commits) continue;
      await remove(() => blobs.drop(threadId, (hash) => used.has(hash)))?.();
      break;
    }
    await blobs.sweep();
  }

  async #used(threadId: string): Promise<Set<string>> {
    const { checkpoints, writes, otherBodies } = this.#parts;
    const used = new Set<string>();
    for (const { id } of checkpoints.namespaces(threadId, undefined)) {
      for (const row of checkpoints.bodies(id)) await this.#note(threadId, row, used);
      for (const row of writes.bodies(id)) await this.#note(threadId, row, used);
    }
    for (const row of otherBodies()) await this.#note(threadId, row, used);
    return used;
  }

  #note(threadId: string, row: BodyRow, used: Set<string>): MaybePromise<void> {
    const { serde, blobs, values } = this.#parts;
    if (row.body_hash !== null) used.add(toHex(new Uint8Array(row.body_hash)));
    return chain(openBody(serde, blobs, threadId, row), ({ value }) => {
      for (const { hash } of values.referencesIn(value)) used.add(hash);
    });
  }
}
