import { isObject } from "../values/containers.ts";
import { InvalidUpdateError } from "../graph-errors.ts";

const NAMES = "__names";

/** Written to a dynamic barrier, says what it waits for from now on. */
export interface WaitForNames<Name> {
  readonly [NAMES]: readonly Name[];
}

/** What a dynamic barrier waits for, and what has come of it. */
export interface BarrierState<Name> {
  /** Undefined: nobody has said yet. */
  readonly names: ReadonlySet<Name> | undefined;
  readonly seen: ReadonlySet<Name>;
}

export const NOT_WAITING: BarrierState<never> = { names: undefined, seen: new Set() };

/** The state after the writes of a superstep; the same when they change nothing. A name nobody waits for does not count. */
export function waitOrSee<Name>(
  state: BarrierState<Name>,
  writes: readonly (Name | WaitForNames<Name>)[],
): BarrierState<Name> {
  const waits = writes.filter(isWait<Name>);
  const [wait, ...others] = waits;
  if (others.length > 0) {
    throw new InvalidUpdateError(
      "Several writes of one superstep say what the barrier waits for; only one may.",
    );
  }
  if (wait !== undefined) return { names: new Set(wait[NAMES]), seen: state.seen };
  const { names, seen } = state;
  const added = writes.filter(
    (name): name is Name => !isWait<Name>(name) && !!names?.has(name) && !seen.has(name),
  );
  return added.length === 0 ? state : { names, seen: new Set([...seen, ...added]) };
}

export function isComplete<Name>({ names, seen }: BarrierState<Name>): boolean {
  return names !== undefined && names.size === seen.size && [...names].every((name) => seen.has(name));
}

function isWait<Name>(write: unknown): write is WaitForNames<Name> {
  return isObject(write) && NAMES in write;
}
