import { encode } from "../checkpoint/encoding.ts";
import { chain } from "../checkpoint/maybe-promise.ts";
import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import type { MaybePromise } from "../checkpoint/types.ts";
import type { HashedBytes } from "./blob-hashes.ts";
import { sealBody } from "./bodies.ts";
import type { CheckpointReader } from "./checkpoint-reader.ts";
import type { ChainRows, RowPlace } from "./chain-rows.ts";
import { wholeBody } from "./checkpoint-state.ts";
import type { CheckpointState } from "./checkpoint-state.ts";
import { MAX_BLOB } from "./limits.ts";
import { SNAPSHOT } from "./patch-chain.ts";
import type { SaverCache } from "./saver-cache.ts";

/** A checkpoint's value, ready to be stored whole. */
export interface SnapshotDraft {
  readonly blobs: readonly HashedBytes[];
  /** Makes the row one that is read without any other. In the transaction that removes the rows it was read from. */
  write(): void;
}

export interface SnapshotParts {
  readonly serde: SerializerProtocol;
  readonly chains: ChainRows;
  readonly reader: CheckpointReader;
}

/**
 * For whoever removes or replaces a row: the rows that are patches of it (`ChainRows.dependents`) are to be read
 * without it. Afterwards the cache has to be dropped. Undefined when there is no such checkpoint.
 */
export function draftSnapshot(
  { serde, chains, reader }: SnapshotParts,
  cache: SaverCache,
  { namespace, id }: RowPlace,
): MaybePromise<SnapshotDraft | undefined> {
  return chain(reader.load(cache, namespace, id), (loaded) =>
    loaded === undefined ? undefined : draftWhole({ serde, chains }, namespace.id, id, loaded.state),
  );
}

/** The same for a state that was read already. */
export function draftWhole(
  { serde, chains }: Pick<SnapshotParts, "serde" | "chains">,
  namespace: number,
  id: string,
  { frame, values }: CheckpointState,
): MaybePromise<SnapshotDraft> {
  return chain(encode(serde, wholeBody(frame, values)), (encoded) =>
    chain(sealBody(encoded, MAX_BLOB), ({ input, blobs }) => ({
      blobs,
      write: () => {
        const weight = encoded.data.length;
        chains.restore(namespace, id, { level: SNAPSHOT, baseId: undefined, weight, body: input });
      },
    })),
  );
}
