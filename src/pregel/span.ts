/**
 * Work that somebody may want to see: of a run its supersteps, of a superstep its tasks, of a task the models, tools and graphs
 * that it calls. The engine says when each begins and how it ends; what becomes of that is not its matter. Nothing of it may
 * throw. What is still open when the work around it ends was cut off.
 */
export interface Span {
  /** A part of this work begins. */
  begin(part: SpanPart): Span;
  end(result: SpanResult): void;
  /** A graph that this task has called has ended, whatever becomes of the task. For who tells graphs apart. */
  endGraph?(namespace: string, result: SpanResult): void;
}

/** What may hold secrets, or be large, is read only by who wants it. */
export type SpanPart =
  | { readonly kind: "superstep"; readonly step: number; readonly namespace: string }
  | { readonly kind: "task"; readonly name: string; readonly taskId: string; readonly input: () => unknown }
  | {
      readonly kind: "model";
      readonly name: string;
      /** As LangChain names it: "openai". */
      readonly provider: string | undefined;
      readonly model: string | undefined;
      readonly input: () => unknown;
    }
  | {
      readonly kind: "tool";
      readonly name: string;
      readonly callId: string | undefined;
      readonly input: () => unknown;
    };

export interface SpanResult {
  readonly status: "done" | "interrupted" | "failed" | "left";
  readonly error?: unknown;
  readonly output?: () => unknown;
  readonly checkpointId?: string | undefined;
  /** In tokens. */
  readonly usage?: { readonly input: number; readonly output: number } | undefined;
  /** Which model has answered. */
  readonly model?: string | undefined;
}
