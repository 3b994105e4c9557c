import { isObject } from "../values/containers.ts";
import type { BaseChannel } from "../channels/base.ts";
import type { BaseStore } from "../checkpoint/store/base-store.ts";
import type { WritesCache } from "../pregel/cache-policy.ts";
import { timeoutPolicyOf, type TimeoutPolicy } from "../pregel/timeout.ts";
import { EphemeralValue } from "../channels/ephemeral-value.ts";
import { LastValue } from "../channels/last-value.ts";
import { InvalidArgumentError } from "../errors.ts";
import type { Command } from "../pregel/command.ts";
import { assembleGraph } from "../pregel/assemble.ts";
import { END, PREVIOUS, START } from "../pregel/constants.ts";
import { CompiledPregel } from "../pregel/compiled-pregel.ts";
import type { Checkpointer } from "../pregel/pregel-options.ts";
import { taskContext } from "../pregel/task-context.ts";
import type { NodeConfig, PregelGraph, EngineNode } from "../pregel/types.ts";
import { refuseGenerator } from "./task.ts";

export interface EntrypointOptions {
  readonly name: string;
  readonly checkpointer?: Checkpointer;
  /** Long-term memory: `config.store`. */
  readonly store?: BaseStore;
  /** Where tasks with a `cachePolicy` keep their results. */
  readonly cache?: WritesCache;
  /** For each attempt of the whole function: milliseconds, or limits of several kinds. */
  readonly timeout?: number | TimeoutPolicy;
}

/** An entrypoint's result where what it returns and what it keeps for the next run are not the same. */
export class EntrypointFinal<Value, Save> {
  readonly __lg_type = "__pregel_final";
  readonly value: Value | undefined;
  readonly save: Save | undefined;

  constructor(parts: { readonly value?: Value; readonly save?: Save }) {
    this.value = parts.value;
    this.save = parts.save;
  }
}

/** Only an instance is one (of this module or of another copy of it): data cannot forge one. */
function isFinal(output: unknown): output is EntrypointFinal<unknown, unknown> {
  if (output instanceof EntrypointFinal) return true;
  if (!isObject(output)) return false;
  return (
    Object.getPrototypeOf(output) !== Object.prototype &&
    Reflect.get(output, "__lg_type") === "__pregel_final"
  );
}

type ValueOf<Result> = Result extends EntrypointFinal<infer Value, unknown> ? Value : Result;

/** An entrypoint that can be run like a graph. Its values are what its function returns. */
export class CompiledEntrypoint<Input, Value> extends CompiledPregel<
  Input | Command | null,
  Value,
  Value,
  unknown,
  { readonly update: unknown; readonly custom: unknown; readonly mode: "updates" }
> {
  readonly lc_graph_name = "CompiledEntrypoint";
}

function createEntrypoint<Input, Result>(
  options: string | EntrypointOptions,
  run: (input: Input, config: NodeConfig) => Result | Promise<Result>,
): CompiledEntrypoint<Input, ValueOf<Result>> {
  const given: EntrypointOptions = typeof options === "string" ? { name: options } : options;
  const { name, checkpointer, store, cache } = given;
  refuseGenerator("entrypoints", name, run);
  return new CompiledEntrypoint({
    // The caller of the entrypoint says with its types that this is an `Input`.
    graph: entrypointGraph(name, timeoutPolicyOf(given.timeout, name), (input, config) =>
      run(input as Input, config),
    ),
    streamMode: "updates",
    checkpointer,
    store,
    cache,
  });
}

/**
 * A workflow as one function: what it calls by `task()` is kept step by step, so that it can pause at `interrupt()` and
 * go on after a failure without doing again what was done.
 *
 * @example
 * const count = entrypoint({ name: "count", checkpointer }, async (by: number) => (getPreviousState<number>() ?? 0) + by);
 */
export const entrypoint = Object.assign(createEntrypoint, {
  /** Returns one value to the caller and keeps another for the next run's `getPreviousState()`. */
  final: <Value, Save>(parts: {
    readonly value?: Value;
    readonly save?: Save;
  }): EntrypointFinal<Value, Save> => new EntrypointFinal(parts),
});

/** What the last run of the thread has kept; undefined in the first one. */
export function getPreviousState<State = unknown>(): State | undefined {
  const scope = taskContext.get()?.scope;
  // The entrypoint's author says what it keeps.
  return scope?.loop.state.read(PREVIOUS) as State | undefined;
}

function entrypointGraph(
  name: string,
  timeout: TimeoutPolicy | undefined,
  run: EngineNode["run"],
): PregelGraph {
  const node: EngineNode = {
    name,
    triggers: [START],
    channels: START,
    hidden: false,
    run,
    ...(timeout === undefined ? {} : { timeout }),
    write: (output) =>
      isFinal(output)
        ? [
            [END, output.value],
            [PREVIOUS, output.save],
          ]
        : [
            [END, output],
            [PREVIOUS, output],
          ],
  };
  return assembleGraph({
    name,
    nodes: new Map([[name, node]]),
    channels: new Map<string, BaseChannel>([
      [START, new EphemeralValue()],
      [END, new LastValue()],
      [PREVIOUS, new LastValue()],
    ]),
    inputChannels: START,
    outputChannels: END,
    streamChannels: END,
    checkInput: (value) => {
      if (value === undefined)
        throw new InvalidArgumentError("invalid_input", `Entrypoint "${name}" was called without an input.`);
    },
  });
}
