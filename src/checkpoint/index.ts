export { CheckpointIds, uuid5 } from "./id.ts";
export { ERROR, INTERRUPT, NULL_TASK_ID, RESUME, SCHEDULED, TASKS, WRITES_IDX_MAP } from "./constants.ts";
export { MemorySaver } from "./memory-saver.ts";
export { BaseCheckpointSaver } from "./saver.ts";
export { MsgpackSerializer } from "./serde/msgpack-serializer.ts";
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
