import type { CheckpointState } from "./checkpoint-state.ts";
import { weigh } from "./patch/weigh.ts";
import type { CachedCheckpoint } from "./saver-cache.ts";
import type { StoredValues } from "./stored-values.ts";

/** What may be remembered of a checkpoint: not the values that somebody could change. */
export function lastingOf(
  { id, state, chain: { weight, bases, counts } }: CachedCheckpoint,
  values: StoredValues,
): CachedCheckpoint {
  const known = new Map<CheckpointState, CheckpointState>();
  const lasting = (each: CheckpointState): CheckpointState => {
    const done = known.get(each) ?? withoutMutable(each, values);
    known.set(each, done);
    return done;
  };
  const [first, ...others] = bases.map((base) => ({ ...base, state: lasting(base.state) }));
  return {
    id,
    state: lasting(state),
    chain: { weight, bases: [first ?? bases[0], ...others], counts },
  };
}

function withoutMutable(state: CheckpointState, stored: StoredValues): CheckpointState {
  const missing = Array.from(state.values).filter(([, value]) => stored.isMutable(value));
  if (missing.length === 0) return state;
  const values = new Map(state.values);
  for (const [channel] of missing) values.delete(channel);
  const weights = missing.map(([channel, value]) => [channel, weigh(value)] as const);
  return { ...state, values, missing: new Map([...state.missing, ...weights]) };
}
