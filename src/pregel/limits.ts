import { isRecord } from "../values/containers.ts";
import { InvalidArgumentError } from "../errors.ts";
import { GraphBubbleUp, isGraphBubbleUp } from "../interrupt-error.ts";
import type { Environment } from "./environment.ts";
import { difference, isName, type Usage, type UsageLedger } from "./usage.ts";

/** How far a run may go before it pauses. */
export interface RunLimits {
  /** Counted as for `recursionLimit`. */
  readonly supersteps?: number;
  readonly seconds?: number;
  /** Of what nodes report with `reportUsage`, by name. */
  readonly usage?: Usage;
}

/** The limit that a run has reached: `supersteps`, `seconds`, or `usage.<name>`. */
export interface LimitReached {
  readonly limit: string;
  readonly used: number;
  readonly allowed: number;
}

/** Where a run with limits has begun. */
export interface RunStart {
  readonly step: number;
  readonly usage: Usage;
}

/** What is known of a run before it is entered. */
export interface LimitOptions {
  /** Where an earlier attempt has begun to count. */
  readonly start?: RunStart | undefined;
  /** When, in milliseconds since 1970; when this attempt begins unless said otherwise. */
  readonly startedAt?: number | undefined;
  /** The thread stands at a limit that an earlier run has reached: this one goes no further than to take in what it brings. */
  readonly standing?: LimitReached | undefined;
}

/** A run has reached one of its limits, and stands between two supersteps: it can be continued from its checkpoint. */
export class LimitReachedError extends GraphBubbleUp {
  readonly reached: LimitReached;

  constructor(reached: LimitReached) {
    const { limit, used, allowed } = reached;
    super("limit_reached", `The run has reached its limit of ${allowed} for ${limit}: it is at ${used}.`);
    this.name = "LimitReachedError";
    this.reached = reached;
  }
}

export function isLimitReached(error: unknown): error is LimitReachedError {
  return isGraphBubbleUp(error) && error.name === "LimitReachedError";
}

/** What counts against limits. */
interface CountedLoop {
  readonly run: { readonly nesting?: unknown };
  readonly step: number;
  readonly usage: UsageLedger | undefined;
}

/** Watches over the limits of a run, also for the graphs inside its tasks: what they use is the run's. */
export class LimitWatch {
  readonly #limits: RunLimits;
  readonly #environment: Pick<Environment, "now">;
  readonly #startedAt: number;
  readonly #standing: LimitReached | undefined;
  #start: RunStart | undefined;
  #root: CountedLoop | undefined;

  constructor(limits: RunLimits, environment: Pick<Environment, "now">, options: LimitOptions = {}) {
    this.#limits = limits;
    this.#environment = environment;
    this.#startedAt = options.startedAt ?? environment.now();
    this.#standing = options.standing;
    this.#start = options.start;
  }

  /** The run begins at this step. Returns where it began to count. */
  begin(root: CountedLoop, step: number): RunStart {
    this.#root = root;
    return (this.#start ??= { step, usage: root.usage?.total ?? {} });
  }

  /** The limit that forbids another superstep of the graph. */
  reachedAt(loop: CountedLoop): LimitReached | undefined {
    if (this.#standing !== undefined) return this.#standing;
    const { supersteps, seconds, usage = {} } = this.#limits;
    const { step = loop.step, usage: before = {} } = this.#start ?? {};
    const isRoot = loop.run.nesting === undefined;
    if (supersteps !== undefined && isRoot && loop.step - step >= supersteps)
      return { limit: "supersteps", used: loop.step - step, allowed: supersteps };
    const elapsed = (this.#environment.now() - this.#startedAt) / 1000;
    if (seconds !== undefined && elapsed >= seconds)
      return { limit: "seconds", used: elapsed, allowed: seconds };
    const spent = difference(this.#root?.usage?.total ?? {}, before);
    for (const [name, allowed] of Object.entries(usage)) {
      const used = withoutNoise(spent[name] ?? 0);
      if (used >= allowed) return { limit: `usage.${name}`, used, allowed };
    }
    return undefined;
  }
}

/** Sums of fractions are off by less than that. */
function withoutNoise(used: number): number {
  return Number(used.toPrecision(12));
}

const KEYS: ReadonlySet<string> = new Set(["supersteps", "seconds", "usage"]);

/** Throws an `InvalidArgumentError` for what are no limits. */
export function parseLimits(value: unknown): RunLimits {
  if (!isRecord(value)) throw invalidLimits("must be an object");
  const unknown = Object.keys(value).find((key) => !KEYS.has(key));
  if (unknown !== undefined) throw invalidLimits(`have no "${unknown}"`);
  const { supersteps, seconds, usage } = value;
  if (supersteps !== undefined && !(isAbove0(supersteps) && Number.isInteger(supersteps)))
    throw invalidLimits('must have a whole number above 0 as "supersteps"');
  if (seconds !== undefined && !isAbove0(seconds))
    throw invalidLimits('must have a number above 0 as "seconds"');
  if (usage !== undefined && !isRecord(usage)) throw invalidLimits('must have an object as "usage"');
  for (const [name, allowed] of Object.entries(usage ?? {}))
    if (!isName(name) || !isAbove0(allowed))
      throw invalidLimits(`must have a number above 0 as "usage.${name}"`);
  // Checked right before.
  return value;
}

function invalidLimits(what: string): InvalidArgumentError {
  return new InvalidArgumentError(
    "invalid_limits",
    `Limits ${what}. They are "supersteps", "seconds", and "usage" by name.`,
  );
}

function isAbove0(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}
