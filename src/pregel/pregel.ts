import type { ChannelVersion, CheckpointConfig } from "../checkpoint/types.ts";
import type { BaseCheckpointSaver } from "../checkpoint/saver.ts";
import {
  CheckpointNotFoundError,
  GraphInterrupt,
  InvalidArgumentError,
  isParentCommand,
  MissingCheckpointerError,
  ParentCommand,
  type Interrupt,
} from "../errors.ts";
import { INTERRUPT } from "./constants.ts";
import type { Environment } from "./environment.ts";
import { EventQueue } from "./event-queue.ts";
import { exclusively } from "./exclusive.ts";
import { runLoop } from "./loop.ts";
import { nestedContext, visiting } from "./nested-run.ts";
import { checkpointConfig, type RunContext } from "./run-context.ts";
import { parseRunInput, type RunInput } from "./run-input.ts";
import { snapshotOf } from "./snapshot.ts";
import { callingTask } from "./task-context.ts";
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
  readonly checkpointer?: Checkpointer | undefined;
}

/**
 * Where a graph keeps its checkpoints. A graph inside a task uses the saver of the graph around it: by default it begins
 * anew in every task, with `true` it keeps one history over all of them, with `false` it keeps nothing.
 */
export type Checkpointer = BaseCheckpointSaver<ChannelVersion> | boolean;

export interface InvokeOptions<Context = unknown> extends RunnableConfig<Context> {
  /** What becomes of a pending question when new input comes: refuse the input (the default), or discard the question. */
  readonly onInterrupted?: "refuse" | "discard";
}

export interface StreamOptions<Context = unknown> extends InvokeOptions<Context> {
  /** One mode: chunks. A list: pairs of mode and chunk. */
  readonly streamMode?: StreamMode | readonly StreamMode[];
  /** Also the chunks of graphs inside tasks; each chunk then comes behind the namespace it is from. */
  readonly subgraphs?: boolean;
}

/** What runs a graph elsewhere than in the caller's process: another saver, clock and listener. */
export interface RunOptions<Context = unknown> extends InvokeOptions<Context> {
  readonly checkpointer?: BaseCheckpointSaver<ChannelVersion>;
  readonly environment?: Environment;
  readonly modes?: ReadonlySet<StreamMode>;
  readonly subgraphs?: boolean;
  readonly emit?: (event: StreamEvent) => void;
  readonly onInputApplied?: () => void;
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
export class Pregel<Input = unknown, Values = Record<string, unknown>> {
  readonly lg_is_pregel = true;
  readonly graph: PregelGraph;
  readonly checkpointer: Checkpointer | undefined;
  readonly #environment: Environment;

  constructor(options: PregelOptions) {
    this.graph = options.graph;
    this.checkpointer = options.checkpointer;
    this.#environment = options.environment;
  }

  /**
   * Runs to the end, or to a question: the result then has it under `__interrupt__`. Input null continues; a `Command`
   * answers or goes somewhere. Throws what a node threw, or a `TidemarkError`.
   */
  async invoke(
    input: Input,
    options: InvokeOptions = {},
  ): Promise<Values & { [INTERRUPT]?: readonly Interrupt[] }> {
    let values: unknown;
    const emit = ({ payload }: StreamEvent): void => {
      if (!isQuestion(payload)) values = payload;
    };
    const run = this.#context({ ...options, modes: new Set<StreamMode>(["values"]), emit });
    const outcome = await start(run, input);
    throwUnlessEnded(run, outcome);
    const result = typeof values === "object" && values !== null ? { ...values } : values;
    // The graph's schema is the caller's word for what its channels hold.
    return (
      outcome.status === "interrupted" ? { ...Object(result), [INTERRUPT]: outcome.interrupts } : result
    ) as Values & Asked;
  }

  /** The chunks of a run while it goes on. Mode `updates` unless said otherwise. Leaving the loop early cancels the run. */
  async *stream(input: Input, options: StreamOptions = {}): AsyncGenerator<unknown, void, undefined> {
    const { streamMode = "updates", subgraphs = false } = options;
    const modes = new Set<StreamMode>(typeof streamMode === "string" ? [streamMode] : streamMode);
    const queue = new EventQueue<StreamEvent>();
    const abandoned = new AbortController();
    const signal =
      options.signal === undefined ? abandoned.signal : AbortSignal.any([abandoned.signal, options.signal]);
    const emit = (event: StreamEvent): void => queue.push(event);
    const run = this.#context({ ...options, modes, emit, signal });
    const outcome = start(run, input);
    let isRunning = true;
    const end = (): void => {
      isRunning = false;
      queue.end();
    };
    const settled = outcome.then(end, end);
    try {
      for await (const { mode, payload, namespace = [] } of queue) {
        if (typeof streamMode === "string") yield subgraphs ? [namespace, payload] : payload;
        else yield subgraphs ? [namespace, mode, payload] : [mode, payload];
      }
    } finally {
      if (isRunning) abandoned.abort(new Error("The stream was left before its end."));
      await settled;
    }
    throwUnlessEnded(run, await outcome);
  }

  /** Runs and says how it ended, without throwing for what graphs and callers do wrong. */
  async run(input: RunInput, options: RunOptions = {}): Promise<RunOutcome> {
    return runLoop(this.#context(options), input);
  }

  /** The state at the named checkpoint, or the newest. A thread without one has no values and nothing next. */
  async getState(
    config: RunnableConfig,
    options: Pick<RunOptions, "checkpointer"> = {},
  ): Promise<StateSnapshot<Values>> {
    const saver = options.checkpointer ?? this.#requireSaver("getState()");
    const named = config.configurable?.checkpoint_id;
    const tuple = await saver.getTuple(checkpointConfig(config, named));
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
    const { limit, before, filter } = options;
    const listed = saver.list(checkpointConfig(config, config.configurable?.checkpoint_id), {
      ...(limit === undefined ? {} : { limit }),
      ...(before === undefined ? {} : { before: before as CheckpointConfig }),
      ...(filter === undefined ? {} : { filter }),
    });
    for await (const tuple of listed)
      yield snapshotOf(this.graph, tuple, { isHead: false }) as StateSnapshot<Values>;
  }

  /** Edits the state; returns the config of the new checkpoint. */
  async updateState(
    config: RunnableConfig,
    values: unknown,
    asNode?: string,
    options: RunOptions = {},
  ): Promise<RunnableConfig> {
    const update: StateUpdate = asNode === undefined ? { values } : { values, asNode };
    const context = this.#context({ ...config, ...options });
    if (context.saver === undefined) throw new MissingCheckpointerError("updateState()");
    const id = await exclusively(context.saver, config.configurable, () => updateState(context, update));
    return checkpointConfig(config, id);
  }

  #context(options: RunOptions): RunContext {
    const { checkpointer, environment, modes = NO_MODES, subgraphs, emit, ...rest } = options;
    const { onInputApplied, onInterrupted, ...config } = rest;
    const recursionLimit = config.recursionLimit ?? DEFAULT_RECURSION_LIMIT;
    if (!Number.isInteger(recursionLimit) || recursionLimit < 1) {
      throw new InvalidArgumentError(
        "invalid_recursion_limit",
        `recursionLimit must be a whole number of at least 1, not ${recursionLimit}.`,
      );
    }
    const task = callingTask(options);
    const run: RunContext = {
      graph: this.graph,
      saver: checkpointer ?? (typeof this.checkpointer === "object" ? this.checkpointer : undefined),
      environment: environment ?? this.#environment,
      config,
      recursionLimit,
      modes,
      nestedModes: subgraphs ? modes : NO_MODES,
      emit: emit ?? (() => undefined),
      signal: config.signal ?? new AbortController().signal,
      onInputApplied: onInputApplied ?? (() => undefined),
      onInterrupted: onInterrupted ?? "refuse",
    };
    if (task !== undefined) return nestedContext(run, task, this.checkpointer);
    if (this.checkpointer === true && checkpointer === undefined) throw noRootHistory();
    return run;
  }

  #requireSaver(what: string): BaseCheckpointSaver<ChannelVersion> {
    if (typeof this.checkpointer !== "object") throw new MissingCheckpointerError(what);
    return this.checkpointer;
  }
}

/** A chunk with the questions of a task, rather than with values. */
function isQuestion(chunk: unknown): boolean {
  return typeof chunk === "object" && chunk !== null && Object.hasOwn(chunk, INTERRUPT);
}

const NO_MODES: ReadonlySet<StreamMode> = new Set();

function noRootHistory(): InvalidArgumentError {
  return new InvalidArgumentError(
    "invalid_checkpointer",
    "`checkpointer: true` is for graphs inside a node of another graph: a graph that is started by itself needs a saver.",
  );
}

/** Runs alone: one run a thread, or, inside a task, as a part of the task. */
function start(run: RunContext, input: unknown): Promise<RunOutcome> {
  const work = (): Promise<RunOutcome> => runLoop(run, parseRunInput(input));
  if (run.nesting === undefined) return exclusively(run.saver, run.config.configurable, work);
  return run.nesting.task.follow(visiting(run, work));
}

/** Inside a task, a question and a Command for the graph around leave through the node that called. */
function throwUnlessEnded({ nesting }: RunContext, outcome: RunOutcome): void {
  if (nesting !== undefined && outcome.status === "interrupted") throw new GraphInterrupt(outcome.interrupts);
  if (nesting !== undefined && outcome.status === "failed" && isParentCommand(outcome.error)) {
    throw new ParentCommand(outcome.error.command, nesting.task);
  }
  if (outcome.status === "failed" || outcome.status === "refused") throw outcome.error;
  if (outcome.status === "cancelled") throw outcome.reason;
}
