import { isObject } from "../values/containers.ts";
import { GraphValidationError } from "../graph-errors.ts";
import type { Environment } from "./environment.ts";

/** How often, and after which pauses, a node that threw is called again within its superstep. Times in milliseconds. */
export interface RetryPolicy {
  /** The pause before the second attempt; 500 unless said otherwise. */
  readonly initialInterval?: number;
  /** By what each further pause is longer; 2. */
  readonly backoffFactor?: number;
  /** The longest pause; 128,000. */
  readonly maxInterval?: number;
  /** The first attempt counts; 3. */
  readonly maxAttempts?: number;
  /** Adds up to a second to each pause, so that many nodes do not come back at once; true. */
  readonly jitter?: boolean;
  /** Which errors are worth another attempt; `isTransient` unless said otherwise. */
  readonly retryOn?: (error: unknown) => boolean;
  /** Accepted and without effect: the engine writes to no console. */
  readonly logWarning?: boolean;
}

const JITTER = 1000;
/** Client errors, which another attempt does not mend. 408 (timeout) and 429 (too many requests) are not among them. */
const PERMANENT_STATUSES: ReadonlySet<unknown> = new Set([400, 401, 402, 403, 404, 405, 406, 407, 409]);
/** Cancelled on purpose, or wrong in the graph itself. */
const PERMANENT_NAMES: ReadonlySet<unknown> = new Set([
  "AbortError",
  "FrozenStateError",
  "GraphValueError",
  "MissingCheckpointerError",
]);

/** The policy; throws when it allows no attempt. `node`: whose it is. */
export function checkedRetry(policy: RetryPolicy, node: string): RetryPolicy {
  const { maxAttempts = 1 } = policy;
  if (maxAttempts >= 1) return policy;
  throw new GraphValidationError(
    `The retryPolicy of node "${node}": maxAttempts must be at least 1, since the first attempt counts, not ${maxAttempts}.`,
    { details: { node } },
  );
}

/** Whether a failed attempt is followed by another one. */
export function isRetried(policy: RetryPolicy, error: unknown, attempts: number): boolean {
  if (attempts >= (policy.maxAttempts ?? 3)) return false;
  return (policy.retryOn ?? isTransient)(error);
}

/** The pause after the attempt of this number, counted from 1. */
export function pauseAfter(policy: RetryPolicy, attempts: number, environment: Environment): number {
  const { initialInterval = 500, backoffFactor = 2, maxInterval = 128_000, jitter = true } = policy;
  const pause = Math.min(maxInterval, initialInterval * backoffFactor ** (attempts - 1));
  return jitter ? pause + environment.random() * JITTER : pause;
}

/** LangGraph's rule: everything but cancellations, faults of the graph, and what a service refused for good. */
function isTransient(error: unknown): boolean {
  const message = field(error, "message");
  if (typeof message === "string" && /^(Cancel|AbortError)/.test(message)) return false;
  if (PERMANENT_NAMES.has(field(error, "name")) || field(error, "code") === "ECONNABORTED") return false;
  const status = field(field(error, "response"), "status") ?? field(error, "status");
  if (PERMANENT_STATUSES.has(status)) return false;
  return field(field(error, "error"), "code") !== "insufficient_quota";
}

function field(value: unknown, key: string): unknown {
  return isObject(value) ? Reflect.get(value, key) : undefined;
}
