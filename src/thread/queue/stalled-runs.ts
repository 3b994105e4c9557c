/** So many attempts in a row without a single commit, and the run is given up. */
export const MAX_STALLED = 10;

/** In milliseconds. */
const FIRST_DELAY = 1000;

/**
 * How long a run waits, in milliseconds, after so many attempts in a row that a fault has stopped. What goes on for a while, as an
 * outage or a series of deploys, so takes few attempts; what comes each time is given up after minutes, not hours.
 */
export function delayAfterFaults(faults: number): number {
  return faults <= 0 ? 0 : FIRST_DELAY * 2 ** (Math.min(faults, MAX_STALLED - 1) - 1);
}

/** As `delayAfterFaults`, where the attempts have ended with their objects. After the first one nobody waits: it says nothing of the run. */
export function delayAfterStops(stops: number): number {
  return delayAfterFaults(stops - 1);
}
