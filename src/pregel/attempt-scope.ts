import type { LoopState } from "./loop-state.ts";

/** One call of a node within its task, as the node's config shows it. */
export interface AttemptScope {
  /** Counted from 1. */
  readonly number: number;
  /** When the first attempt began, in milliseconds since 1970. */
  readonly firstTime: number;
  readonly signal: AbortSignal;
  /** True when nobody waits for the attempt any more: what it still does counts no more. */
  readonly isOver: boolean;
  /** The node says that it is alive. */
  readonly heartbeat: () => void;
  /** The node did something that shows. */
  readonly progress: () => void;
}

const nothing = (): void => undefined;

/** The attempt of a node without policies: as long, and as often, as its run. */
export function onlyAttempt(loop: LoopState): AttemptScope {
  return firstAttempt(loop, loop.run.environment.now(), 1);
}

/** An attempt without a timeout. */
export function firstAttempt(loop: LoopState, firstTime: number, number: number): AttemptScope {
  return {
    number,
    firstTime,
    signal: loop.signal,
    isOver: false,
    heartbeat: nothing,
    progress: nothing,
  };
}
