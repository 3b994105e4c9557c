import { messageOf, RefusedError, TidemarkError } from "../../errors.ts";

/**
 * When a schedule comes next after a time, by the clock of a time zone (an IANA name); null when never again. Throws for
 * what is no schedule, or no time zone.
 */
export type NextTime = (schedule: string, timezone: string, after: Date) => Date | null;

/** Milliseconds since 1970; undefined when none comes any more, or not before `endAt`. */
export function nextOf(
  nextTime: NextTime | undefined,
  { schedule, timezone, endAt }: { schedule: string; timezone: string; endAt: number | undefined },
  after: number,
): number | undefined {
  if (nextTime === undefined) throw noCrons();
  const next = timeOf(() => nextTime(schedule, timezone, new Date(after)))?.getTime();
  if (next === undefined || (endAt !== undefined && next > endAt)) return undefined;
  if (next > after) return next;
  throw new TidemarkError(
    "invalid_crons",
    `The configured crons have given a time for "${schedule}" that has passed.`,
  );
}

function timeOf(read: () => Date | null): Date | null {
  try {
    return read();
  } catch (cause) {
    throw new RefusedError(
      "invalid_schedule",
      `The schedule or its time zone cannot be read: ${messageOf(cause)}`,
      {
        cause,
      },
    );
  }
}

function noCrons(): TidemarkError {
  return new TidemarkError(
    "crons_missing",
    "This deployment has no crons: createRuntime({ crons }) says what reads schedules.",
  );
}
