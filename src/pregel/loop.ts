import { describeError } from "../error-record.ts";
import { RefusedError, StorageError, TidemarkError } from "../errors.ts";
import { GraphRecursionError } from "../graph-errors.ts";
import { applyWrites, type AppliedTask } from "./apply.ts";
import { ERROR } from "./constants.ts";
import { passBreakpoints, stopsAt } from "./breakpoints.ts";
import { enter } from "./enter.ts";
import type { TaskResult } from "./attempt.ts";
import { isLimitReached, type LimitReached, type LimitReachedError } from "./limits.ts";
import type { LoopState } from "./loop-state.ts";
import { REFUSAL_ID } from "./pending-writes.ts";
import { requireNodes, type PlannedTask } from "./plan.ts";
import { GraphDrained } from "./policy-errors.ts";
import { distinct, refusedQuestions, shownQuestions, shownWaits, type Question } from "./question.ts";
import { nextVersionOf, type RunContext } from "./run-context.ts";
import type { RunInput } from "./run-input.ts";
import { settle } from "./settle.ts";
import { emitCheckpoint, emitTasks } from "./stream-tasks.ts";
import { emitStop, emitValues, isAmong } from "./stream.ts";
import type { GraphSchemas, RunOutcome, TaskFailure } from "./types.ts";

/**
 * Supersteps between two turns of the event loop. Within one turn nothing else gets in, and the clock of a Worker stands
 * still; the end of one makes all durable that was stored in it, which takes as long as some twenty supersteps.
 */
const SUPERSTEPS_PER_TURN = 250;

/**
 * One run: applies its input, then supersteps until nothing is left to do, a question is asked, or something fails. The
 * outcome is a value; the promise rejects only when the store of checkpoints cannot be relied on any more.
 */
export async function runLoop(run: RunContext, input: RunInput): Promise<RunOutcome> {
  let loop: LoopState;
  try {
    const { schemas } = run.graph;
    loop = await enter(schemas === undefined ? run : await withContext(run, schemas), input);
  } catch (error) {
    if (error instanceof RefusedError) return { status: "refused", error };
    if (isOutcome(error)) return { status: "failed", error, failures: [] };
    throw error;
  }
  if (!loop.hasNewInput) {
    // What is stored of a superstep shows that somebody has let it begin.
    if (run.breakpoints !== undefined && !(run.isReentry && loop.pending.isEmpty))
      passBreakpoints(loop.state);
    emitValues(loop);
  }
  emitCheckpoint(loop);
  try {
    const outcome = await endOf(loop);
    if (isStop(outcome) && run.nesting === undefined) emitStop(loop);
    await loop.end();
    await loop.flush();
    if (outcome.status === "success" || outcome.status === "interrupted") run.onResult?.(loop.result?.());
    return outcome;
  } catch (error) {
    if (isOutcome(error)) return failed(loop, error, []);
    throw error;
  } finally {
    await loop.end();
  }
}

/** At a breakpoint, of this graph or of one inside its tasks: the run that was started says so, and no other. */
function isStop(outcome: RunOutcome): boolean {
  if (outcome.status !== "interrupted") return false;
  return outcome.interrupts.length === 0 && outcome.waiting.length === 0;
}

async function endOf(loop: LoopState): Promise<RunOutcome> {
  const { signal } = loop.run;
  const abort = (): void => loop.onAbort?.();
  signal.addEventListener("abort", abort);
  try {
    return await superstepsOf(loop);
  } catch (error) {
    if (isOutcome(error)) return failed(loop, error, []);
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** The run with its context as the graph's schema gives it. */
async function withContext(run: RunContext, schemas: GraphSchemas): Promise<RunContext> {
  return { ...run, config: await schemas.context(run.config) };
}

/** Whether a run ends with this error, rather than being cut off by its storage. */
function isOutcome(error: unknown): error is TidemarkError {
  return error instanceof TidemarkError && !(error instanceof StorageError);
}

async function superstepsOf(loop: LoopState): Promise<RunOutcome> {
  const { run } = loop;
  for (let supersteps = 0; ; supersteps++) {
    if (run.signal.aborted) return cancelled(loop);
    if (loop.step >= loop.lastStep) return failed(loop, new GraphRecursionError(run.recursionLimit), []);
    const tasks = loop.plan();
    if (tasks.length === 0) return { status: "success", ...checkpointOf(loop) };
    requireNodes(tasks);
    if (run.breakpoints && stopsAt(run.breakpoints.before, tasks, loop.state)) return stopped(loop);
    const reached = run.limits?.reachedAt(loop);
    if (reached !== undefined) return limited(loop, reached);
    loop.state.moveTo(loop.step + 1, loop.lastStep);
    const { control } = run.config;
    if (control?.drainRequested) return cancelled(loop, new GraphDrained(control.drainReason ?? ""));

    loop.trace?.begin();
    emitTasks(loop, tasks);
    const results = await settle(loop, tasks);
    if (results === undefined) return cancelled(loop);
    const ended = outcomeOf(loop, tasks, results);
    if (ended?.status === "interrupted") showFinished(loop, tasks, results);
    if (ended !== undefined) return ended;

    const updated = apply(loop, tasks, results);
    try {
      await loop.commit("loop");
    } catch (error) {
      throw await notedRefusal(loop, error);
    }
    loop.trace?.end(loop);
    if (touchesOutput(loop, updated)) emitValues(loop);
    emitCheckpoint(loop);
    if (run.breakpoints && stopsAt(run.breakpoints.after, tasks, loop.state)) return stopped(loop);
    if (supersteps % SUPERSTEPS_PER_TURN === SUPERSTEPS_PER_TURN - 1) await run.environment.yieldTurn();
  }
}

/** What cannot be stored is noted at the checkpoint the thread stays at, so that its state says why it goes no further. */
async function notedRefusal(loop: LoopState, error: unknown): Promise<unknown> {
  if (isOutcome(error)) await loop.store(REFUSAL_ID, [[ERROR, describeError(error)]]);
  return error;
}

function apply(
  loop: LoopState,
  tasks: readonly PlannedTask[],
  results: readonly TaskResult[],
): readonly string[] {
  const applied: AppliedTask[] = [];
  for (const [index, { name, pathKey, triggers }] of tasks.entries()) {
    const result = results[index];
    if (result?.status !== "done") continue;
    applied.push({ name, pathKey, triggers, writes: result.writes });
    if (result.handler !== undefined) applied.push(result.handler);
  }
  return applied.length === 0 ? [] : applyWrites(loop.state, applied, nextVersionOf(loop.run.saver));
}

/**
 * Shows the values that the finished tasks of an interrupted superstep lead to. They count when the superstep is
 * complete: nothing is stored, and the run, which ends here, needs its state no more.
 */
function showFinished(loop: LoopState, tasks: readonly PlannedTask[], results: readonly TaskResult[]): void {
  const { modes, onResult } = loop.run;
  if (!modes.has("values") && onResult === undefined) return;
  const before = loop.result?.();
  try {
    if (touchesOutput(loop, apply(loop, tasks, results))) emitValues(loop);
  } catch (error) {
    // What is refused here is reported when the superstep is applied.
    if (!isOutcome(error)) throw error;
    loop.result = () => before;
  }
}

/** How the run ends with these results; undefined when it goes on. */
function outcomeOf(
  loop: LoopState,
  tasks: readonly PlannedTask[],
  results: readonly TaskResult[],
): RunOutcome | undefined {
  if (results.every((result) => result.status === "done")) return undefined;
  const failures = results.flatMap((result, index): TaskFailure[] => {
    if (result.status !== "failed") return [];
    const task = result.handler ?? tasks[index];
    return task === undefined ? [] : [{ node: task.name, taskId: task.id, error: result.error }];
  });
  if (failures.length > 0) {
    const error = errorOf(failures, loop.step + 1);
    relay(loop, refusedQuestions(error));
    return failed(loop, error, failures);
  }
  const left = results.find((result) => result.status === "left");
  if (left !== undefined) return failed(loop, left.error, []);
  const drained = results.find((result) => result.status === "drained");
  if (drained !== undefined) return leftInside(loop, drained.error);
  const questions = distinct(
    results.flatMap((result) => (result.status === "interrupted" ? result.questions : [])),
  );
  relay(loop, questions);
  return {
    status: "interrupted",
    checkpointId: loop.checkpointId ?? "",
    interrupts: shownQuestions(questions),
    waiting: shownWaits(questions),
  };
}

/** The task that a nested run is a part of waits for what the run waits for. */
function relay({ run, namespace }: LoopState, questions: readonly Question[]): void {
  run.nesting?.task.relay(questions.map((question) => ({ ns: namespace, ...question })));
}

function errorOf(failures: readonly TaskFailure[], step: number): unknown {
  const [first, ...others] = failures;
  if (others.length === 0) return first?.error;
  return new AggregateError(
    failures.map((failure) => failure.error),
    `${failures.length} nodes failed in superstep ${step}: ${failures.map((failure) => failure.node).join(", ")}.`,
  );
}

function failed(loop: LoopState, error: unknown, failures: readonly TaskFailure[]): RunOutcome {
  return { status: "failed", error, failures, ...checkpointOf(loop) };
}

function cancelled(loop: LoopState, reason: unknown = loop.run.signal.reason): RunOutcome {
  return { status: "cancelled", reason, ...checkpointOf(loop) };
}

/** A run inside a task was not to go on. */
function leftInside(loop: LoopState, error: GraphDrained | LimitReachedError): RunOutcome {
  return isLimitReached(error) ? limited(loop, error.reached) : cancelled(loop, error);
}

function limited(loop: LoopState, reached: LimitReached): RunOutcome {
  return { status: "limited", checkpointId: loop.checkpointId ?? "", ...reached };
}

/** The end of a run at a breakpoint: as at a question, but nothing is asked. */
function stopped(loop: LoopState): RunOutcome {
  return { status: "interrupted", checkpointId: loop.checkpointId ?? "", interrupts: [], waiting: [] };
}

function checkpointOf(loop: LoopState): { readonly checkpointId?: string } {
  return loop.checkpointId === undefined ? {} : { checkpointId: loop.checkpointId };
}

function touchesOutput({ run }: LoopState, updated: readonly string[]): boolean {
  return updated.some((name) => isAmong(run.watchedKeys, name));
}
