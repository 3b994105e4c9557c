/** Where an event is among those of its run. On the wire it is the event's id, `<attempt>-<seq>`. */
export interface Position {
  readonly attempt: number;
  /** Counts the events of the attempt, from 1 on. */
  readonly seq: number;
}

/** Of what says which run it is: before all that the run emits. */
export const FIRST: Position = { attempt: 0, seq: 0 };

/** A reader that has had nothing yet. */
export const NOTHING_READ: Position = { attempt: 0, seq: -1 };

export function eventId({ attempt, seq }: Position): string {
  return `${attempt}-${seq}`;
}

/** Of an id that was checked where it came in. */
export function positionOf(id: string): Position {
  const [attempt, seq] = id.split("-").map(Number);
  return { attempt: attempt ?? 0, seq: seq ?? 0 };
}

export function isBefore(left: Position, right: Position): boolean {
  return left.attempt === right.attempt ? left.seq < right.seq : left.attempt < right.attempt;
}

/** Of what comes after all that the attempt has said: the end of the run, when it was the last one. */
export function afterAttempt(attempt: number): Position {
  return { attempt: attempt + 1, seq: 0 };
}

export function latest(left: Position, right: Position): Position {
  return isBefore(left, right) ? right : left;
}
