import { TidemarkError, messageOf } from "../errors.ts";
import { GraphBubbleUp, isGraphBubbleUp } from "../interrupt-error.ts";

/** The run was asked to stop, and did so between two supersteps: it can be continued from its checkpoint. */
export class GraphDrained extends GraphBubbleUp {
  readonly reason: string;

  constructor(reason: string) {
    super("graph_drained", `Graph drained: ${reason}`);
    this.name = "GraphDrained";
    this.reason = reason;
  }
}

/** Which limit an attempt of a node has passed, and when. Times in milliseconds. */
export interface NodeTimeout {
  readonly node: string;
  readonly kind: "run" | "idle";
  readonly elapsed: number;
  readonly runTimeout?: number;
  readonly idleTimeout?: number;
}

/** An attempt of a node took longer than its timeout. Another attempt may do better. Times in milliseconds. */
export class NodeTimeoutError extends TidemarkError {
  readonly node: string;
  readonly kind: "run" | "idle";
  readonly timeout: number;
  readonly elapsed: number;
  readonly runTimeout?: number;
  readonly idleTimeout?: number;

  /** Throws when the limit of this kind is not given. */
  constructor({ node, kind, elapsed, ...limits }: NodeTimeout) {
    const timeout = limits[`${kind}Timeout`];
    if (timeout === undefined)
      throw new TypeError(`${kind}Timeout is required for a timeout of kind "${kind}".`);
    const what = kind === "run" ? "took" : "made no progress for";
    super("node_timeout", `Node "${node}" ${what} more than ${timeout} ms (${elapsed} ms).`, {
      details: { node, kind, timeout, elapsed },
    });
    this.name = "NodeTimeoutError";
    this.node = node;
    this.kind = kind;
    this.timeout = timeout;
    this.elapsed = elapsed;
    if (limits.runTimeout !== undefined) this.runTimeout = limits.runTimeout;
    if (limits.idleTimeout !== undefined) this.idleTimeout = limits.idleTimeout;
  }
}

/** A superstep took longer than the graph's `stepTimeout`. What its finished tasks wrote is stored. */
export class StepTimeoutError extends TidemarkError {
  constructor(step: number, timeout: number) {
    super("step_timeout", `Superstep ${step} was aborted: it took more than ${timeout} ms.`, {
      details: { step, timeout },
    });
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
