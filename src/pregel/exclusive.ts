import { RefusedError } from "../errors.ts";
import type { CheckpointConfigurable } from "../checkpoint/types.ts";
import type { Saver } from "./run-context.ts";

/** The threads that this process works on, by the saver that holds them. */
const busy = new WeakMap<Saver, Set<string>>();

/**
 * Refuses a second run or update of a thread while one is going on: both would begin at the same checkpoint, and what
 * one of them did would be lost. It is for callers in one process; a thread object has its runs queue up before.
 */
export async function exclusively<T>(
  saver: Saver | undefined,
  configurable: CheckpointConfigurable | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const threadId = configurable?.thread_id;
  if (saver === undefined || threadId === undefined) return work();
  const threads = busy.get(saver) ?? new Set<string>();
  busy.set(saver, threads);
  const key = JSON.stringify([threadId, configurable?.checkpoint_ns ?? ""]);
  if (threads.has(key)) {
    throw new RefusedError(
      "thread_busy",
      `Another run or update of thread "${threadId}" is going on. Wait for its end and call again.`,
      { details: { thread_id: threadId } },
    );
  }
  threads.add(key);
  try {
    return await work();
  } finally {
    threads.delete(key);
  }
}
