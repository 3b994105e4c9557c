import { headMoved } from "../errors.ts";
import type { ThreadStorage } from "../thread-storage.ts";

/** Refuses when the thread is not where its caller thinks it is. */
export function requireHead(storage: ThreadStorage, threadId: string, expected: string | undefined): void {
  if (expected === undefined) return;
  const head = storage.saver.head(threadId)?.id;
  if (head !== expected) throw headMoved(expected, head);
}
