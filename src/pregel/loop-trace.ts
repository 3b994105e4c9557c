import type { Span, SpanPart } from "./span.ts";

type Part<Kind> = Extract<SpanPart, { readonly kind: Kind }>;

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
  end({ checkpointId }: { readonly checkpointId: string | undefined }): void {
    this.#superstep?.end({ status: "done", checkpointId });
  }

  beginTask(task: Part<"task">, superstep: Part<"superstep">): Span {
    this.#superstep ??= this.#run.begin(superstep);
    const span = this.#superstep.begin(task);
    this.#tasks.set(task.taskId, span);
    return span;
  }

  /** Of a task at work. */
  taskSpan(taskId: string): Span | undefined {
    return this.#tasks.get(taskId);
  }
}
