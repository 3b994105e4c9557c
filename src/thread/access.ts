import { contains } from "../values/contains.ts";
import { threadNotFound } from "./errors.ts";
import type { ThreadAddress } from "./call.ts";
import type { ThreadRow } from "./thread-rows.ts";

/** Whether the thread is one for the caller. */
export function mayAccess(
  thread: Pick<ThreadRow, "metadata">,
  { access }: Pick<ThreadAddress, "access">,
): boolean {
  return access === undefined || contains(thread.metadata, access);
}

/** Refuses a caller for whom there is no such thread. Where there is none at all, that is not for this to say. */
export function requireAccess(thread: ThreadRow | undefined, caller: ThreadAddress): void {
  if (thread !== undefined && !mayAccess(thread, caller)) throw threadNotFound(caller.threadId);
}

/** Takes up what an earlier instance has left, before anything else is done, and refuses a caller who has no access. */
export type Ready = (caller: ThreadAddress | "anyone") => Promise<void>;
