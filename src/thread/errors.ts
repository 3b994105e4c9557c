import { RefusedError, StorageError, TidemarkError } from "../errors.ts";
import type { AnswerRecord } from "./answers/answer-rows.ts";
import { actionOf } from "./runs/cancellation.ts";
import { faultError } from "./wire-errors.ts";
import type { Cancellation } from "./runs/run-protocol.ts";

/** Another attempt has taken the run over, or the run is gone: this one must write nothing more. */
export class RunSupersededError extends Error {
  constructor(runId: string) {
    super(`Run ${runId} was taken over by another attempt, or deleted.`);
    this.name = "RunSupersededError";
  }
}

/** Whether the platform takes the object away, so that only the next instance can go on. */
export function isPlatformReset(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    ("durableObjectReset" in error && error.durableObjectReset === true) ||
    ("retryable" in error && error.retryable === true)
  );
}

/** The run is in the queue or has ended, and its answer cannot be given: its caller must not start it once more. */
export function runPending(runId: string, cause: unknown): StorageError {
  const { code } = faultError(cause);
  return new StorageError(
    "run_pending",
    "The run was accepted and goes on by itself; do not send the input again, read /state.",
    { details: { run_id: runId, cause: code }, cause },
  );
}

/** The text of an answer is over the limit, in bytes. Nothing is wrong with what is stored. */
export class ResponseTooLargeError extends TidemarkError {
  constructor(size: number, limit: number) {
    super(
      "response_too_large",
      `The answer has at least ${size} bytes; the limit is ${limit}. Everything is stored; read it in parts: stream_mode "updates" sends what each node returned by itself.`,
      { details: { size, limit } },
    );
    this.name = "ResponseTooLargeError";
  }
}

export function graphMismatch(bound: string, requested: string): RefusedError {
  return new RefusedError(
    "graph_mismatch",
    `The thread belongs to the graph "${bound}"; it cannot run "${requested}".`,
    { details: { graph: bound, requested } },
  );
}

/** Nothing can be gone on with, answered or edited yet. */
export function threadEmpty(threadId: string): RefusedError {
  return new RefusedError(
    "thread_empty",
    `The thread "${threadId}" has run nothing yet: start with an input.`,
    {
      details: { thread_id: threadId },
    },
  );
}

export function threadNotFound(threadId: string): RefusedError {
  return new RefusedError(
    "thread_not_found",
    `There is no thread "${threadId}". Start it with POST /threads/:thread_id/invoke and an input.`,
    {
      details: { thread_id: threadId },
    },
  );
}

export function runNotFound(threadId: string, runId: string): RefusedError {
  return new RefusedError("run_not_found", `There is no run "${runId}" in thread "${threadId}".`, {
    details: { thread_id: threadId, run_id: runId },
  });
}

export function runNotEnded(runId: string): RefusedError {
  return new RefusedError("run_not_ended", `The run "${runId}" has not ended: cancel it first.`, {
    details: { run_id: runId },
  });
}

/** What came of a run that was ended from outside. */
export function runCancelled(runId: string, cancellation: Cancellation): TidemarkError {
  const action = actionOf(cancellation);
  const what = action === "rollback" ? "cancelled, and what it had written was removed" : "cancelled";
  return new TidemarkError("run_cancelled", `The run was ${what}.`, { details: { run_id: runId, action } });
}

export function runTimedOut(runId: string, limit: number): TidemarkError {
  return new TidemarkError(
    "run_timed_out",
    `The run took longer than its limit of ${limit} ms. The thread is at its last checkpoint; start another run to go on.`,
    { details: { run_id: runId, limit } },
  );
}

export function threadDeleted(threadId: string): RefusedError {
  return new RefusedError(
    "thread_deleted",
    `The thread "${threadId}" was deleted while the run was going on.`,
    {
      details: { thread_id: threadId },
    },
  );
}

export function threadBusy(threadId: string): RefusedError {
  return new RefusedError(
    "thread_busy",
    `A run is going on in thread "${threadId}", or waits for its time: this can be done when it has ended.`,
    {
      details: { thread_id: threadId },
    },
  );
}

/** Another answer came first. */
export function interruptAnswered(records: readonly AnswerRecord[]): RefusedError {
  const answered = records.map(({ interruptId, runId, answeredAt, answeredBy, onBehalfOf }) => ({
    interrupt_id: interruptId,
    run_id: runId,
    answered_at: new Date(answeredAt).toISOString(),
    answered_by: answeredBy ?? null,
    on_behalf_of: onBehalfOf ?? null,
  }));
  return new RefusedError(
    "interrupt_answered",
    `Answered already: ${answered.map(({ interrupt_id: id, run_id: run }) => `"${id}" by run ${run}`).join(", ")}. The first answer counts; nothing was changed.`,
    { details: { answered } },
  );
}

/** What an event brings is kept in a row. */
export function eventTooLarge(size: number, limit: number): RefusedError {
  return new RefusedError(
    "event_too_large",
    `The payload has ${size} bytes as it is stored; the limit is ${limit}. Send where it can be read instead.`,
    { details: { size, limit } },
  );
}

export function tooManyRuns(limit: number): RefusedError {
  return new RefusedError(
    "too_many_runs",
    `The thread has ${limit} runs that wait, and takes no more until some have ended. Cancel what is not wanted, or wait.`,
    { details: { limit } },
  );
}

export function tooManyEvents(limit: number): RefusedError {
  return new RefusedError(
    "too_many_events",
    `The thread keeps ${limit} events that nobody has waited for, and takes no more until some are read, or are too old.`,
    { details: { limit } },
  );
}

export function keyReused(key: string): RefusedError {
  return new RefusedError(
    "idempotency_key_reused",
    `The Idempotency-Key "${key}" came with another request before. Use a new key for each request, and the same one only to repeat it.`,
    { details: { idempotency_key: key } },
  );
}

export function keyInUse(key: string): RefusedError {
  return new RefusedError(
    "idempotency_key_in_use",
    `The call with the Idempotency-Key "${key}" is being made. Ask again in a moment.`,
    { details: { idempotency_key: key } },
  );
}

/** The condition of `If-Match` does not hold. */
export function headMoved(expected: string, head: string | undefined): RefusedError {
  return new RefusedError(
    "head_moved",
    `The thread is not at checkpoint "${expected}" any more. Read /state and decide anew.`,
    { details: { expected, checkpoint_id: head ?? null } },
  );
}

/** An import makes a new thread: it never adds to one that is there. */
export function threadExists(threadId: string): RefusedError {
  return new RefusedError(
    "thread_exists",
    `There is a thread "${threadId}" already. Take another id, or delete the thread first.`,
    { details: { thread_id: threadId } },
  );
}

export function cronNotFound(cronId: string): RefusedError {
  return new RefusedError("cron_not_found", `There is no cron "${cronId}".`, {
    details: { cron_id: cronId },
  });
}

/** What a cron starts its runs with is kept in a row. */
export function cronTooLarge(size: number, limit: number): RefusedError {
  return new RefusedError(
    "cron_too_large",
    `What the cron starts runs with has ${size} bytes as it is stored; the limit is ${limit}.`,
    { details: { size, limit } },
  );
}

export function tooManyCrons(limit: number): RefusedError {
  return new RefusedError("too_many_crons", `There are ${limit} crons, and no room for more.`, {
    details: { limit },
  });
}

/** Says nothing of what the link was for. */
export function hookUsed(): RefusedError {
  return new RefusedError("hook_used", "This link has been used. It is good for one answer.");
}

/** What another run will leave of the question is not known yet. */
export function hookBusy(): RefusedError {
  return new RefusedError(
    "thread_busy",
    "Something else is going on where this question was asked; answer again in a moment.",
  );
}

/** As `hookUsed`. */
export function hookRevoked(): RefusedError {
  return new RefusedError("hook_revoked", "The question that this link was for is not open any more.");
}

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
