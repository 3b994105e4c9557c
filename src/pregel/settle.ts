import { executeTask, type TaskResult } from "./execute.ts";
import type { LoopState } from "./loop-state.ts";
import type { PlannedTask } from "./plan.ts";
import { StepTimeoutError } from "./policy-errors.ts";

type Results = readonly TaskResult[] | undefined;

/**
 * Runs the tasks side by side and waits for all of them, also when one has failed, or cannot be stored: what the others
 * do in the meantime is then stored, and need not be done twice. Undefined when the run was cancelled before they had finished. Throws
 * when they take longer than the run's `stepTimeout`.
 */
export function settle(loop: LoopState, tasks: readonly PlannedTask[]): Promise<Results> {
  const { stepTimeout } = loop.run;
  return stepTimeout === undefined ? settleAll(loop, tasks) : settleInTime(loop, tasks, stepTimeout);
}

function settleAll(loop: LoopState, tasks: readonly PlannedTask[]): Promise<Results> {
  const all = executeAll(loop, tasks, loop.run.config.maxConcurrency ?? Infinity);
  return new Promise((resolve, reject) => {
    loop.onAbort = () => resolve(undefined);
    if (loop.run.signal.aborted) resolve(undefined);
    all.then(resolve, reject);
  });
}

function executeAll(
  loop: LoopState,
  tasks: readonly PlannedTask[],
  atATime: number,
): Promise<readonly TaskResult[]> {
  const [only] = tasks;
  if (only !== undefined && tasks.length === 1) return executeTask(loop, only).then((result) => [result]);
  if (tasks.length > atATime) return executeSome(loop, tasks, atATime);
  return allDone(tasks.map((task) => executeTask(loop, task)));
}

/** So many tasks at a time: each of them, when it ends, makes room for the next. */
async function executeSome(
  loop: LoopState,
  tasks: readonly PlannedTask[],
  atATime: number,
): Promise<TaskResult[]> {
  const results: TaskResult[] = [];
  const waiting = tasks.entries();
  const work = async (): Promise<void> => {
    for (const [index, task] of waiting) {
      if (loop.hasEnded || loop.signal.aborted) return;
      results[index] = await executeTask(loop, task);
    }
  };
  await allDone(Array.from({ length: atATime }, work));
  return results;
}

/** As `Promise.all`, but it does not leave the others behind when one rejects. */
async function allDone<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

async function settleInTime(
  loop: LoopState,
  tasks: readonly PlannedTask[],
  stepTimeout: number,
): Promise<Results> {
  const timer = new AbortController();
  const late = new AbortController();
  loop.signal = AbortSignal.any([loop.run.signal, late.signal]);
  const results = settleAll(loop, tasks);
  const expired = loop.run.environment
    .sleep(stepTimeout, timer.signal)
    .then<Results | StepTimeoutError>(() =>
      timer.signal.aborted ? results : new StepTimeoutError(loop.step + 1, stepTimeout),
    );
  const first = await Promise.race([results, expired]).finally(() => timer.abort());
  if (!(first instanceof StepTimeoutError)) return first;
  late.abort(first);
  throw first;
}
