import type { ContentRecord, SavedCheckpoint } from "../archive/records.ts";
import { addressOf } from "../checkpoint/address.ts";
import type { CheckpointConfig, CheckpointTuple } from "../checkpoint/types.ts";
import { CommandError } from "./command-error.ts";
import { plainMessages } from "./plain-messages.ts";
import type { SourceSaver } from "./langgraph-saver.ts";

/** The ids of all threads that the saver has, in no particular order. */
export async function threadIds(saver: SourceSaver): Promise<string[]> {
  const ids = new Set<string>();
  for await (const { config } of saver.list({ configurable: {} })) {
    const { threadId } = addressOf(config);
    if (threadId !== undefined) ids.add(threadId);
  }
  return [...ids];
}

/** Where the checkpoints of a thread are, the oldest first. */
export async function checkpointsOf(saver: SourceSaver, threadId: string): Promise<CheckpointConfig[]> {
  const configs: CheckpointConfig[] = [];
  for await (const { config } of saver.list({ configurable: { thread_id: threadId } })) configs.push(config);
  if (configs.length === 0) throw new CommandError(`There is no thread "${threadId}" in the source.`);
  // Savers list the newest first.
  return configs.toReversed();
}

/** These checkpoints as the records of an archive. One of them is in memory at a time. */
export async function* savedThread(
  saver: SourceSaver,
  checkpoints: readonly CheckpointConfig[],
  graph: string | undefined,
): AsyncGenerator<ContentRecord, void, undefined> {
  yield { kind: "thread", schema: 0, graph };
  for (const config of checkpoints) {
    const tuple = await saver.getTuple(config);
    if (tuple !== undefined) yield savedCheckpoint(tuple);
  }
}

function savedCheckpoint(tuple: CheckpointTuple): SavedCheckpoint {
  const { config, checkpoint, metadata, parentConfig, pendingWrites = [] } = tuple;
  const { namespace = "", checkpointId } = addressOf(config);
  if (metadata === undefined)
    throw new CommandError(`The checkpoint ${String(checkpointId)} has no metadata.`);
  return {
    kind: "checkpoint",
    namespace,
    parentId: parentConfig && addressOf(parentConfig).checkpointId,
    checkpoint: { ...plainMessages(checkpoint) },
    metadata: { ...metadata, parents: metadata.parents ?? {} },
    writes: pendingWrites.map(([task, channel, value]) => [task, channel, plainMessages(value)]),
  };
}
