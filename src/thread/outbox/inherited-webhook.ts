import { unstageRun } from "../stage-run.ts";
import type { ThreadStorage } from "../thread-storage.ts";

/** The webhook that a run was started with: whoever was told that it has paused is told what comes of that. */
export async function webhookOf(storage: ThreadStorage, runId: string): Promise<string | undefined> {
  const thread = storage.thread();
  const run = thread && storage.runs.get(runId);
  if (thread === undefined || run === undefined) return undefined;
  return (await unstageRun(storage, thread.thread_id, run)).webhook;
}
