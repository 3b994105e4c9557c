import { InvalidArgumentError } from "../errors.ts";
import type { CheckpointConfig } from "./types.ts";

/** What a config says about where a checkpoint is. */
export interface CheckpointAddress {
  readonly threadId: string | undefined;
  readonly namespace: string | undefined;
  readonly checkpointId: string | undefined;
}

/** Where to write. The namespace defaults to that of the root graph. */
export interface WriteAddress {
  readonly threadId: string;
  readonly namespace: string;
  /** For `put` the parent, for `putWrites` the checkpoint that the writes belong to. */
  readonly checkpointId: string | undefined;
}

/** `thread_ts` is an old name of `checkpoint_id`; an empty id means none. */
export function addressOf(config: CheckpointConfig): CheckpointAddress {
  const { thread_id, checkpoint_ns, checkpoint_id, thread_ts } = config.configurable ?? {};
  return {
    threadId: identifier("thread_id", thread_id),
    namespace: identifier("checkpoint_ns", checkpoint_ns),
    checkpointId:
      identifier("checkpoint_id", checkpoint_id) || identifier("thread_ts", thread_ts) || undefined,
  };
}

export function writeAddressOf(config: CheckpointConfig): WriteAddress {
  const { threadId, namespace = "", checkpointId } = addressOf(config);
  if (threadId === undefined) {
    throw new InvalidArgumentError(
      "missing_thread_id",
      'A checkpoint is written without a thread: set "configurable.thread_id" in the config.',
    );
  }
  return { threadId, namespace, checkpointId };
}

/** The checkpoint that pending writes are for. */
export function requireCheckpointId(address: WriteAddress): string {
  if (address.checkpointId !== undefined) return address.checkpointId;
  throw new InvalidArgumentError(
    "missing_checkpoint_id",
    'Writes are stored without a checkpoint: set "configurable.checkpoint_id" in the config.',
  );
}

export function configOf(threadId: string, namespace: string, checkpointId: string): CheckpointConfig {
  return { configurable: { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: checkpointId } };
}

function identifier(key: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw new InvalidArgumentError(
    "invalid_identifier",
    `"configurable.${key}" must be a string, not a ${typeof value}.`,
    {
      details: { key },
    },
  );
}
