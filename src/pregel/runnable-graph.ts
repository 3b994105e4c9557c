import type { ChannelVersion } from "../checkpoint/types.ts";
import type { BaseCheckpointSaver } from "../checkpoint/saver.ts";
import type { Interrupt } from "../interrupt-error.ts";
import { INTERRUPT, WAITING } from "./constants.ts";
import { editThread } from "./edit-thread.ts";
import { eventTexts } from "./event-stream.ts";
import { type FinishedSuperstep, finishedSupersteps } from "./finished-supersteps.ts";
import { runLoop } from "./loop.ts";
import { mapLimited } from "./map-limited.ts";
import { mergeConfigs } from "./merge-configs.ts";
import { nestedContext } from "./nested-run.ts";
import type { Waiting } from "./question.ts";
import type { RunContext } from "./run-context.ts";
import type {
  Checkpointer,
  ChunkModes,
  ChunkOptions,
  GraphOptions,
  InvokeOptions,
  RunOptions,
  StreamOptions,
} from "./pregel-options.ts";
import { chunksOf, resultOfRun, runEvents } from "./run-events.ts";
import { rootContext } from "./root-context.ts";
import { RunStream, streamCall, type StreamCall } from "./run-stream.ts";
import type { RunInput } from "./run-input.ts";
import { readHistory, readState, type HistoryOptions, type ReadOptions } from "./read-state.ts";
import { atRoot, noRootHistory, startRun, throwUnlessEnded } from "./start-run.ts";
import { shownChannels } from "./stream.ts";
import type { Chunks, PairOf, StreamTypes, TripleOf } from "./stream-types.ts";
import { subgraphsWithin } from "./subgraphs.ts";
import { callingTask } from "./task-context.ts";
import type {
  PregelGraph,
  RunnableConfig,
  RunOutcome,
  StateSnapshot,
  StreamMode,
  Subgraph,
} from "./types.ts";
import { MissingCheckpointerError } from "./value-errors.ts";
import { updateSteps, type StateUpdate, type UpdateStep } from "./update-state.ts";

/** The questions and the waits that a run ended with. */
type Asked = { readonly [INTERRUPT]?: readonly Interrupt[]; readonly [WAITING]?: readonly Waiting[] };

/** A graph that can be run: the methods of LangGraph's compiled graphs, and `run` beneath them. */
export class RunnableGraph<
  Input = unknown,
  Values = Record<string, unknown>,
  Output = Values,
  Context = unknown,
  Types extends StreamTypes = StreamTypes,
> {
  readonly lg_is_pregel = true;
  readonly graph: PregelGraph;
  /** May be set before a run. */
  checkpointer: Checkpointer | undefined;
  /** How long a superstep may take, in milliseconds. May be set before a run. */
  stepTimeout: number | undefined;
  readonly #options: GraphOptions;

  constructor(options: GraphOptions) {
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
  withOptions(options: Partial<GraphOptions>): this {
    // A subclass adds types, not arguments: its constructor takes the same options.
    const Class = this.constructor as new (options: GraphOptions) => this;
    return new Class({
      ...this.#options,
      checkpointer: this.checkpointer,
      stepTimeout: this.stepTimeout,
      ...options,
    });
  }

  /**
   * Runs to the end, or to a question: the result then has it under `__interrupt__`. Input null continues; a `Command`
   * answers or goes somewhere. Throws what a node threw, or a `TidemarkError`. With a `streamMode` other than `values`, the
   * result is the list of the chunks that `stream` would give.
   */
  async invoke(
    input: Input,
    options: InvokeOptions<Context> & { readonly streamMode: ChunkModes },
  ): Promise<unknown[]>;
  async invoke(
    input: Input,
    options?: InvokeOptions<Context> & { readonly streamMode?: "values" | undefined },
  ): Promise<Output & Asked>;
  async invoke(input: Input, options: StreamOptions<Context> = {}): Promise<unknown> {
    const { streamMode = "values", encoding: _, ...given } = options;
    const { outputKeys = this.graph.outputChannels } = given;
    if (streamMode !== "values") {
      const chunks: unknown[] = [];
      for await (const chunk of this.stream(input, { ...given, outputKeys, streamMode })) chunks.push(chunk);
      return chunks;
    }
    let values: unknown;
    const onResult = (result: unknown): void => {
      values = result;
    };
    // A list of keys is given back whole, whichever of the state has changed last.
    const watchedKeys = typeof outputKeys === "string" ? outputKeys : shownChannels(this.graph);
    const run = this.#context({ ...given, subgraphs: false, outputKeys, watchedKeys, onResult });
    const outcome = await startRun(run, input);
    throwUnlessEnded(run, outcome);
    return resultOfRun(outcome, values);
  }

  /**
   * Starts a run, and gives its chunks while it goes on. Leaving their loop early, or `cancel()`, cancels the run. With an
   * `encoding` they are the body of a `Response`.
   */
  stream(
    input: Input,
    options: StreamOptions<Context> & { readonly encoding: "text/event-stream" },
  ): StreamCall<Uint8Array>;
  stream<Mode extends StreamMode>(
    input: Input,
    options: ChunkOptions<Context> & { readonly streamMode: readonly Mode[]; readonly subgraphs: true },
  ): StreamCall<TripleOf<Mode, Values, Types>>;
  stream<Mode extends StreamMode>(
    input: Input,
    options: ChunkOptions<Context> & { readonly streamMode: readonly Mode[]; readonly subgraphs?: false },
  ): StreamCall<PairOf<Mode, Values, Types>>;
  stream<Mode extends StreamMode = Types["mode"]>(
    input: Input,
    options: ChunkOptions<Context> & { readonly streamMode?: Mode; readonly subgraphs: true },
  ): StreamCall<[namespace: readonly string[], chunk: Chunks<Values, Types>[Mode]]>;
  stream<Mode extends StreamMode = Types["mode"]>(
    input: Input,
    options?: ChunkOptions<Context> & { readonly streamMode?: Mode; readonly subgraphs?: false },
  ): StreamCall<Chunks<Values, Types>[Mode]>;
  stream(
    input: Input,
    options?: StreamOptions<Context> & { readonly encoding?: undefined },
  ): StreamCall<unknown>;
  stream(input: Input, options: StreamOptions<Context> = {}): StreamCall<unknown> {
    const { subgraphs = false, encoding } = options;
    const streamMode = options.streamMode ?? this.#defaultMode(options);
    const modes = new Set([streamMode].flat());
    const { streamMode: _mode, encoding: _encoding, ...given } = options;
    return streamCall(() => {
      const contextOf = (ends: RunOptions): RunContext => this.#context({ ...given, ...ends, modes });
      const { events, leave } = runEvents(contextOf, input, options.signal);
      const chunks =
        encoding === "text/event-stream"
          ? eventTexts(events, { namespaces: subgraphs })
          : chunksOf(events, { pairs: Array.isArray(options.streamMode), namespaces: subgraphs });
      return new RunStream(chunks, leave);
    });
  }

  /** Several inputs, each in a run of its own, `maxConcurrency` at a time. One that fails fails all. */
  async batch(
    inputs: readonly Input[],
    options: InvokeOptions<Context> | readonly InvokeOptions<Context>[] = {},
  ): Promise<(Output & Asked)[]> {
    const optionsOf = (index: number): InvokeOptions<Context> =>
      isList(options) ? (options[index] ?? {}) : options;
    return mapLimited(inputs, optionsOf(0).maxConcurrency, (input, index) =>
      this.invoke(input, optionsOf(index)),
    );
  }

  /** Runs and says how it ended, without throwing for what graphs and callers do wrong. */
  async run(input: RunInput, options: RunOptions = {}): Promise<RunOutcome> {
    return runLoop(this.#context(options), input);
  }

  /**
   * What a run that was cut off has finished after a checkpoint: to be told by the next attempt. `line`: checkpoints that led to
   * each other, oldest first, from the one before `since` on, where there is one.
   */
  finishedSupersteps(line: readonly string[], since: string, options: RunOptions): FinishedSuperstep[] {
    const run = this.#rootContext(mergeConfigs(this.#options.config, options));
    return finishedSupersteps(run, line, since);
  }

  /**
   * The state at the named checkpoint, or the newest, of this graph or of one in its tasks (`checkpoint_ns`). A thread
   * without a checkpoint has no values and nothing next.
   */
  async getState(
    config: RunnableConfig,
    options: ReadOptions & Pick<RunOptions, "checkpointer"> = {},
  ): Promise<StateSnapshot<Values>> {
    const saver = options.checkpointer ?? this.#requireSaver("getState()");
    const merged = mergeConfigs(this.#options.config, config);
    return (await readState(this.graph, saver, merged, options)) as StateSnapshot<Values>;
  }

  /** The states of the thread, newest first. */
  async *getStateHistory(
    config: RunnableConfig,
    options: HistoryOptions & Pick<RunOptions, "checkpointer"> = {},
  ): AsyncGenerator<StateSnapshot<Values>, void, undefined> {
    const saver = options.checkpointer ?? this.#requireSaver("getStateHistory()");
    const merged = mergeConfigs(this.#options.config, config);
    for await (const snapshot of readHistory(this.graph, saver, merged, options))
      yield snapshot as StateSnapshot<Values>;
  }

  /** Edits the state, also of a graph in a task (`checkpoint_ns`); returns the config of the new checkpoint. */
  async updateState(
    config: RunnableConfig,
    values: unknown,
    asNode?: string,
    options: RunOptions = {},
  ): Promise<RunnableConfig> {
    const update: StateUpdate = asNode === undefined ? { values } : { values, asNode };
    return this.#edit(config, [[update]], options, "updateState()");
  }

  /** Empties the cache: not even a graph knows all the tasks that its nodes call. */
  async clearCache(): Promise<void> {
    await this.#options.cache?.clear([]);
  }

  /** Several edits, one checkpoint after the other; those of one step are made as if their nodes had run side by side. */
  async bulkUpdateState(
    config: RunnableConfig,
    supersteps: readonly { readonly updates: readonly StateUpdate[] }[],
    options: RunOptions = {},
  ): Promise<RunnableConfig> {
    const steps = updateSteps(supersteps);
    return this.#edit(config, steps, options, "bulkUpdateState()");
  }

  /** The graphs inside this one by the path of their nodes; `recurse`: also those inside them. */
  *getSubgraphs(namespace?: string, recurse = false): Generator<[namespace: string, graph: RunnableGraph]> {
    yield* subgraphsWithin(this.graph, isPregel, { namespace, recurse });
  }

  async *getSubgraphsAsync(
    namespace?: string,
    recurse = false,
  ): AsyncGenerator<[namespace: string, graph: RunnableGraph]> {
    yield* this.getSubgraphs(namespace, recurse);
  }

  async #edit(
    asked: RunnableConfig,
    steps: readonly UpdateStep[],
    options: RunOptions,
    what: string,
  ): Promise<RunnableConfig> {
    const saver = options.checkpointer ?? this.#requireSaver(what);
    const contextOf = (config: RunnableConfig): RunContext => this.#rootContext({ ...config, ...options });
    return editThread(
      { graph: this.graph, saver, contextOf },
      mergeConfigs(this.#options.config, asked),
      steps,
    );
  }

  #context(given: RunOptions): RunContext {
    const options = mergeConfigs(this.#options.config, given);
    const run = this.#rootContext(options);
    const task = callingTask(options);
    if (task !== undefined) return nestedContext(run, task, this.checkpointer);
    if (this.checkpointer === true && options.checkpointer === undefined) throw noRootHistory();
    return atRoot(run);
  }

  #rootContext(options: RunOptions): RunContext {
    const { graph, checkpointer, stepTimeout } = this;
    return rootContext({ ...this.#options, graph, checkpointer, stepTimeout }, options);
  }

  #defaultMode(options: StreamOptions<Context>): StreamMode | readonly StreamMode[] {
    return callingTask(options) === undefined ? (this.#options.streamMode ?? "values") : "values";
  }

  #requireSaver(what: string): BaseCheckpointSaver<ChannelVersion> {
    if (typeof this.checkpointer !== "object") throw new MissingCheckpointerError(what);
    return this.checkpointer;
  }
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

/** By its form: it may be of another copy of this package. */
function isPregel(graph: Subgraph): graph is RunnableGraph {
  return "getSubgraphs" in graph;
}
