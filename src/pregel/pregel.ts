import type { ChannelVersion, CheckpointConfig } from "../checkpoint/types.ts";
import type { BaseCheckpointSaver } from "../checkpoint/saver.ts";
import type { BaseStore } from "../checkpoint/store/base-store.ts";
import {
  CheckpointNotFoundError,
  InvalidArgumentError,
  MissingCheckpointerError,
  type Interrupt,
} from "../errors.ts";
import { breakpointsOf, type BreakpointNodes } from "./breakpoints.ts";
import { INTERRUPT } from "./constants.ts";
import { durabilityOf, type DurabilityOptions } from "./durability.ts";
import type { Environment } from "./environment.ts";
import { EventQueue } from "./event-queue.ts";
import { exclusively } from "./exclusive.ts";
import { hydrated } from "./hydrate.ts";
import { runLoop } from "./loop.ts";
import { mergeConfigs } from "./merge-configs.ts";
import { checkpointConfig, type RunContext } from "./run-context.ts";
import { clearCache, type WritesCache } from "./node-cache.ts";
import { parseRunInput, type RunInput } from "./run-input.ts";
import { snapshotOf } from "./snapshot.ts";
import type {
  PregelGraph,
  RunnableConfig,
  RunOutcome,
  StateSnapshot,
  StreamEvent,
  StreamMode,
} from "./types.ts";
import { updateState, type StateUpdate } from "./update-state.ts";

const DEFAULT_RECURSION_LIMIT = 25;

export interface PregelOptions {
  readonly graph: PregelGraph;
  readonly environment: Environment;
  readonly checkpointer?: BaseCheckpointSaver<ChannelVersion> | undefined;
  /** Where runs stop: see `InvokeOptions`. */
  readonly interruptBefore?: BreakpointNodes | undefined;
  readonly interruptAfter?: BreakpointNodes | undefined;
  readonly store?: BaseStore | undefined;
  /** Where nodes with a `cachePolicy` keep their results. */
  readonly cache?: WritesCache | undefined;
  /** How long a superstep may take, in milliseconds. */
  readonly stepTimeout?: number | undefined;
  /** What goes with every call: see `withConfig`. */
  readonly config?: RunnableConfig | undefined;
}

export interface InvokeOptions<Context = unknown> extends RunnableConfig<Context>, DurabilityOptions {
  /** What becomes of a pending question when new input comes: refuse the input (the default), or discard the question. */
  readonly onInterrupted?: "refuse" | "discard";
  /** Stops before (after) these nodes, or all of them ("*"), in place of where the graph says. Go on with null. */
  readonly interruptBefore?: BreakpointNodes;
  readonly interruptAfter?: BreakpointNodes;
}

export interface StreamOptions<Context = unknown> extends InvokeOptions<Context> {
  /** One mode: chunks. A list: pairs of mode and chunk. */
  readonly streamMode?: StreamMode | readonly StreamMode[];
}

/** What runs a graph elsewhere than in the caller's process: another saver, clock and listener. */
export interface RunOptions<Context = unknown> extends InvokeOptions<Context> {
  readonly checkpointer?: BaseCheckpointSaver<ChannelVersion>;
  readonly environment?: Environment;
  readonly modes?: ReadonlySet<StreamMode>;
  readonly emit?: (event: StreamEvent) => void;
  /** Gets the step up to which the run may go; an attempt that goes on with the run is given it as `lastStep`. */
  readonly onInputApplied?: (lastStep: number) => void;
  readonly lastStep?: number;
  readonly store?: BaseStore;
  readonly cache?: WritesCache;
  /** An earlier attempt of the same run was cut off. */
  readonly isReentry?: boolean;
}

export interface HistoryOptions {
  readonly limit?: number;
  readonly before?: RunnableConfig;
  readonly filter?: Readonly<Record<string, unknown>>;
}

/** The questions a run ended with. */
interface Asked {
  readonly [INTERRUPT]?: readonly Interrupt[];
}

/** A graph that can be run: the methods of LangGraph's compiled graphs, and `run` beneath them. */
export class Pregel<Input = unknown, Values = Record<string, unknown>, Output = Values, Context = unknown> {
  readonly lg_is_pregel = true;
  readonly graph: PregelGraph;
  readonly checkpointer: BaseCheckpointSaver<ChannelVersion> | undefined;
  /** How long a superstep may take, in milliseconds. May be set before a run. */
  stepTimeout: number | undefined;
  readonly #options: PregelOptions;

  constructor(options: PregelOptions) {
    this.graph = options.graph;
    this.checkpointer = options.checkpointer;
    this.stepTimeout = options.stepTimeout;
    this.#options = options;
  }

  /** The same graph with a config that goes with every call: a call's own words go before it, or beside it. */
  withConfig(config: RunnableConfig): this {
    return this.withOptions({ config: mergeConfigs(this.#options.config, config) });
  }

  /** The same graph with some of its options replaced. */
  withOptions(options: Partial<PregelOptions>): this {
    // A subclass adds types, not arguments: its constructor takes the same options.
    const Class = this.constructor as new (options: PregelOptions) => this;
    return new Class({ ...this.#options, stepTimeout: this.stepTimeout, ...options });
  }

  /**
   * Runs to the end, or to a question: the result then has it under `__interrupt__`. Input null continues; a `Command`
   * answers or goes somewhere. Throws what a node threw, or a `TidemarkError`.
   */
  async invoke(
    input: Input,
    options: InvokeOptions<Context> = {},
  ): Promise<Output & { [INTERRUPT]?: readonly Interrupt[] }> {
    let values: unknown;
    const emit = ({ payload }: StreamEvent): void => {
      if (!isQuestion(payload)) values = payload;
    };
    const outcome = await this.#runAlone(input, { ...options, modes: new Set<StreamMode>(["values"]), emit });
    throwUnlessEnded(outcome);
    const result = outputOf(this.graph, values);
    // The graph's schema is the caller's word for what its channels hold.
    return (
      outcome.status === "interrupted" ? { ...Object(result), [INTERRUPT]: outcome.interrupts } : result
    ) as Output & Asked;
  }

  /** The chunks of a run while it goes on. Mode `updates` unless said otherwise. Leaving the loop early cancels the run. */
  async *stream(
    input: Input,
    options: StreamOptions<Context> = {},
  ): AsyncGenerator<unknown, void, undefined> {
    const { streamMode = "updates" } = options;
    const modes = new Set<StreamMode>(typeof streamMode === "string" ? [streamMode] : streamMode);
    const queue = new EventQueue<StreamEvent>();
    const abandoned = new AbortController();
    const signal =
      options.signal === undefined ? abandoned.signal : AbortSignal.any([abandoned.signal, options.signal]);
    const emit = (event: StreamEvent): void => queue.push(event);
    const outcome = this.#runAlone(input, { ...options, modes, emit, signal });
    let isRunning = true;
    const end = (): void => {
      isRunning = false;
      queue.end();
    };
    const settled = outcome.then(end, end);
    try {
      for await (const { mode, payload } of queue)
        yield typeof streamMode === "string" ? payload : [mode, payload];
    } finally {
      if (isRunning) abandoned.abort(new Error("The stream was left before its end."));
      await settled;
    }
    throwUnlessEnded(await outcome);
  }

  /** Runs and says how it ended, without throwing for what graphs and callers do wrong. */
  async run(input: RunInput, options: RunOptions = {}): Promise<RunOutcome> {
    return runLoop(this.#context(mergeConfigs(this.#options.config, options)), input);
  }

  /** The state at the named checkpoint, or the newest. A thread without one has no values and nothing next. */
  async getState(
    config: RunnableConfig,
    options: Pick<RunOptions, "checkpointer"> = {},
  ): Promise<StateSnapshot<Values>> {
    const saver = options.checkpointer ?? this.#requireSaver("getState()");
    config = mergeConfigs(this.#options.config, config);
    const named = config.configurable?.checkpoint_id;
    const tuple = await hydrated(this.graph, saver, await saver.getTuple(checkpointConfig(config, named)));
    if (tuple === undefined && named !== undefined) throw new CheckpointNotFoundError(named);
    if (tuple === undefined) return { values: {} as Values, next: [], config, tasks: [] };
    return snapshotOf(this.graph, tuple, { isHead: named === undefined }) as StateSnapshot<Values>;
  }

  /** The states of the thread, newest first. */
  async *getStateHistory(
    config: RunnableConfig,
    options: HistoryOptions & Pick<RunOptions, "checkpointer"> = {},
  ): AsyncGenerator<StateSnapshot<Values>, void, undefined> {
    const saver = options.checkpointer ?? this.#requireSaver("getStateHistory()");
    config = mergeConfigs(this.#options.config, config);
    const { limit, before, filter } = options;
    const listed = saver.list(checkpointConfig(config, config.configurable?.checkpoint_id), {
      ...(limit === undefined ? {} : { limit }),
      ...(before === undefined ? {} : { before: before as CheckpointConfig }),
      ...(filter === undefined ? {} : { filter }),
    });
    for await (const listedTuple of listed) {
      const tuple = await hydrated(this.graph, saver, listedTuple);
      yield snapshotOf(this.graph, tuple, { isHead: false }) as StateSnapshot<Values>;
    }
  }

  /** Edits the state; returns the config of the new checkpoint. */
  async updateState(
    config: RunnableConfig,
    values: unknown,
    asNode?: string,
    options: RunOptions = {},
  ): Promise<RunnableConfig> {
    const update: StateUpdate = asNode === undefined ? { values } : { values, asNode };
    config = mergeConfigs(this.#options.config, config);
    // An edit is stored at once.
    const context = { ...this.#context({ ...config, ...options }), durability: "sync" as const };
    if (context.saver === undefined) throw new MissingCheckpointerError("updateState()");
    const id = await exclusively(context.saver, config.configurable, () => updateState(context, update));
    return checkpointConfig(config, id);
  }

  /** Forgets the cached results of all nodes. */
  async clearCache(): Promise<void> {
    await clearCache(this.graph, this.#options.cache);
  }

  async #runAlone(input: Input, options: RunOptions): Promise<RunOutcome> {
    const { configurable } = mergeConfigs(this.#options.config, options);
    return exclusively(this.checkpointer, configurable, () => this.run(parseRunInput(input), options));
  }

  #context(options: RunOptions): RunContext {
    const {
      checkpointer,
      environment,
      modes,
      emit,
      onInputApplied,
      onInterrupted,
      isReentry,
      lastStep,
      ...more
    } = options;
    const { store, cache, interruptBefore, interruptAfter, durability, checkpointDuring, ...config } = more;
    const recursionLimit = config.recursionLimit ?? DEFAULT_RECURSION_LIMIT;
    if (!Number.isInteger(recursionLimit) || recursionLimit < 1) {
      throw new InvalidArgumentError(
        "invalid_recursion_limit",
        `recursionLimit must be a whole number of at least 1, not ${recursionLimit}.`,
      );
    }
    const { maxConcurrency } = config;
    if (maxConcurrency !== undefined && !(maxConcurrency >= 1)) {
      throw new InvalidArgumentError(
        "invalid_max_concurrency",
        `maxConcurrency must be at least 1, not ${maxConcurrency}.`,
      );
    }
    return {
      graph: this.graph,
      saver: checkpointer ?? this.checkpointer,
      environment: environment ?? this.#options.environment,
      config,
      recursionLimit,
      modes: modes ?? new Set(),
      emit: emit ?? (() => undefined),
      signal: config.signal ?? new AbortController().signal,
      onInputApplied: onInputApplied ?? (() => undefined),
      lastStep,
      onInterrupted: onInterrupted ?? "refuse",
      breakpoints: breakpointsOf(
        interruptBefore ?? this.#options.interruptBefore,
        interruptAfter ?? this.#options.interruptAfter,
      ),
      isReentry: isReentry ?? false,
      store: store ?? this.#options.store,
      cache: cache ?? this.#options.cache,
      durability: durabilityOf({
        ...(durability === undefined ? {} : { durability }),
        ...(checkpointDuring === undefined ? {} : { checkpointDuring }),
      }),
      stepTimeout: this.stepTimeout,
    };
  }

  #requireSaver(what: string): BaseCheckpointSaver<ChannelVersion> {
    if (this.checkpointer === undefined) throw new MissingCheckpointerError(what);
    return this.checkpointer;
  }
}

/** What a run returns of the values that its streams show. */
function outputOf({ outputChannels, streamChannels }: PregelGraph, values: unknown): unknown {
  if (typeof values !== "object" || values === null) return values;
  if (typeof outputChannels === "string") return values;
  // The output is a part of what is shown: of the same length, it is the same.
  if (streamChannels === undefined || streamChannels.length === outputChannels.length) return { ...values };
  return Object.fromEntries(Object.entries(values).filter(([channel]) => outputChannels.includes(channel)));
}

/** A chunk with the questions of a task, rather than with values. */
function isQuestion(chunk: unknown): boolean {
  return typeof chunk === "object" && chunk !== null && Object.hasOwn(chunk, INTERRUPT);
}

function throwUnlessEnded(outcome: RunOutcome): void {
  if (outcome.status === "failed" || outcome.status === "refused") throw outcome.error;
  if (outcome.status === "cancelled") throw outcome.reason;
}
