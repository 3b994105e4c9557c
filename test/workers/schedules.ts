import type { NextTime } from "../../src/worker.ts";

/** Stands in for a library of schedules: "every <milliseconds>" comes after so many, "never" does not come. */
export const crons: NextTime = (schedule, timezone, after) => {
  if (timezone !== "UTC" && timezone !== "Europe/Berlin")
    throw new RangeError(`Unknown time zone ${timezone}`);
  if (schedule === "never") return null;
  const [, length] = /^every (\d+)$/.exec(schedule) ?? [];
  if (length === undefined) throw new TypeError(`"${schedule}" is no schedule`);
  return new Date(after.getTime() + Number(length));
};
