import { adoptAll, isAdopted } from "../values/adopt.ts";
import { Overwrite } from "../channels/overwrite.ts";
import type { PendingWrite } from "../checkpoint/types.ts";
import { NO_WRITES, TASKS } from "./constants.ts";
import type { GraphState } from "./graph-state.ts";
import { isSend, packetOf } from "./send.ts";

/** What a channel holds: a value that is written may be the next one. */
export type Held = Pick<GraphState, "held">;

/** Writes as they are applied and stored: adopted, in plain form, and at least one of them. */
export function normaliseWrites(writes: readonly PendingWrite[], state: Held): readonly PendingWrite[] {
  return writes.length === 0 ? [[NO_WRITES, null]] : adoptWrites(writes, state);
}

/** The writes in plain form, adopted: the same list when they are so already. What several share, they share. */
export function adoptWrites(writes: readonly PendingWrite[], state: Held): readonly PendingWrite[] {
  // An instance that has a plain form is never adopted.
  if (writes.every(([, value]) => isAdopted(value))) return writes;
  const values = adoptAll(
    writes.map(plainForm),
    writes.map(([channel]) => state.held(channel)),
  );
  return writes.map(([channel], index) => [channel, values[index]]);
}

function plainForm([channel, value]: PendingWrite): unknown {
  if (channel === TASKS && isSend(value)) return packetOf(value);
  return Overwrite.isInstance(value) ? value.toJSON() : value;
}
