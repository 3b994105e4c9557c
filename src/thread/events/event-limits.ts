/** How much is kept of the events of runs, and for how long. */
export interface EventLimits {
  /** Of one run, in bytes: the oldest events go first. */
  readonly size: number;
  /** After the end of the run, in milliseconds. */
  readonly keep: number;
  /** Whether the events of a run that was started in LangGraph's words end with `end`. */
  readonly hasEnd: boolean;
}

/** A row takes events up to this size, in bytes: it is written anew with each addition. */
export const ROW_SIZE = 16 * 1024;

/** In bytes. What waits to be written is written when it has grown to this. */
export const WRITE_SIZE = 16 * 1024;

/** In milliseconds. What waits goes to the rows with the first event after that. */
export const WRITE_AFTER = 1000;

/** So many supersteps may finish until the rows say so: a next attempt need not look at more. */
export const SUPERSTEPS_BEHIND = 32;
