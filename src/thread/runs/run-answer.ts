import { RefusedError, TidemarkError, type WireError } from "../../errors.ts";
import {
  isPlatformReset,
  ResponseTooLargeError,
  runCancelled,
  runNotFound,
  runPending,
  runTimedOut,
  threadDeleted,
} from "../errors.ts";
import { wireError } from "../wire-errors.ts";
import type { NamedRun } from "./run-protocol.ts";
import type { RunRow } from "./run-row.ts";
import type { RunEnd } from "./run-end.ts";
import type { Completion } from "../queue/completions.ts";
import type { ThreadStorage } from "../thread-storage.ts";

/**
 * How a run ended: as its row says, the same for everybody who asks, whenever they do. Whoever has seen it end has what was
 * written there. Throws what it failed with.
 */
export async function readRunEnd(
  storage: ThreadStorage,
  { threadId, runId }: NamedRun,
  completion: Completion,
): Promise<RunEnd> {
  if (completion.status === "refused") throw new AnsweredError(completion.error, false);
  if (storage.thread() === undefined) throw threadDeleted(threadId);
  if (completion.end !== undefined) return succeeded(completion.end, true);
  const run = storage.runs.get(runId);
  if (run === undefined) throw runNotFound(threadId, runId);
  return succeeded(await runEnd(storage, threadId, run), run.outcome !== undefined);
}

function succeeded(end: RunEnd, isFailed: boolean): RunEnd {
  if (end.error !== undefined) throw new AnsweredError(end.error, isFailed);
  return end;
}

/** As its row says; the run has ended, or was cancelled. */
export async function runEnd(storage: ThreadStorage, threadId: string, run: RunRow): Promise<RunEnd> {
  // Written by the graph runner.
  if (run.outcome !== undefined) return (await storage.records.read(threadId, run.outcome)) as RunEnd;
  const error =
    run.cancelled === undefined
      ? runTimedOut(run.id, run.timeLimit ?? 0)
      : runCancelled(run.id, run.cancelled);
  return { status: "error", next: [], interrupts: [], error: wireError(error) };
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
