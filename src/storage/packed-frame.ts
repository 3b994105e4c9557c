import { adopt } from "../values/adopt.ts";
import { copyFrame } from "../checkpoint/carry-over.ts";
import type { CheckpointFrame } from "../checkpoint/carry-over.ts";
import { timeOf, timestampAt } from "../checkpoint/timestamp.ts";

/** A frame as it is stored: all but its id, which is the key of its row. Never changed. */
export type PackedFrame = Omit<CheckpointFrame, "id" | "ts"> & {
  /** Milliseconds since 1970 where they say the same as the text. */
  readonly ts: string | number;
};

/** As many as are in every frame. */
const OWN_KEYS = 5;

/** The records of versions in the frame must not change any more; what else another engine has put in it is copied. */
export function packFrame(frame: CheckpointFrame): PackedFrame {
  const { v, channel_versions, versions_seen } = frame;
  const ts = timeOf(frame.ts) ?? frame.ts;
  if (Object.keys(frame).length === OWN_KEYS) return { v, channel_versions, versions_seen, ts };
  const { v: _v, id: _id, ts: _ts, channel_versions: _versions, versions_seen: _seen, ...others } = frame;
  return { v, channel_versions, versions_seen, ...adopt(others), ts };
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
