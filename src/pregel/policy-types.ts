/** How a node is executed, as its graph carries it. Times in milliseconds. */
export interface NodePolicies {
  readonly retryPolicy?: RetryPolicy;
  readonly cachePolicy?: CachePolicy;
  /** For each attempt. */
  readonly timeout?: TimeoutPolicy;
  /** Takes over when the node has failed: gets what the node got, the error, and the config. */
  readonly errorHandler?: (state: never, error: never, config: never) => unknown;
}

export interface RetryPolicy {
  readonly initialInterval?: number;
  readonly backoffFactor?: number;
  readonly maxInterval?: number;
  readonly maxAttempts?: number;
  readonly jitter?: boolean;
  readonly retryOn?: (error: unknown) => boolean;
  readonly logWarning?: boolean;
}

export interface CachePolicy {
  /** From the node's input, in a list. */
  readonly keyFunc?: (args: unknown[]) => string;
  /** Seconds. */
  readonly ttl?: number;
}

export interface TimeoutPolicy {
  readonly runTimeout?: number;
  readonly idleTimeout?: number;
  readonly refreshOn?: "auto" | "heartbeat";
}
