import { isObject } from "./values/containers.ts";
import { TidemarkError } from "./errors.ts";

/** A question that a task asked. `id` is unique for the question; `value` is what the caller shows. */
export interface Interrupt<Value = unknown> {
  readonly id: string;
  readonly value: Value;
  /** What an answer has to be, as JSON Schema, when the question says so. */
  readonly response_schema?: unknown;
  /** When `default` is the answer, if nobody has given one; ISO 8601. */
  readonly expires_at?: string;
  readonly default?: unknown;
}

/** Whether a result is of a run that ended with questions: they are under `__interrupt__`. */
export function isInterrupted<Value = unknown>(
  result: unknown,
): result is { readonly __interrupt__: readonly Interrupt<Value>[] } {
  return isObject(result) && "__interrupt__" in result && Array.isArray(result["__interrupt__"]);
}

/** Thrown through user code to leave a node early; never a failure. */
export class GraphBubbleUp extends TidemarkError {
  readonly is_bubble_up = true;

  constructor(code: string, message: string) {
    super(code, message);
    this.name = "GraphBubbleUp";
  }
}

/** What `interrupt()` throws to leave the node. */
export class GraphInterrupt extends GraphBubbleUp {
  readonly interrupts: readonly Interrupt[];

  constructor(interrupts: readonly Interrupt[]) {
    super("graph_interrupt", "The node asked a question.");
    this.name = "GraphInterrupt";
    this.interrupts = interrupts;
  }
}

export function isGraphBubbleUp(error: unknown): error is GraphBubbleUp {
  return isObject(error) && "is_bubble_up" in error && error.is_bubble_up === true;
}

export function isGraphInterrupt(error: unknown): error is GraphInterrupt {
  return isGraphBubbleUp(error) && error.name === "GraphInterrupt";
}
