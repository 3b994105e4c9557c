import type { TaskResult } from "./attempt.ts";
import { executeTask } from "./execute.ts";
import type { LoopState } from "./loop-state.ts";
import type { Places } from "./places.ts";
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
  const [only] = tasks;
  return new Promise((resolve, reject) => {
    loop.onAbort = () => resolve(undefined);
    if (loop.run.signal.aborted) resolve(undefined);
    if (only !== undefined && tasks.length === 1 && loop.places === undefined)
      executeTask(loop, only).then((result) => resolve([result]), reject);
    else executeAll(loop, tasks).then(resolve, reject);
  });
}

function executeAll(loop: LoopState, tasks: readonly PlannedTask[]): Promise<readonly TaskResult[]> {
  const { places } = loop;
  if (places !== undefined) return executeInPlaces(loop, tasks, places);
  return allDone(tasks.map((task) => executeTask(loop, task)));
}

/** When the run has been cancelled, nothing more is started: then nobody reads the results, and not all are there. */
async function executeInPlaces(
  loop: LoopState,
  tasks: readonly PlannedTask[],
  places: Places,
): Promise<readonly TaskResult[]> {
  const results = await allDone(
    tasks.map((task) =>
      places.occupy(task, undefined, async () =>
        loop.hasEnded || loop.signal.aborted ? undefined : executeTask(loop, task),
      ),
    ),
  );
  return results.filter((result) => result !== undefined);
}

/** As `Promise.all`, but it does not leave the others behind when one rejects. */
async function allDone<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(work);
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
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
