import type { RunOptions } from "../../pregel/pregel-options.ts";
import type { RunnableGraph } from "../../pregel/runnable-graph.ts";
import { SUPERSTEPS_BEHIND } from "../events/event-limits.ts";
import type { RunLog } from "../events/run-log.ts";
import type { ThreadStorage } from "../thread-storage.ts";

export interface FinishedRun {
  readonly storage: ThreadStorage;
  readonly graph: RunnableGraph;
  readonly options: RunOptions;
}

/** Tells what earlier attempts have finished and not told. */
export async function tellFinished(
  { storage, graph, options }: FinishedRun,
  log: RunLog | undefined,
): Promise<void> {
  const since = log?.checkpoint;
  if (log === undefined || since === undefined) return;
  const threadId = storage.thread()?.thread_id ?? "";
  const line = storage.checkpoints.lineSince(threadId, since, SUPERSTEPS_BEHIND);
  for (const { checkpointId, tell } of graph.finishedSupersteps(line, since, options))
    await log.derive(checkpointId, tell);
  await log.catchUp();
}
