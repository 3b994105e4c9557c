import type { CheckpointFrame } from "../checkpoint/carry-over.ts";
import type { ChannelLocator } from "../checkpoint/encoding.ts";
import { UndecodableError } from "../errors.ts";

/** How a checkpoint is encoded: all but its id, which is the key of its row. */
type CheckpointBody = Omit<CheckpointFrame, "id"> & {
  readonly channel_values: Readonly<Record<string, unknown>>;
};

export function toCheckpointBody(
  frame: CheckpointFrame,
  values: ReadonlyMap<string, unknown>,
): CheckpointBody {
  const { id: _, ...rest } = frame;
  return { ...rest, channel_values: Object.fromEntries(values) };
}

export function fromCheckpointBody(
  id: string,
  body: unknown,
): { frame: CheckpointFrame; values: Readonly<Record<string, unknown>> } {
  if (!isCheckpointBody(body)) throw new UndecodableError(`the row of checkpoint "${id}" has another form`);
  const { channel_values, ...rest } = body;
  return { frame: { ...rest, id }, values: channel_values };
}

/** The channel that a path into the body leads through. */
export const channelInCheckpoint: ChannelLocator = ([field, channel, ...path]) => {
  return field === "channel_values" && channel !== undefined ? { channel: String(channel), path } : undefined;
};

function isCheckpointBody(body: unknown): body is CheckpointBody {
  return typeof body === "object" && body !== null && "channel_values" in body && "channel_versions" in body;
}
