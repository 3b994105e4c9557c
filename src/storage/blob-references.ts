import { chain } from "../checkpoint/maybe-promise.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import type { MaybePromise } from "../checkpoint/types.ts";
import { StorageError } from "../errors.ts";
import { openBody } from "./bodies.ts";
import type { BodyRow } from "./body-row.ts";
import type { SharedParts } from "./shared-parts.ts";
import { toHex } from "../hex.ts";

export type ReferenceParts = Pick<
  SharedParts,
  "namespaces" | "checkpoints" | "writes" | "blobs" | "values"
> & {
  readonly serde: SerializerProtocol;
};

/** Finds the blobs that rows refer to. */
export class BlobReferences {
  readonly #parts: ReferenceParts;

  constructor(parts: ReferenceParts) {
    this.#parts = parts;
  }

  /** All bodies of checkpoints and writes. */
  *bodies(threadId: string): Generator<BodyRow, void, void> {
    const { namespaces, checkpoints, writes } = this.#parts;
    for (const { id } of namespaces.matching(threadId, undefined)) {
      yield* checkpoints.bodies(id);
      yield* writes.bodies(id);
    }
  }

  /** Adds the hashes of those that the body refers to; where it cannot be read, of its own alone. */
  note(threadId: string, row: BodyRow, used: Set<string>): MaybePromise<void> {
    const { serde, blobs, values } = this.#parts;
    if (row.body_hash !== null) used.add(toHex(new Uint8Array(row.body_hash)));
    return chain(openBody(serde, blobs, threadId, row), ({ value }) => {
      for (const { hash } of values.referencesIn(value)) used.add(hash);
    });
  }
}

/** Whether what cannot be read now may be read later. */
export function isPassing(error: unknown): boolean {
  return error instanceof StorageError && error.code === "blob_unavailable";
}
