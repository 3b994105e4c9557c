import type { LogFields } from "../../src/log.ts";

const reported: unknown[] = [];
const places = new Map<unknown, LogFields>();

/** For the test worker: takes what nobody expected, and keeps it out of the output. */
export function noteReport(error: unknown, fields: LogFields = {}): void {
  reported.push(error);
  places.set(error, fields);
}

/** What was reported since the file's tests began. */
export function reports(): readonly unknown[] {
  return reported;
}

/** Where an error was that was reported. */
export function placeOfReport(error: unknown): LogFields | undefined {
  return places.get(error);
}
