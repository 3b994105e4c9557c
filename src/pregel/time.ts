import { InvalidArgumentError } from "../errors.ts";

/** How long: milliseconds, or ISO 8601 in weeks, days, hours, minutes and seconds (`"P1DT12H"`). */
export type Duration = number | string;

/** When: a Date, milliseconds since 1970, or ISO 8601 with its offset from UTC (`"2027-01-31T09:00:00+01:00"`). */
export type Time = Date | number | string;

const DURATION = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
/** In milliseconds, in the order of the groups. */
const UNITS = [7 * 24 * 3_600_000, 24 * 3_600_000, 3_600_000, 60_000, 1000];

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** In milliseconds; never below 0. */
export function millisecondsOf(duration: Duration): number {
  const milliseconds = typeof duration === "number" ? duration : parseDuration(duration);
  if (Number.isFinite(milliseconds)) return Math.max(milliseconds, 0);
  throw new InvalidArgumentError(
    "invalid_time",
    `"${duration}" is no duration: give milliseconds, or ISO 8601 in weeks, days, hours, minutes and seconds, as in "P1DT12H". Months and years are not all equally long.`,
    { details: { duration } },
  );
}

/** Milliseconds since 1970. */
export function instantOf(time: Time): number {
  const instant = typeof time === "string" ? parseTime(time) : Number(time);
  isoTime(instant, time);
  return instant;
}

/** ISO 8601 in UTC. `asked`: what it comes from. */
export function isoTime(instant: number, asked: unknown = instant): string {
  const date = new Date(instant);
  if (!Number.isNaN(date.getTime())) return date.toISOString();
  throw new InvalidArgumentError(
    "invalid_time",
    `${JSON.stringify(asked)} is no time: give a Date, milliseconds since 1970, or ISO 8601 with an offset, as in "2027-01-31T09:00:00Z".`,
  );
}

function parseDuration(text: string): number {
  const parts = DURATION.exec(text)?.slice(1);
  if (parts === undefined || text.endsWith("T") || parts.every((part) => part === undefined)) return NaN;
  return parts.reduce((sum, part, index) => sum + Number(part ?? 0) * (UNITS[index] ?? 0), 0);
}

/** Without an offset a text means another time at every place. */
function parseTime(text: string): number {
  return TIME.test(text) ? Date.parse(text) : NaN;
}
