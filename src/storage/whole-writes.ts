import { encode } from "../checkpoint/encoding.ts";
import { all, chain } from "../checkpoint/maybe-promise.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import type { MaybePromise } from "../checkpoint/types.ts";
import type { HashedBytes } from "./blob-hashes.ts";
import { sealBody } from "./bodies.ts";
import type { CheckpointReader } from "./checkpoint-reader.ts";
import { MAX_BLOB } from "./limits.ts";
import type { NamespaceRow } from "./namespace-rows.ts";
import type { CachedCheckpoint } from "./saver-cache.ts";
import { toTaskBody } from "./task-body.ts";
import type { WriteRows } from "./write-rows.ts";

/** What the tasks of a checkpoint have written, ready to be read without it. */
export interface WholeWrites {
  readonly blobs: readonly HashedBytes[];
  /** In the transaction that replaces the checkpoint; false when a task has written meanwhile. */
  write(): boolean;
}

export interface WholeWritesParts {
  readonly serde: SerializerProtocol;
  readonly writes: WriteRows;
  readonly reader: CheckpointReader;
}

/** For whoever gives a checkpoint other values: the rows of its tasks may be patches of those that it has. */
export function draftWholeWrites(
  { serde, writes, reader }: WholeWritesParts,
  { id: namespace, thread_id }: NamespaceRow,
  { id: checkpointId, state }: CachedCheckpoint,
): MaybePromise<WholeWrites> {
  const rows = () => writes.ofCheckpoint(namespace, checkpointId);
  const tasks = rows().map(({ taskId, row }) => () => {
    const encoding = chain(reader.task(thread_id, row, state.values), (task) =>
      encode(serde, toTaskBody(task)),
    );
    return chain(encoding, (encoded) =>
      chain(sealBody(encoded, MAX_BLOB), ({ input, blobs }) => ({
        blobs,
        replace: () => writes.replace({ namespace, checkpointId, taskId }, row, input),
      })),
    );
  });
  return chain(all(tasks), (wholes) => ({
    blobs: wholes.flatMap(({ blobs }) => blobs),
    write: () => rows().length === wholes.length && wholes.every(({ replace }) => replace()),
  }));
}
