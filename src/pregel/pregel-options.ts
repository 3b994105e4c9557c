import type { BaseCheckpointSaver } from "../checkpoint/saver.ts";
import type { BaseStore } from "../checkpoint/store/base-store.ts";
import type { ChannelVersion } from "../checkpoint/types.ts";
import type { BreakpointNodes } from "./breakpoints.ts";
import type { DurabilityOptions } from "./durability.ts";
import type { Environment } from "./environment.ts";
import type { LimitOptions, RunLimits, RunStart } from "./limits.ts";
import type { WritesCache } from "./cache-policy.ts";
import type { Span } from "./span.ts";
import type { PregelGraph, RunnableConfig, StreamEvent, StreamMode } from "./types.ts";

export interface GraphOptions {
  readonly graph: PregelGraph;
  readonly environment: Environment;
  readonly checkpointer?: Checkpointer | undefined;
  /** Where runs stop: see `InvokeOptions`. */
  readonly interruptBefore?: BreakpointNodes | undefined;
  readonly interruptAfter?: BreakpointNodes | undefined;
  readonly store?: BaseStore | undefined;
  /** Where nodes with a `cachePolicy` keep their results. */
  readonly cache?: WritesCache | undefined;
  /** How long a superstep may take, in milliseconds. */
  readonly stepTimeout?: number | undefined;
  /** What `stream` gives when it is not said; `values` unless said otherwise. */
  readonly streamMode?: StreamMode | readonly StreamMode[] | undefined;
  /** What goes with every call: see `withConfig`. */
  readonly config?: RunnableConfig | undefined;
}

/**
 * Where a graph keeps its checkpoints. A graph inside a task uses the saver of the graph around it: by default it begins
 * anew in every task, with `true` it keeps one history over all of them, with `false` it keeps nothing.
 */
export type Checkpointer = BaseCheckpointSaver<ChannelVersion> | boolean;

export interface InvokeOptions<Context = unknown> extends RunnableConfig<Context>, DurabilityOptions {
  /** What becomes of a pending question when new input comes: refuse the input (the default), or discard the question. */
  readonly onInterrupted?: "refuse" | "discard";
  /** Stops before (after) these nodes, or all of them ("*"), in place of where the graph says. Go on with null. */
  readonly interruptBefore?: BreakpointNodes;
  readonly interruptAfter?: BreakpointNodes;
  /** How far the run may go: it then ends with a `LimitReachedError`, and goes on with null. */
  readonly limits?: RunLimits;
  /** Channels that give the result in place of the graph's own. */
  readonly outputKeys?: string | readonly string[];
}

/** Any but `values` alone. */
export type ChunkModes = Exclude<StreamMode, "values"> | readonly StreamMode[];

export interface StreamOptions<Context = unknown> extends InvokeOptions<Context> {
  /** One mode: chunks. A list: pairs of mode and chunk. */
  readonly streamMode?: StreamMode | readonly StreamMode[] | undefined;
  /** Also the chunks of graphs inside tasks; each chunk then comes behind the namespace it is from. */
  readonly subgraphs?: boolean;
  /** The chunks as server-sent events, ready to be the body of a `Response`. */
  readonly encoding?: "text/event-stream" | undefined;
}

/** Options of a stream but for what its chunks depend on. */
export type ChunkOptions<Context> = Omit<StreamOptions<Context>, "encoding" | "streamMode" | "subgraphs"> & {
  readonly encoding?: undefined;
};

/** What runs a graph elsewhere than in the caller's process: another saver, clock and listener. */
export interface RunOptions<Context = unknown> extends InvokeOptions<Context> {
  readonly checkpointer?: BaseCheckpointSaver<ChannelVersion>;
  readonly environment?: Environment;
  readonly modes?: ReadonlySet<StreamMode>;
  readonly subgraphs?: boolean;
  readonly emit?: (event: StreamEvent) => void;
  /** See `RunContext`. */
  readonly watchedKeys?: string | readonly string[];
  /** Gets the values that the run ended with. */
  readonly onResult?: (values: unknown) => void;
  /**
   * Gets the step up to which the run may go, and, when it has limits, where it begins to count; an attempt that goes on with
   * the run is given them as `lastStep` and `limitOptions.start`. `step`: of the checkpoint that holds the input.
   */
  readonly onInputApplied?: (lastStep: number, start: RunStart | undefined, step: number) => void;
  readonly lastStep?: number;
  readonly limitOptions?: LimitOptions;
  readonly store?: BaseStore;
  readonly cache?: WritesCache;
  /** An earlier attempt of the same run was cut off. */
  readonly isReentry?: boolean;
  /** The run itself, for who wants to see what it does. */
  readonly span?: Span;
}
