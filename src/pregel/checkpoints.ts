import type { Checkpoint } from "../checkpoint/types.ts";
import { systemEnvironment } from "./system-environment.ts";

/** A checkpoint of nothing, as the savers of LangGraph expect one: for those who write a saver, or test one. */
export function emptyCheckpoint(): Checkpoint {
  return {
    v: 4,
    id: systemEnvironment.checkpointIds.next(0),
    ts: new Date(systemEnvironment.now()).toISOString(),
    channel_values: {},
    channel_versions: {},
    versions_seen: {},
  };
}

/** The same checkpoint with records of its own, whose values are the same. */
export function copyCheckpoint({ v, id, ts, ...held }: Checkpoint): Checkpoint {
  const seen = Object.entries(held.versions_seen).map(([node, versions]) => [node, { ...versions }]);
  return {
    v,
    id,
    ts,
    channel_values: { ...held.channel_values },
    channel_versions: { ...held.channel_versions },
    versions_seen: Object.fromEntries(seen),
  };
}
