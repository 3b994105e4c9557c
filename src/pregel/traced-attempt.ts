import type { MaybePromise } from "../checkpoint/types.ts";
import type { Attempt } from "./attempt.ts";
import type { LoopState } from "./loop-state.ts";
import type { LoopTrace } from "./loop-trace.ts";
import { inputOf, type PlannedTask } from "./plan.ts";
import type { SpanResult } from "./span.ts";
import { outputOf } from "./stream-tasks.ts";

/** An attempt of a task that somebody wants to see. */
export function tracedAttempt(
  loop: LoopState,
  trace: LoopTrace,
  task: PlannedTask,
  attempt: () => MaybePromise<Attempt>,
): MaybePromise<Attempt> {
  if (task.node?.hidden === true) return attempt();
  const { state, step, namespace } = loop;
  const { name, id: taskId } = task;
  const span = trace.beginTask(
    { kind: "task", name, taskId, input: () => inputOf(state, task) },
    { kind: "superstep", step: step + 1, namespace },
  );
  const ended = attempt();
  const end = (of: Attempt): Attempt => {
    span.end(resultOf(loop, of));
    return of;
  };
  return ended instanceof Promise ? ended.then(end) : end(ended);
}

function resultOf(loop: LoopState, attempt: Attempt): SpanResult {
  switch (attempt.status) {
    case "done":
      return { status: "done", output: () => outputOf(loop, attempt.writes) };
    case "failed":
      return { status: "failed", error: attempt.error };
    case "interrupted":
      return { status: "interrupted", output: () => attempt.questions };
    case "drained":
    case "left":
      return { status: "left" };
  }
}
