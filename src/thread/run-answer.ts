import { RefusedError, TidemarkError, type WireError } from "../errors.ts";
import { isPlatformReset, ResponseTooLargeError, runPending, threadDeleted } from "./errors.ts";
import type { StartRun } from "./protocol.ts";
import type { RunEnd } from "./run-end.ts";
import type { Completion } from "./run-queue.ts";
import type { ThreadStorage } from "./thread-storage.ts";

/** How a run ended, from its row: the same for everybody who asks, whenever they do. Throws what it failed with. */
export async function readRunEnd(
  storage: ThreadStorage,
  start: StartRun,
  completion: Completion,
): Promise<RunEnd> {
  if (completion.status === "refused") throw new AnsweredError(completion.error, false);
  const thread = storage.thread();
  const outcome = thread === undefined ? undefined : storage.runs.get(start.runId)?.outcome;
  if (outcome === undefined) throw threadDeleted(start.threadId);
  // Written by the graph runner.
  const end = (await storage.records.read(start.threadId, outcome)) as RunEnd;
  if (end.error !== undefined) throw new AnsweredError(end.error, true);
  return end;
}

/** Why the answer of an accepted run cannot be given, so that its caller does not start it once more. */
export function answerFault(runId: string, error: unknown): unknown {
  const isAnswer =
    error instanceof AnsweredError || error instanceof RefusedError || error instanceof ResponseTooLargeError;
  // After a reset the router asks again, of the next instance.
  return isAnswer || isPlatformReset(error) ? error : runPending(runId, error);
}

/** Carries an error that is in its wire form already. */
export class AnsweredError extends TidemarkError {
  readonly isFailed: boolean;

  constructor({ code, message, details }: WireError, isFailed: boolean) {
    super(code, message, { details });
    this.isFailed = isFailed;
  }
}
