import type { LogRecord } from "../../src/log.ts";

const records: LogRecord[] = [];

/** For the test worker: takes what its log notes, and keeps it out of the output. */
export function noteRecord(record: LogRecord): void {
  records.push(record);
}

/** What was noted of a thread since the file's tests began. */
export function recordsOf(threadId: string): readonly LogRecord[] {
  return records.filter(({ thread_id }) => thread_id === threadId);
}

/** All that was noted since then, as text. */
export function notedText(): string {
  return records.map((record) => JSON.stringify(record)).join("\n");
}
