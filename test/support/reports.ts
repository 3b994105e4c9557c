const reported: unknown[] = [];

/** For the test worker: takes what nobody expected, and keeps it out of the output. */
export function noteReport(error: unknown): void {
  reported.push(error);
}

/** What was reported since the file's tests began. */
export function reports(): readonly unknown[] {
  return reported;
}
