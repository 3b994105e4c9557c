import { adopt } from "../values/adopt.ts";
import { EMPTY } from "../channels/base.ts";
import { DeltaChannel } from "../channels/delta-channel.ts";
import type { Checkpoint, CheckpointTuple } from "../checkpoint/types.ts";
import type { Saver } from "./run-context.ts";
import type { PregelGraph } from "./types.ts";

const deltaChannels = new WeakMap<PregelGraph, readonly string[]>();

/**
 * A checkpoint with the values that it has only as writes: LangGraph keeps a `DeltaChannel` so. What this engine has saved
 * comes back as it is.
 */
export async function hydrated<T extends CheckpointTuple | undefined>(
  graph: PregelGraph,
  saver: Saver | undefined,
  tuple: T,
): Promise<T> {
  if (tuple === undefined || saver === undefined) return tuple;
  // Older code has not written all of it.
  const saved = tuple.checkpoint as Partial<Checkpoint>;
  const values = saved.channel_values ?? {};
  const versions = saved.channel_versions ?? {};
  const missing = deltaChannelsOf(graph).filter(
    (name) => Object.hasOwn(versions, name) && !Object.hasOwn(values, name),
  );
  if (missing.length === 0) return tuple;
  const histories = await saver.getDeltaChannelHistory({ config: tuple.config, channels: missing });
  const found = missing.map((name) => {
    const channel = graph.channels.get(name)?.fromCheckpoint(histories[name]?.seed ?? EMPTY, adopt);
    if (channel instanceof DeltaChannel)
      channel.replay(histories[name]?.writes.map(([, , value]) => value) ?? [], adopt);
    return [name, channel?.checkpoint()] as const;
  });
  const checkpoint = {
    ...tuple.checkpoint,
    channel_values: { ...values, ...Object.fromEntries(found) },
  };
  return { ...tuple, checkpoint };
}

function deltaChannelsOf(graph: PregelGraph): readonly string[] {
  let names = deltaChannels.get(graph);
  if (names === undefined) {
    names = [...graph.channels].flatMap(([name, channel]) => (channel instanceof DeltaChannel ? [name] : []));
    deltaChannels.set(graph, names);
  }
  return names;
}
