import { InvalidArgumentError } from "../errors.ts";
import { calledNode, callTask } from "../pregel/call.ts";
import { checkedCache, type CachePolicy } from "../pregel/cache-policy.ts";
import { checkedRetry, type RetryPolicy } from "../pregel/retry.ts";
import { timeoutPolicyOf, type TimeoutPolicy } from "../pregel/timeout.ts";

export interface TaskOptions {
  /** Together with the order of calls, what a stored result is found by: do not change it while runs are paused. */
  readonly name: string;
  readonly retry?: RetryPolicy;
  /** Keeps the results in the graph's cache; true: by all arguments, for ever. */
  readonly cachePolicy?: CachePolicy | boolean;
  /** For each attempt: milliseconds, or limits of several kinds. */
  readonly timeout?: number | TimeoutPolicy;
}

/** A function whose calls are tasks. */
export type TaskFunction<Args extends unknown[], Result> = (...args: Args) => Promise<Result>;

/**
 * Makes a function whose calls, inside an entrypoint or a node, are tasks of their own: they can run side by side, and
 * what one has returned is kept when what calls it starts again. Arguments and results have to be storable.
 *
 * @example
 * const add = task("add", async (a: number, b: number) => a + b);
 */
export function task<Args extends unknown[], Result>(
  options: string | TaskOptions,
  run: (...args: Args) => Result | Promise<Result>,
): TaskFunction<Args, Result> {
  const given: TaskOptions = typeof options === "string" ? { name: options } : options;
  const { name, retry, cachePolicy } = given;
  refuseGenerator("tasks", name, run);
  const timeout = timeoutPolicyOf(given.timeout, name);
  const node = calledNode({
    name,
    ...(retry === undefined ? {} : { retryPolicy: checkedRetry(retry, name) }),
    ...(cachePolicy ? { cachePolicy: cachePolicy === true ? {} : checkedCache(cachePolicy, name) } : {}),
    ...(timeout === undefined ? {} : { timeout }),
    // The engine passes on the arguments of the call, which `Args` describes.
    run: (args: unknown): unknown => run(...(args as Args)),
  });
  return (...args) => callTask(node, args) as Promise<Result>;
}

/** What a generator yields would be lost when it is started again. */
export function refuseGenerator(kind: "entrypoints" | "tasks", name: string, run: object): void {
  const type: unknown = run.constructor.name;
  if (type === "GeneratorFunction" || type === "AsyncGeneratorFunction") {
    throw new InvalidArgumentError(
      "invalid_task",
      `"${name}" is a generator, and ${kind} cannot be. Use a plain function, and config.writer for what comes while it runs.`,
    );
  }
}
