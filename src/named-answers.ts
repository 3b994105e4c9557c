import { isRecord } from "./values/containers.ts";

const INTERRUPT_ID = /^[0-9a-f]{32}$/;

/** Answers by interrupt id: an object whose keys are all such ids. Undefined when it is one answer, to whatever is asked. */
export function answersOf(resume: unknown): ReadonlyMap<string, unknown> | undefined {
  if (!isRecord(resume)) return undefined;
  const entries = Object.entries(resume);
  return entries.length > 0 && entries.every(([id]) => INTERRUPT_ID.test(id)) ? new Map(entries) : undefined;
}
