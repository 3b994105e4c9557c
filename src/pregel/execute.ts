import { UntrackedValueChannel } from "../channels/untracked-value.ts";
import type { MaybePromise, PendingWrite } from "../checkpoint/types.ts";
import { describeError } from "../error-record.ts";
import { UnserializableError, ValueTooLargeError } from "../errors.ts";
import type { Attempt, TaskResult } from "./attempt.ts";
import { onlyAttempt } from "./attempt-scope.ts";
import { ERROR, ERROR_SOURCE_NODE, INTERRUPT, RESUME, USAGE } from "./constants.ts";
import { handlerTask, isLeftToHandler } from "./error-handler.ts";
import type { LoopState } from "./loop-state.ts";
import { cachedTask, type CachedTask } from "./node-cache.ts";
import { NodeRun } from "./node-run.ts";
import { openQuestions } from "./pending-writes.ts";
import { inputOf, type PlannedTask } from "./plan.ts";
import { attemptWithPolicies, hasPolicies } from "./policies.ts";
import { areStillAsked } from "./relayed-questions.ts";
import { emitTaskResult, emitTasks } from "./stream-tasks.ts";
import { emitInterrupts, emitUpdate } from "./stream.ts";
import { tracedAttempt } from "./traced-attempt.ts";
import { normaliseWrites } from "./writes.ts";

/**
 * Runs one task of a superstep, unless its result is stored already or it still waits for an answer, and stores what it
 * came to at once: a finished task is never run again. Rejects only when storing is not possible at all.
 */
export async function executeTask(loop: LoopState, task: PlannedTask): Promise<TaskResult> {
  const known = loop.pending.has(task.id) ? await knownResult(loop, task) : undefined;
  if (known !== undefined) return known;
  const attempt = task.node?.cachePolicy === undefined ? attemptTask(loop, task) : attemptCached(loop, task);
  const ended = attempt instanceof Promise ? await attempt : attempt;
  // Nobody waits for it any more, and another run may have taken over.
  if (loop.hasEnded) return ended;
  if (ended.status === "drained") return storeUsage(loop, task, ended);
  let result: TaskResult = ended;
  try {
    if (ended.status !== "left") await loop.store(task.id, rowsOf(loop, task, ended), task.pathKey);
  } catch (error) {
    result = await storeRefused(loop, task, error);
  }
  if (result.status === "done") emitUpdate(loop, task, result.writes, { cached: ended.isCached ?? false });
  if (result.status === "interrupted") emitInterrupts(loop, task, result.questions);
  emitTaskResult(loop, task, result);
  if (result.status !== "failed" || isRefusal(ended)) return result;
  return handleFailure(loop, task, result);
}

/** What is stored of the task already: its result, or that it still waits for an answer. */
async function knownResult(loop: LoopState, task: PlannedTask): Promise<TaskResult | undefined> {
  const stored = loop.pending.outputOf(task.id);
  if (stored !== undefined) {
    emitUpdate(loop, task, stored, { cached: true });
    return { status: "done", writes: stored };
  }
  if (isLeftToHandler(loop.run.graph, task, loop.pending)) return { status: "done", writes: [] };
  const open = openQuestions(loop.pending, task.id);
  const isWaiting = open.length > 0 && open.length === loop.pending.questionsOf(task.id).length;
  // After an edit of the state the task may ask something else.
  if (!isWaiting || open.some(({ carried }) => carried)) return undefined;
  if (open.some(({ ns }) => ns !== undefined) && !(await areStillAsked(loop, open))) return undefined;
  const waiting: TaskResult = { status: "interrupted", questions: open };
  emitInterrupts(loop, task, open);
  emitTaskResult(loop, task, waiting);
  return waiting;
}

function attemptTask(loop: LoopState, task: PlannedTask): MaybePromise<Attempt> {
  return loop.trace === undefined
    ? attemptUntraced(loop, task)
    : tracedAttempt(loop, loop.trace, task, () => attemptUntraced(loop, task));
}

function attemptUntraced(loop: LoopState, task: PlannedTask): MaybePromise<Attempt> {
  return hasPolicies(task)
    ? attemptWithPolicies(loop, task, (attempt) => new NodeRun(loop, task, attempt).attempt())
    : new NodeRun(loop, task, onlyAttempt(loop)).attempt();
}

/** Takes what the node has written for an equal input before, or else calls it and keeps what it writes. */
async function attemptCached(loop: LoopState, task: PlannedTask): Promise<Attempt> {
  let cached: CachedTask | undefined;
  try {
    cached = await cachedTask(loop, task, inputOf(loop.state, task));
  } catch (error) {
    return { status: "failed", error, answered: [] };
  }
  const writes = await cached?.read();
  if (writes !== undefined) return { status: "done", writes, answered: [], isCached: true };
  const ended = await attemptTask(loop, task);
  // What came of an answer is for this question only.
  if (ended.status === "done" && ended.answered.length === 0) await cached?.keep(ended.writes);
  return ended;
}

/** Runs the error handler of a failed task's node, if there is one, in the place of the task. */
async function handleFailure(
  loop: LoopState,
  task: PlannedTask,
  failure: TaskResult & { readonly status: "failed" },
): Promise<TaskResult> {
  const { position } = loop;
  const handler = position && handlerTask(loop.run.graph, task, failure.error, position);
  // A run that was cancelled is not to be handled: the node runs again when the thread goes on.
  if (handler === undefined || loop.hasEnded || loop.signal.aborted) return failure;
  emitTasks(loop, [handler]);
  loop.places?.passOn(task, handler);
  const result = await executeTask(loop, handler);
  switch (result.status) {
    case "done":
      return { status: "done", writes: [], handler: { ...handler, writes: result.writes } };
    case "interrupted":
    case "drained":
    case "left":
      return result;
    case "failed":
      return { ...result, handler };
  }
}

/** What the node has written cannot be stored: it has failed. */
async function storeRefused(loop: LoopState, task: PlannedTask, error: unknown): Promise<TaskResult> {
  if (!(error instanceof UnserializableError || error instanceof ValueTooLargeError)) throw error;
  const failed: Attempt = { status: "failed", error, answered: [] };
  await loop.store(task.id, rowsOf(loop, task, failed), task.pathKey);
  return failed;
}

/** The node runs again: what it has used stays used. */
async function storeUsage(loop: LoopState, task: PlannedTask, attempt: Attempt): Promise<TaskResult> {
  const used = loop.usage?.ofTask(task.id);
  if (used !== undefined) await loop.store(task.id, [[USAGE, used]], task.pathKey);
  return attempt;
}

/** All that is stored of the attempt. */
function rowsOf(loop: LoopState, task: PlannedTask, attempt: Attempt): readonly PendingWrite[] {
  const rows = resultRows(loop, task, attempt);
  const used = loop.usage?.ofTask(task.id);
  return used === undefined ? rows : [...rows, [USAGE, used]];
}

/** What it came to. What an earlier attempt left at a fixed position is replaced or cleared. */
function resultRows(loop: LoopState, task: PlannedTask, attempt: Attempt): readonly PendingWrite[] {
  const rows: PendingWrite[] = attempt.answered.length > 0 ? [[RESUME, attempt.answered]] : [];
  switch (attempt.status) {
    case "done": {
      const tracked = withoutUntracked(loop, attempt.writes);
      return rows.length === 0 ? tracked : [...rows, ...tracked];
    }
    case "interrupted":
      if (loop.pending.errorOf(task.id) !== undefined) rows.push([ERROR, null]);
      return [...rows, [INTERRUPT, attempt.questions]];
    case "drained":
    case "left":
      return rows;
    case "failed": {
      const open = attempt.stillOpen ?? [];
      if (open.length > 0 || loop.pending.questionsOf(task.id).length > 0) rows.push([INTERRUPT, open]);
      rows.push([ERROR, describeError(attempt.error)]);
      const isHandled = task.node?.errorHandlerNode !== undefined && !isRefusal(attempt);
      return isHandled ? [...rows, [ERROR_SOURCE_NODE, task.name]] : rows;
    }
  }
}

/** Most graphs have no such channel. */
function withoutUntracked(loop: LoopState, writes: readonly PendingWrite[]): readonly PendingWrite[] {
  if (!loop.state.hasUntracked) return writes;
  const isUntracked = ([channel]: PendingWrite): boolean =>
    loop.state.channels.get(channel) instanceof UntrackedValueChannel;
  const tracked = writes.filter((write) => !isUntracked(write));
  return normaliseWrites(tracked, loop.state);
}

/** Whether the attempt failed by an answer that does not fit: its question stays open, for the next answer. */
function isRefusal({ stillOpen }: Attempt): boolean {
  return stillOpen !== undefined && stillOpen.length > 0;
}
