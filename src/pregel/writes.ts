import { adopt } from "../adopt.ts";
import { Overwrite } from "../channels/overwrite.ts";
import type { PendingWrite } from "../checkpoint/types.ts";
import { NO_WRITES, TASKS } from "./constants.ts";
import { isSend, packetOf } from "./send.ts";

/** Writes as they are applied and stored: adopted, in plain form, and at least one of them. */
export function normaliseWrites(writes: readonly PendingWrite[]): readonly PendingWrite[] {
  if (writes.length === 0) return [[NO_WRITES, null]];
  return writes.map(([channel, value]) => {
    if (channel === TASKS && isSend(value)) return [channel, adopt(packetOf(value))];
    if (Overwrite.isInstance(value)) return [channel, adopt(value.toJSON())];
    return [channel, adopt(value)];
  });
}
