export { BaseCache, type CacheEntry, type CacheFullKey, type CacheNamespace } from "./cache/base-cache.ts";
export { InMemoryCache } from "./cache/in-memory-cache.ts";
export { AsyncBatchedStore } from "./store/async-batched-store.ts";
export {
  BaseStore,
  type Filter,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type ListNamespacesOptions,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
  type SearchOptions,
} from "./store/base-store.ts";
export type { MatchCondition, NamespaceMatchType } from "./store/namespace.ts";
export { InMemoryStore, type InMemoryStoreOptions, MemoryStore } from "./store/in-memory-store.ts";
export { InvalidNamespaceError } from "./store/namespace.ts";
export { getTextAtPath, tokenizePath } from "./store/text-path.ts";
export type { Embeddings, IndexConfig } from "./store/vector-index.ts";
export type { DeltaChannelHistory, DeltaHistoryOptions } from "./delta-history.ts";
export { DeltaSnapshot, isDeltaSnapshot } from "./delta-snapshot.ts";
export { uuid5 } from "../uuid5.ts";
export { CheckpointIds } from "./id.ts";
export { ERROR, INTERRUPT, NULL_TASK_ID, RESUME, SCHEDULED, TASKS, WRITES_IDX_MAP } from "./constants.ts";
export { MemorySaver } from "./memory-saver.ts";
export type { PruneOptions } from "./prune-options.ts";
export { BaseCheckpointSaver } from "./saver.ts";
export {
  EncryptedSerializer,
  type EncryptedSerializerOptions,
} from "./serde/encryption/encrypted-serializer.ts";
export { DecryptionError, MissingKeyError } from "./serde/encryption/errors.ts";
export type { KeyRingOptions } from "./serde/encryption/key-ring.ts";
export type { ClassCodec, Codec, MatchingCodec } from "./serde/codec.ts";
export { MsgpackSerializer, type MsgpackSerializerOptions } from "./serde/msgpack-serializer.ts";
export { registerCodec } from "./serde/registered-codecs.ts";
export type { SerializerProtocol } from "./serde/protocol.ts";
export type {
  ChannelVersion,
  ChannelVersions,
  Checkpoint,
  CheckpointConfig,
  CheckpointConfigurable,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointPendingWrite,
  CheckpointSource,
  CheckpointTuple,
  PendingWrite,
} from "./types.ts";
