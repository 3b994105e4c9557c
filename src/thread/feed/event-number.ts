import type { Position } from "../events/position.ts";

/**
 * The number of an event among all of its thread: it follows from the place of its run and from where it is in that run's
 * log, so that it is kept nowhere and is the same whenever the event is read. It is a whole number that JavaScript can hold:
 * for two million runs, each with 510 attempts of eight million events.
 */

const PER_ATTEMPT = 2 ** 23;
const PER_RUN = 2 ** 32;
const LAST_ATTEMPT = PER_RUN / PER_ATTEMPT - 1;

export interface NumberedPlace {
  /** Of the run, from 1 on. */
  readonly place: number;
  readonly position: Position;
}

export function eventNumber({ place, position: { attempt, seq } }: NumberedPlace): number {
  return place * PER_RUN + Math.min(attempt, LAST_ATTEMPT) * PER_ATTEMPT + Math.min(seq, PER_ATTEMPT - 1);
}

export function placeOf(number: number): NumberedPlace {
  const inRun = number % PER_RUN;
  return {
    place: Math.floor(number / PER_RUN),
    position: { attempt: Math.floor(inRun / PER_ATTEMPT), seq: inRun % PER_ATTEMPT },
  };
}

/** Of what is said when the run has ended, after all that it has said itself: the last of it has the run's last number. */
export function atEnd(index: number, count: number): Position {
  return { attempt: LAST_ATTEMPT, seq: PER_ATTEMPT - count + index };
}

/** Of the last event that the run in this place can have. */
export function lastNumber(place: number): number {
  return (place + 1) * PER_RUN - 1;
}
