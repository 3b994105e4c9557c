import { adopt } from "../adopt.ts";
import { Overwrite } from "../channels/overwrite.ts";
import type { PendingWrite } from "../checkpoint/types.ts";
import { NO_WRITES, TASKS } from "./constants.ts";
import { isSend, packetOf } from "./send.ts";

/** Writes as they are applied and stored: adopted, in plain form, and at least one of them. What several share, they share. */
export function normaliseWrites(writes: readonly PendingWrite[]): readonly PendingWrite[] {
  if (writes.length === 0) return [[NO_WRITES, null]];
  const values = adopt(writes.map(plainForm));
  return writes.map(([channel], index) => [channel, values[index]]);
}

function plainForm([channel, value]: PendingWrite): unknown {
  if (channel === TASKS && isSend(value)) return packetOf(value);
  return Overwrite.isInstance(value) ? value.toJSON() : value;
}
