import { GraphValidationError } from "../graph-errors.ts";
import type { Environment } from "./environment.ts";
import { NodeTimeoutError } from "./policy-errors.ts";

/** How long one attempt of a node may take, in milliseconds. */
export interface TimeoutPolicy {
  /** From start to end, whatever the node does. */
  readonly runTimeout?: number;
  /** Without a sign of progress. */
  readonly idleTimeout?: number;
  /** What counts as progress: chunks and `config.heartbeat()` ("auto"), or the latter only. */
  readonly refreshOn?: "auto" | "heartbeat";
}

/** A number is a `runTimeout`. Undefined when nothing is limited; throws for a limit that is not above 0. `node`: whose it is. */
export function timeoutPolicyOf(
  timeout: number | TimeoutPolicy | undefined,
  node: string,
): TimeoutPolicy | undefined {
  const refuse = (problem: string): never => {
    throw new GraphValidationError(`The timeout of node "${node}": ${problem}.`, { details: { node } });
  };
  const policy = typeof timeout === "number" ? { runTimeout: timeout } : timeout;
  if (policy?.runTimeout === undefined && policy?.idleTimeout === undefined) return undefined;
  for (const limit of ["runTimeout", "idleTimeout"] as const) {
    const value = policy[limit];
    if (value !== undefined && !(value > 0)) refuse(`${limit} must be greater than 0, not ${value}`);
  }
  if (policy.refreshOn !== undefined && policy.refreshOn !== "auto" && policy.refreshOn !== "heartbeat") {
    refuse('refreshOn is either "auto" or "heartbeat"');
  }
  return policy;
}

/** Watches over one attempt. */
export class TimeoutWatch {
  readonly #node: string;
  readonly #policy: TimeoutPolicy;
  readonly #environment: Environment;
  readonly #started: number;
  readonly #stopped = new AbortController();
  readonly #expired = new AbortController();
  #lastProgress: number;

  constructor(node: string, policy: TimeoutPolicy, environment: Environment) {
    this.#node = node;
    this.#policy = policy;
    this.#environment = environment;
    this.#started = environment.now();
    this.#lastProgress = this.#started;
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    return this.#expired.signal;
  }

  get isOver(): boolean {
    return this.#expired.signal.aborted;
  }

  /** A sign of life that the node gave on purpose. */
  readonly heartbeat = (): void => {
    this.#lastProgress = this.#environment.now();
  };

  /** A sign of life that others can see. */
  readonly progress = (): void => {
    if (this.#policy.refreshOn !== "heartbeat") this.heartbeat();
  };

  /** Resolves when the attempt has taken too long; never, when `stop` comes before. The signal is aborted after that. */
  expiry(): Promise<NodeTimeoutError> {
    return new Promise((resolve) => {
      const expire = (error: NodeTimeoutError): void => {
        if (this.#stopped.signal.aborted) return;
        resolve(error);
        this.expire(error);
      };
      void this.#wait("run", () => this.#started).then(expire);
      void this.#wait("idle", () => this.#lastProgress).then(expire);
    });
  }

  /** For a node that kept the event loop to itself: whether it has taken too long, by the clock. */
  overdue(): NodeTimeoutError | undefined {
    const { runTimeout } = this.#policy;
    const elapsed = this.#environment.now() - this.#started;
    return runTimeout !== undefined && elapsed > runTimeout ? this.#error("run") : undefined;
  }

  /** Ends the attempt. */
  expire(error: NodeTimeoutError): void {
    this.stop();
    this.#expired.abort(error);
  }

  /** Ends the watch. */
  stop(): void {
    this.#stopped.abort();
  }

  async #wait(kind: "run" | "idle", since: () => number): Promise<NodeTimeoutError> {
    const limit = kind === "run" ? this.#policy.runTimeout : this.#policy.idleTimeout;
    if (limit === undefined) return new Promise(() => undefined);
    let left = limit;
    while (left > 0 && !this.#stopped.signal.aborted) {
      await this.#environment.sleep(left, this.#stopped.signal);
      left = since() + limit - this.#environment.now();
    }
    return this.#error(kind);
  }

  #error(kind: "run" | "idle"): NodeTimeoutError {
    const { runTimeout, idleTimeout } = this.#policy;
    const since = kind === "run" ? this.#started : this.#lastProgress;
    return new NodeTimeoutError({
      node: this.#node,
      kind,
      elapsed: this.#environment.now() - since,
      ...(runTimeout === undefined ? {} : { runTimeout }),
      ...(idleTimeout === undefined ? {} : { idleTimeout }),
    });
  }
}
