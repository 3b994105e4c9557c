import { adopt } from "../adopt.ts";
import { copyFrame } from "../checkpoint/carry-over.ts";
import type { CheckpointFrame } from "../checkpoint/carry-over.ts";
import { timeOf, timestampAt } from "../checkpoint/timestamp.ts";

/** A frame as it is stored: all but its id, which is the key of its row. Never changed. */
export type PackedFrame = Omit<CheckpointFrame, "id" | "ts"> & {
  /** Milliseconds since 1970 where they say the same as the text. */
  readonly ts: string | number;
};

/** The records of versions in the frame must not change any more; what else another engine has put in it is copied. */
export function packFrame(frame: CheckpointFrame): PackedFrame {
  const { v, id: _, ts, channel_versions, versions_seen, ...others } = frame;
  return { v, channel_versions, versions_seen, ...adopt(others), ts: timeOf(ts) ?? ts };
}

export function unpackFrame(id: string, { ts, ...rest }: PackedFrame): CheckpointFrame {
  return copyFrame({ ...rest, id, ts: typeof ts === "number" ? timestampAt(ts) : ts });
}

/** A channel by its position, if it has one: shorter than its name. */
export function placeOf(channels: readonly string[], channel: string): string | number {
  const position = channels.indexOf(channel);
  return position < 0 ? channel : position;
}

export function channelAt(channels: readonly string[], place: unknown): string {
  return typeof place === "number" ? (channels[place] ?? "") : String(place);
}
