/** The last one that was made: many supersteps take less than a millisecond, and to make a text takes a part of theirs. */
let last = { time: Number.NaN, text: "" };

/** A time in milliseconds since 1970 as checkpoints say it: ISO 8601. */
export function timestampAt(time: number): string {
  if (time !== last.time) last = { time, text: new Date(time).toISOString() };
  return last.text;
}

/** The time that `timestampAt` gives this text for; undefined when there is none. */
export function timeOf(timestamp: string): number | undefined {
  if (timestamp === last.text) return last.time;
  const time = Date.parse(timestamp);
  return !Number.isNaN(time) && new Date(time).toISOString() === timestamp ? time : undefined;
}
