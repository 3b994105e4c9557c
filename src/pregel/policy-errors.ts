import { GraphBubbleUp, isGraphBubbleUp, messageOf, TidemarkError } from "../errors.ts";

/** The run was asked to stop, and did so between two supersteps: it can be continued from its checkpoint. */
export class GraphDrained extends GraphBubbleUp {
  readonly reason: string;

  constructor(reason: string) {
    super("graph_drained", `Graph drained: ${reason}`);
    this.name = "GraphDrained";
    this.reason = reason;
  }
}

/** An attempt of a node took longer than its timeout. Another attempt may do better. Times in milliseconds. */
export class NodeTimeoutError extends TidemarkError {
  readonly node: string;
  readonly kind: "run" | "idle";
  readonly timeout: number;
  readonly elapsed: number;
  readonly runTimeout?: number;
  readonly idleTimeout?: number;

  constructor(node: string, kind: "run" | "idle", timeout: number, elapsed: number) {
    const what = kind === "run" ? "took" : "made no progress for";
    super("node_timeout", `Node "${node}" ${what} more than ${timeout} ms (${elapsed} ms).`, {
      details: { node, kind, timeout, elapsed },
    });
    this.name = "NodeTimeoutError";
    this.node = node;
    this.kind = kind;
    this.timeout = timeout;
    this.elapsed = elapsed;
    if (kind === "run") this.runTimeout = timeout;
    else this.idleTimeout = timeout;
  }
}

/** A superstep took longer than the graph's `stepTimeout`. What its finished tasks wrote is stored. */
export class StepTimeoutError extends TidemarkError {
  constructor(step: number, timeout: number) {
    super("step_timeout", `Superstep ${step} took more than ${timeout} ms.`, { details: { step, timeout } });
    this.name = "StepTimeoutError";
  }
}

/** What an error handler is told: which node failed, and what it threw. */
export class NodeError extends TidemarkError {
  readonly node: string;
  readonly error: unknown;

  constructor(node: string, error: unknown) {
    super("node_failed", `Node "${node}" failed: ${messageOf(error)}`, { details: { node }, cause: error });
    this.name = "NodeError";
    this.node = node;
    this.error = error;
  }
}

export function isNodeError(error: unknown): error is NodeError {
  return error instanceof Error && error.name === "NodeError";
}

export function isNodeTimeoutError(error: unknown): error is NodeTimeoutError {
  return error instanceof Error && error.name === "NodeTimeoutError";
}

export function isGraphDrained(error: unknown): error is GraphDrained {
  return isGraphBubbleUp(error) && error.name === "GraphDrained";
}
