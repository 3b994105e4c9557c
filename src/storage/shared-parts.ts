import type { SerializerProtocol } from "../checkpoint/serde/protocol.ts";
import { BlobBucket } from "./blob-bucket.ts";
import { BlobStore } from "./blob-store.ts";
import { ChainRows } from "./chain-rows.ts";
import { CheckpointRows } from "./checkpoint-rows.ts";
import { Deletions } from "./deletions.ts";
import { LazyTables } from "./lazy-tables.ts";
import { DEFAULT_INLINE_LIMIT, MAX_STATE } from "./limits.ts";
import { NamespaceRows } from "./namespace-rows.ts";
import { SaverCache } from "./saver-cache.ts";
import { Sql } from "./sql.ts";
import { StoredValues } from "./stored-values.ts";
import { ThreadTables } from "./thread-tables.ts";
import { WriteRows } from "./write-rows.ts";

export interface SharedPartsOptions {
  readonly sql: SqlStorage;
  /** Those of the object, when `blobs` and `parts` are made with their first rows. */
  readonly tables?: LazyTables;
  /** For large values; without one they are cut into rows. */
  readonly bucket?: R2Bucket;
  /** Of the keys in the bucket. */
  readonly prefix: string;
  /** Strings and byte arrays above it, in bytes, are kept apart and once a thread. */
  readonly inlineLimit?: number;
  /** Of a state without what is kept apart, and of the writes of a task, in bytes. */
  readonly stateLimit?: number;
  readonly randomId: () => string;
}

/** What savers over the same tables have in common. */
export interface SharedParts {
  readonly namespaces: NamespaceRows;
  readonly checkpoints: CheckpointRows;
  readonly chains: ChainRows;
  readonly threads: ThreadTables;
  readonly writes: WriteRows;
  readonly values: StoredValues;
  readonly blobs: BlobStore;
  readonly deletions: Deletions;
  /** Of what a body holds, in bytes. */
  readonly stateLimit: number;
  cache: SaverCache;
}

export function sharedParts(options: SharedPartsOptions, serde: SerializerProtocol): SharedParts {
  const sql = new Sql(options.sql);
  const bucket = options.bucket && new BlobBucket(options.bucket, options.prefix);
  const namespaces = new NamespaceRows(sql);
  return {
    namespaces,
    checkpoints: new CheckpointRows(sql),
    chains: new ChainRows(sql),
    threads: new ThreadTables(sql, namespaces),
    writes: new WriteRows(sql),
    values: new StoredValues(serde, options.inlineLimit ?? DEFAULT_INLINE_LIMIT),
    blobs: new BlobStore(options.tables ?? new LazyTables(options.sql), bucket, serde, options.randomId),
    deletions: new Deletions(),
    stateLimit: options.stateLimit ?? MAX_STATE,
    cache: new SaverCache(),
  };
}
