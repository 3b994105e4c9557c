import type { CheckpointConfig, CheckpointPendingWrite, CheckpointTuple } from "./types.ts";

/** What the value of a channel at a checkpoint can be made of, where its writes are kept in place of it. */
export interface DeltaChannelHistory {
  /** On the way from the seed to the checkpoint, oldest first; those after the checkpoint itself are not among them. */
  readonly writes: readonly CheckpointPendingWrite[];
  /** The nearest value that an ancestor holds. Absent: none does. */
  readonly seed?: unknown;
}

export interface DeltaHistoryOptions {
  readonly config: CheckpointConfig;
  readonly channels: readonly string[];
}

/** Where checkpoints are read. */
interface CheckpointSource {
  getTuple(config: CheckpointConfig): Promise<CheckpointTuple | undefined>;
}

/** Walks from a checkpoint up its parents, until every channel has its seed. */
export async function deltaHistory(
  saver: CheckpointSource,
  { config, channels }: DeltaHistoryOptions,
): Promise<Record<string, DeltaChannelHistory>> {
  const open = new Set(channels);
  const writes = new Map<string, CheckpointPendingWrite[]>(channels.map((channel) => [channel, []]));
  const seeds = new Map<string, unknown>();
  let parent = open.size === 0 ? undefined : (await saver.getTuple(config))?.parentConfig;
  while (parent !== undefined && open.size > 0) {
    const tuple = await saver.getTuple(parent);
    if (tuple === undefined) break;
    const found = [...(tuple.pendingWrites ?? [])].filter(([, channel]) => open.has(channel));
    for (const write of found.toReversed()) writes.get(write[1])?.push(write);
    const values = tuple.checkpoint.channel_values;
    for (const channel of open) {
      if (!Object.hasOwn(values, channel)) continue;
      seeds.set(channel, values[channel]);
      open.delete(channel);
    }
    parent = tuple.parentConfig;
  }
  return Object.fromEntries(
    channels.map((channel) => {
      const history = { writes: (writes.get(channel) ?? []).toReversed() };
      return [channel, seeds.has(channel) ? { ...history, seed: seeds.get(channel) } : history];
    }),
  );
}
