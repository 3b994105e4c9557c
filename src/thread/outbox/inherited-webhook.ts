import type { StartRun } from "../runs/run-protocol.ts";
import { unstageRun } from "../runs/stage-run.ts";
import type { ThreadStorage } from "../thread-storage.ts";

/**
 * Whoever was told that a run has paused is told what comes of that. What was allowed when that run came is not refused
 * now: a delivery that may not be made any more says so itself.
 */
export async function withInheritedWebhook<Start extends StartRun>(
  storage: ThreadStorage,
  start: Start,
): Promise<Start> {
  const { continues, request } = start;
  const thread = storage.thread();
  if (thread === undefined || continues === undefined || request.webhook !== undefined) return start;
  const run = storage.runs.get(continues);
  const webhook = run && (await unstageRun(storage, thread.thread_id, run)).webhook;
  return webhook === undefined ? start : { ...start, request: { ...request, webhook } };
}
