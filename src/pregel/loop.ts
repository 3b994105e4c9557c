import { GraphRecursionError, RefusedError, StorageError, TidemarkError } from "../errors.ts";
import { applyWrites, type AppliedTask } from "./apply.ts";
import { enter } from "./enter.ts";
import { executeTask, type TaskResult } from "./execute.ts";
import type { LoopState } from "./loop-state.ts";
import { requireNodes, type PlannedTask } from "./plan.ts";
import { distinct, refusedQuestions, shown, type Question } from "./question.ts";
import { nextVersionOf, type RunContext } from "./run-context.ts";
import type { RunInput } from "./run-input.ts";
import { emitCheckpoint, emitTasks } from "./stream-tasks.ts";
import { emitValues, isOutput } from "./stream.ts";
import type { RunOutcome, TaskFailure } from "./types.ts";

/** Supersteps between two turns of the event loop: within one turn nothing else gets in, and the clock stands still. */
const SUPERSTEPS_PER_TURN = 100;

/**
 * One run: applies its input, then supersteps until nothing is left to do, a question is asked, or something fails. The
 * outcome is a value; the promise rejects only when the store of checkpoints cannot be relied on any more.
 */
export async function runLoop(run: RunContext, input: RunInput): Promise<RunOutcome> {
  let loop: LoopState;
  try {
    loop = await enter(run, input);
  } catch (error) {
    if (error instanceof RefusedError) return { status: "refused", error };
    if (isOutcome(error)) return { status: "failed", error, failures: [] };
    throw error;
  }
  if (!loop.hasNewInput) emitValues(loop);
  emitCheckpoint(loop);
  try {
    return await superstepsOf(loop);
  } catch (error) {
    if (isOutcome(error)) return failed(loop, error, []);
    throw error;
  } finally {
    loop.hasEnded = true;
  }
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

    emitTasks(loop, tasks);
    const results = await settle(loop, tasks);
    if (results === undefined) return cancelled(loop);
    const ended = outcomeOf(loop, tasks, results);
    if (ended?.status === "interrupted") showFinished(loop, tasks, results);
    if (ended !== undefined) return ended;

    const updated = apply(loop, tasks, results);
    await loop.commit("loop");
    if (touchesOutput(loop, updated)) emitValues(loop);
    emitCheckpoint(loop);
    if (supersteps % SUPERSTEPS_PER_TURN === SUPERSTEPS_PER_TURN - 1) await run.environment.yieldTurn();
  }
}

/**
 * Runs the tasks side by side and waits for all of them, also when one has failed: what the others do in the meantime
 * is then stored, and need not be done twice. Undefined when the run was cancelled before they had finished.
 */
function settle(loop: LoopState, tasks: readonly PlannedTask[]): Promise<readonly TaskResult[] | undefined> {
  const { signal } = loop.run;
  const all = Promise.all(tasks.map((task) => executeTask(loop, task)));
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    void all.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

function apply(
  loop: LoopState,
  tasks: readonly PlannedTask[],
  results: readonly TaskResult[],
): ReadonlySet<string> {
  const applied = tasks.flatMap((task, index): AppliedTask[] => {
    const result = results[index];
    return result?.status === "done" ? [{ ...task, writes: result.writes }] : [];
  });
  return applied.length === 0 ? new Set() : applyWrites(loop.state, applied, nextVersionOf(loop.run.saver));
}

/**
 * Shows the values that the finished tasks of an interrupted superstep lead to. They count when the superstep is
 * complete: nothing is stored, and the run, which ends here, needs its state no more.
 */
function showFinished(loop: LoopState, tasks: readonly PlannedTask[], results: readonly TaskResult[]): void {
  if (!loop.run.modes.has("values")) return;
  try {
    if (touchesOutput(loop, apply(loop, tasks, results))) emitValues(loop);
  } catch (error) {
    // What is refused here is reported when the superstep is applied.
    if (!isOutcome(error)) throw error;
  }
}

/** How the run ends with these results; undefined when it goes on. */
function outcomeOf(
  loop: LoopState,
  tasks: readonly PlannedTask[],
  results: readonly TaskResult[],
): RunOutcome | undefined {
  const questions = distinct(
    results.flatMap((result) => (result.status === "interrupted" ? result.questions : [])),
  );
  const failures = results.flatMap((result, index): TaskFailure[] => {
    const task = tasks[index];
    return result.status === "failed" && task !== undefined
      ? [{ node: task.name, taskId: task.id, error: result.error }]
      : [];
  });
  if (failures.length > 0) {
    const error = errorOf(failures, loop.step + 1);
    relay(loop, refusedQuestions(error));
    return failed(loop, error, failures);
  }
  const left = results.find((result) => result.status === "left");
  if (left !== undefined) return failed(loop, left.error, []);
  if (questions.length === 0) return undefined;
  relay(loop, questions);
  return { status: "interrupted", checkpointId: loop.checkpointId ?? "", interrupts: questions.map(shown) };
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

function cancelled(loop: LoopState): RunOutcome {
  return { status: "cancelled", reason: loop.run.signal.reason, ...checkpointOf(loop) };
}

function checkpointOf(loop: LoopState): { readonly checkpointId?: string } {
  return loop.checkpointId === undefined ? {} : { checkpointId: loop.checkpointId };
}

function touchesOutput(loop: LoopState, updated: ReadonlySet<string>): boolean {
  for (const name of updated) if (isOutput(loop.run.graph, name)) return true;
  return false;
}
