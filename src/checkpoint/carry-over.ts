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

/** What an engine knows of a checkpoint that it has made. */
export interface KnownOfCheckpoint {
  readonly newVersions: ChannelVersions;
  /** The values that belong to them. */
  readonly added: Values;
  /** Makes the record of all values, when somebody asks for it. */
  readonly values: () => Checkpoint["channel_values"];
}

/** The checkpoints of an engine. */
class Fixed extends Onto {
  readonly #known: KnownOfCheckpoint;
  #values: Checkpoint["channel_values"] | undefined;

  constructor(frame: CheckpointFrame, known: KnownOfCheckpoint) {
    super(frame);
    this.#known = known;
  }

  static onto(frame: CheckpointFrame, known: KnownOfCheckpoint): asserts frame is Checkpoint {
    void new Fixed(frame, known);
    Object.defineProperty(frame, "channel_values", CHANNEL_VALUES);
  }

  static has(checkpoint: Checkpoint): boolean {
    return #known in checkpoint;
  }

  static allOf(checkpoint: object): Checkpoint["channel_values"] {
    return #known in checkpoint ? (checkpoint.#values ??= checkpoint.#known.values()) : {};
  }

  /** Other versions than those it was made with tell of more than one superstep. */
  static valuesOf(checkpoint: Checkpoint, newVersions: ChannelVersions): Values | undefined {
    return #known in checkpoint && checkpoint.#known.newVersions === newVersions
      ? checkpoint.#known.added
      : undefined;
  }
}

/** One getter for all: a checkpoint with a getter of its own would be one of a kind, which takes ten times as long to make. */
const CHANNEL_VALUES: PropertyDescriptor & ThisType<object> = {
  get() {
    return Fixed.allOf(this);
  },
  enumerable: true,
  configurable: true,
};

/**
 * Makes a checkpoint of which no record is ever changed, and every channel that the parent does not have is among
 * its new versions: a saver need not copy the one, nor check the other, nor look for the new values among all. Each would
 * cost as much as there are channels.
 */
export function fix(frame: CheckpointFrame, known: KnownOfCheckpoint): Checkpoint {
  Fixed.onto(frame, known);
  return frame;
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
