import { TASKS } from "./constants.ts";
import type { ChannelVersion, Checkpoint, CheckpointPendingWrite } from "./types.ts";

/** Checkpoints before format 4 left the Sends of a superstep among the pending writes of their parent. */
export const SENDS_IN_CHANNEL = 4;

export function keepsSendsInParent(checkpoint: Pick<Checkpoint, "v">): boolean {
  return checkpoint.v < SENDS_IN_CHANNEL;
}

/** Gives an old checkpoint the channel of Sends that a new one has, from the writes of its parent. */
export function withPendingSends(
  checkpoint: Checkpoint,
  parentWrites: readonly CheckpointPendingWrite[],
  firstVersion: ChannelVersion,
): Checkpoint {
  const sends = parentWrites.filter(([, channel]) => channel === TASKS).map(([, , value]) => value);
  const versions = Object.values(checkpoint.channel_versions);
  const version = versions.reduce<ChannelVersion | undefined>(
    (highest, each) => (highest === undefined || each > highest ? each : highest),
    undefined,
  );
  return {
    ...checkpoint,
    channel_values: { ...checkpoint.channel_values, [TASKS]: sends },
    channel_versions: { ...checkpoint.channel_versions, [TASKS]: version ?? firstVersion },
  };
}
