import type { ThreadEntry } from "../../src/directory/protocol.ts";

/** What a thread says of itself that has run nothing, but for what is given. */
export function threadEntry(threadId: string, rest: Partial<ThreadEntry> = {}): ThreadEntry {
  return {
    threadId,
    version: 1,
    status: "idle",
    createdAt: 1,
    updatedAt: 1,
    stateUpdatedAt: 1,
    metadata: {},
    extract: {},
    questions: [],
    ...rest,
  };
}
