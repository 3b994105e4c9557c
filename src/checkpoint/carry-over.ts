import type { ChannelVersions, Checkpoint } from "./types.ts";

/** A checkpoint without its values: small, and the same for every saver. */
export type CheckpointFrame = Omit<Checkpoint, "channel_values">;

/** The values that `put` stores: those of the channels in `newVersions`. A channel in it without a value is empty now. */
export function newValues(checkpoint: Checkpoint, newVersions: ChannelVersions): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const channel of Object.keys(newVersions)) {
    if (Object.hasOwn(checkpoint.channel_values, channel))
      values.set(channel, checkpoint.channel_values[channel]);
  }
  return values;
}

/** The channels whose values come from the parent: they have a version, but no new one. */
export function carriedChannels(checkpoint: Checkpoint, newVersions: ChannelVersions): string[] {
  return Object.keys(checkpoint.channel_versions).filter((channel) => !Object.hasOwn(newVersions, channel));
}

/** A copy that later changes to the caller's objects do not reach. */
export function frameOf(checkpoint: Checkpoint): CheckpointFrame {
  const { channel_values: _, ...frame } = checkpoint;
  return copyFrame(frame);
}

export function copyFrame(frame: CheckpointFrame): CheckpointFrame {
  const seen = Object.entries(frame.versions_seen).map(
    ([node, versions]) => [node, { ...versions }] as const,
  );
  return {
    ...frame,
    channel_versions: { ...frame.channel_versions },
    versions_seen: Object.fromEntries(seen),
  };
}
