import { UndecodableError } from "../errors.ts";
import type { OpenedBody } from "./bodies.ts";
import type { LinkRow } from "./chain-rows.ts";
import { applyStatePatch, fromWholeBody, NO_STATE } from "./checkpoint-state.ts";
import type { CheckpointState } from "./checkpoint-state.ts";
import { Budget } from "../checkpoint/serde/budget.ts";
import { type ChainBase, extend, OUTWARD } from "./patch-chain.ts";
import type { CachedCheckpoint } from "./saver-cache.ts";
import { fromStoredId } from "./stored-id.ts";

/** What the rows of a chain refer to in another namespace. */
export type Around = Pick<ChainBase, "state" | "built">;
export const NOTHING_AROUND: Around = { state: NO_STATE, built: 0 };

/** The checkpoint of the last row: the patches are applied, oldest first. Each on the way is shown to `onTheWay`. */
export function applyChain(
  links: readonly LinkRow[],
  bodies: readonly OpenedBody[],
  around: Around,
  onTheWay: (checkpoint: CachedCheckpoint) => void = () => undefined,
): CachedCheckpoint | undefined {
  let built = around.built;
  let checkpoint: CachedCheckpoint | undefined;
  for (const [index, { id: stored, level, weight }] of links.entries()) {
    const body = bodies[index];
    if (body === undefined) return undefined;
    const id = fromStoredId(stored);
    // What the rows before it have built it needs no more.
    const budget = new Budget();
    const state = ofRow(id, () => stateOf(level, body.value, budget, checkpoint?.state, around.state));
    const link = { id, state, level, bytes: body.size, weight, built: built + budget.built };
    built = 0;
    checkpoint = { id, state, chain: extend(checkpoint?.chain, link) };
    onTheWay(checkpoint);
  }
  return checkpoint;
}

/** Says of which checkpoint the row is that cannot be read. */
function ofRow<Read>(id: string, read: () => Read): Read {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof UndecodableError)) throw cause;
    const details = { checkpoint_id: id };
    throw new UndecodableError(`the row of checkpoint "${id}": ${cause.problem}`, { details, cause });
  }
}

function stateOf(
  level: number,
  body: unknown,
  budget: Budget,
  below: CheckpointState | undefined,
  around: CheckpointState,
): CheckpointState {
  if (below !== undefined) return applyStatePatch(below, body, budget);
  return level === OUTWARD ? applyStatePatch(NO_STATE, body, budget, around.values) : fromWholeBody(body);
}
