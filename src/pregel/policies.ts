import type { AttemptScope } from "./attempt-scope.ts";
import { firstAttempt } from "./attempt-scope.ts";
import type { Attempt } from "./attempt.ts";
import type { LoopState } from "./loop-state.ts";
import type { PlannedTask } from "./plan.ts";
import { isRetried, pauseAfter } from "./retry.ts";
import { TimeoutWatch, type TimeoutPolicy } from "./timeout.ts";

/** Makes one attempt of a task. */
export type MakeAttempt = (scope: AttemptScope) => Attempt | Promise<Attempt>;

/** Whether a task is more than one plain call of its node. */
export function hasPolicies(task: PlannedTask): boolean {
  return task.node?.retryPolicy !== undefined || timeoutOf(task) !== undefined;
}

/** Makes attempts until one does not fail, or the policy says that it was the last. Questions are not failures. */
export async function attemptWithPolicies(
  loop: LoopState,
  task: PlannedTask,
  attempt: MakeAttempt,
): Promise<Attempt> {
  const { environment } = loop.run;
  const policy = task.node?.retryPolicy;
  const firstTime = environment.now();
  for (let number = 1; ; number++) {
    const ended = await attemptInTime(loop, task, firstAttempt(loop, firstTime, number), attempt);
    if (ended.status !== "failed" || policy === undefined) return ended;
    // The next attempt would be given the same answer.
    if (ended.stillOpen !== undefined && ended.stillOpen.length > 0) return ended;
    if (!isRetried(policy, ended.error, number)) return ended;
    await environment.sleep(pauseAfter(policy, number, environment), loop.signal);
    if (loop.hasEnded || loop.signal.aborted) return ended;
  }
}

async function attemptInTime(
  loop: LoopState,
  task: PlannedTask,
  scope: AttemptScope,
  attempt: MakeAttempt,
): Promise<Attempt> {
  const policy = timeoutOf(task);
  if (policy === undefined) return attempt(scope);
  const watch = new TimeoutWatch(task.name, policy, loop.run.environment);
  // The node is called first: as long as it does not await, no timer can go off.
  const started = attempt(watchedScope(scope, watch));
  const overdue = watch.overdue();
  if (overdue !== undefined) {
    watch.expire(overdue);
    return timedOut(overdue);
  }
  if (!(started instanceof Promise)) return started;
  try {
    return await Promise.race([watch.expiry().then(timedOut), started]);
  } finally {
    watch.stop();
  }
}

function watchedScope(scope: AttemptScope, watch: TimeoutWatch): AttemptScope {
  return {
    number: scope.number,
    firstTime: scope.firstTime,
    signal: AbortSignal.any([scope.signal, watch.signal]),
    get isOver() {
      return watch.isOver;
    },
    heartbeat: watch.heartbeat,
    progress: watch.progress,
  };
}

function timedOut(error: unknown): Attempt {
  return { status: "failed", error, answered: [] };
}

/** What a Send says goes before what its node says. */
function timeoutOf(task: PlannedTask): TimeoutPolicy | undefined {
  return task.timeout ?? task.node?.timeout;
}
