import { RefusedError, TidemarkError } from "../../errors.ts";

export function threadBeingImported(threadId: string): RefusedError {
  return new RefusedError(
    "thread_busy",
    `The thread "${threadId}" is being imported; try again when that has ended.`,
    { details: { thread_id: threadId } },
  );
}

/** Breaks an export off. */
export function threadChanged(threadId: string): TidemarkError {
  return new TidemarkError(
    "thread_changed",
    `The thread "${threadId}" was written while it was exported: export it again.`,
    { details: { thread_id: threadId } },
  );
}

export function isThreadChanged(error: unknown): boolean {
  return error instanceof TidemarkError && error.code === "thread_changed";
}
