import type { MaybePromise } from "../checkpoint/types.ts";
import type { Attempt } from "./execute.ts";
import type { LoopState } from "./loop-state.ts";
import { inputOf, type PlannedTask } from "./plan.ts";
import type { Span, SpanResult } from "./span.ts";
import { outputOf } from "./stream-tasks.ts";

/** The spans of a loop that somebody wants to see. */
export class LoopTrace {
  readonly #run: Span;
  readonly #tasks = new Map<string, Span>();
  /** Begins with its first task: the superstep of the input has none that is shown. */
  #superstep: Span | undefined;

  constructor(run: Span) {
    this.#run = run;
  }

  /** A superstep begins. */
  begin(): void {
    this.#tasks.clear();
    this.#superstep = undefined;
  }

  /** The superstep is committed. */
  end({ checkpointId }: LoopState): void {
    this.#superstep?.end({ status: "done", checkpointId });
  }

  attempt(loop: LoopState, task: PlannedTask, attempt: () => MaybePromise<Attempt>): MaybePromise<Attempt> {
    if (task.node?.hidden === true) return attempt();
    const { state, step, namespace } = loop;
    const { name, id: taskId } = task;
    this.#superstep ??= this.#run.begin({ kind: "superstep", step: step + 1, namespace });
    const span = this.#superstep.begin({
      kind: "task",
      name,
      taskId,
      input: () => inputOf(state, task),
    });
    this.#tasks.set(taskId, span);
    const ended = attempt();
    const end = (of: Attempt): Attempt => {
      span.end(resultOf(loop, of));
      return of;
    };
    return ended instanceof Promise ? ended.then(end) : end(ended);
  }

  /** Of a task at work. */
  taskSpan(taskId: string): Span | undefined {
    return this.#tasks.get(taskId);
  }
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
