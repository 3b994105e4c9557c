import { Onto } from "../values/onto.ts";
import type { ChannelVersions, Checkpoint } from "./types.ts";

/** A checkpoint without its values: small, and the same for every saver. */
export type CheckpointFrame = Omit<Checkpoint, "channel_values">;

/** The values that `put` stores: those of the channels in `newVersions`. A channel in it without a value is empty now. */
export function newValues(checkpoint: Checkpoint, newVersions: ChannelVersions): Values {
  const known = Fixed.valuesOf(checkpoint, newVersions);
  if (known !== undefined) return known;
  const values = new Map<string, unknown>();
  for (const channel of Object.keys(newVersions)) {
    if (Object.hasOwn(checkpoint.channel_values, channel))
      values.set(channel, checkpoint.channel_values[channel]);
  }
  return values;
}

type Values = ReadonlyMap<string, unknown>;

/** The checkpoints of an engine, with the values that belong to their new versions. */
class Fixed extends Onto {
  readonly #newVersions: ChannelVersions;
  readonly #added: Values;

  constructor(checkpoint: Checkpoint, newVersions: ChannelVersions, added: Values) {
    super(checkpoint);
    this.#newVersions = newVersions;
    this.#added = added;
  }

  static onto(checkpoint: Checkpoint, newVersions: ChannelVersions, added: Values): Checkpoint {
    void new Fixed(checkpoint, newVersions, added);
    return checkpoint;
  }

  static has(checkpoint: Checkpoint): boolean {
    return #added in checkpoint;
  }

  /** Other versions than those it was made with tell of more than one superstep. */
  static valuesOf(checkpoint: Checkpoint, newVersions: ChannelVersions): Values | undefined {
    return #added in checkpoint && checkpoint.#newVersions === newVersions ? checkpoint.#added : undefined;
  }
}

/**
 * Says that no record in the checkpoint is ever changed, and that every channel which the parent does not have is among
 * its new versions: a saver need not copy the one, nor check the other, nor look for the new values among all. Each would
 * cost as much as there are channels.
 */
export function fix(checkpoint: Checkpoint, newVersions: ChannelVersions, added: Values): Checkpoint {
  return Fixed.onto(checkpoint, newVersions, added);
}

export function isFixed(checkpoint: Checkpoint): boolean {
  return Fixed.has(checkpoint);
}

/** A frame that later changes to the caller's objects do not reach. */
export function frameOf(checkpoint: Checkpoint): CheckpointFrame {
  if (isFixed(checkpoint)) return fixedFrame(checkpoint);
  const { channel_values: _, ...frame } = checkpoint;
  return copyFrame(frame);
}

/** Without a look at the values, which come to be when they are looked at. */
function fixedFrame({ v, id, ts, channel_versions, versions_seen }: Checkpoint): CheckpointFrame {
  return { v, id, ts, channel_versions, versions_seen };
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
