import type { BaseChannel } from "../channels/base.ts";
import type {
  CheckpointConfigurable,
  CheckpointMetadata,
  MaybePromise,
  PendingWrite,
} from "../checkpoint/types.ts";
import type { BaseStore } from "../checkpoint/store/base-store.ts";
import type { Interrupt } from "../errors.ts";
import type { CachePolicy } from "./node-cache.ts";
import type { RunControl } from "./run-control.ts";
import type { RetryPolicy } from "./retry.ts";
import type { TimeoutPolicy } from "./timeout.ts";

export type StreamMode = "values" | "updates" | "custom";

/** What a caller of a graph may say. `Context` is handed to nodes and never stored in a checkpoint. */
export interface RunnableConfig<Context = unknown> {
  readonly configurable?: CheckpointConfigurable;
  /** Supersteps of one run, 25 unless said otherwise. */
  readonly recursionLimit?: number;
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  readonly context?: Context;
  readonly runId?: string;
  /** How many tasks of a superstep run at the same time; all of them unless said otherwise. */
  readonly maxConcurrency?: number;
  /** Asks the run to stop between two supersteps. */
  readonly control?: RunControl;
}

/** Where in a run a node is called, and for which time. */
export interface ExecutionInfo {
  readonly checkpointId: string;
  readonly checkpointNs: string;
  readonly taskId: string;
  readonly threadId: string | undefined;
  readonly runId: string | undefined;
  /** Counted from 1: a retry policy makes further attempts. */
  readonly nodeAttempt: number;
  /** Milliseconds since 1970. */
  readonly nodeFirstAttemptTime: number;
}

/** What a node gets as its second argument. */
export interface NodeConfig<Context = unknown> extends RunnableConfig<Context> {
  readonly signal: AbortSignal;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Emits a chunk of the stream mode `custom`. */
  readonly writer: (chunk: unknown) => void;
  readonly interrupt: <Value, Answer = unknown>(value: Value) => Answer;
  readonly executionInfo: ExecutionInfo;
  /** Long-term memory, when the graph was compiled with one. */
  readonly store?: BaseStore;
  /** Tells an `idleTimeout` that the node is at work. */
  readonly heartbeat: () => void;
}

/** What the writers of a node may look at. */
export interface WriteScope {
  readonly config: NodeConfig;
  /** The named channels with the node's own writes applied to them, as a conditional edge sees the state. */
  readFresh(channels: readonly string[], writes: readonly PendingWrite[]): Record<string, unknown>;
}

/** A node of the engine: what starts it, what it reads, what it does, and what its output means for channels. */
export interface PregelNode {
  readonly name: string;
  readonly triggers: readonly string[];
  /** One channel: its value. Several: an object of those that have a value. */
  readonly channels: string | readonly string[];
  /** Hidden nodes appear in no stream. */
  readonly hidden: boolean;
  readonly run: (input: unknown, config: NodeConfig) => unknown;
  readonly write: (output: unknown, scope: WriteScope) => MaybePromise<readonly PendingWrite[]>;
  readonly retryPolicy?: RetryPolicy;
  readonly timeout?: TimeoutPolicy;
  /** The node that runs in the same superstep when this one has failed. */
  readonly errorHandlerNode?: string;
  readonly cachePolicy?: CachePolicy;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Whether it waits until nothing else is left to run; its channels see to that. */
  readonly defer?: boolean;
  /** Graphs that the node calls, where that cannot be seen from outside. */
  readonly subgraphs?: readonly unknown[];
  /** Nodes its Commands may go to. */
  readonly ends?: readonly string[];
}

/**
 * What the schemas of a graph make of what comes from outside. Each throws a `RefusedError` for what does not fit; what
 * it returns is what counts.
 */
export interface GraphSchemas {
  /** An input that has passed `checkInput`. */
  readonly input: (value: unknown) => MaybePromise<unknown>;
  /** What a Command writes. */
  readonly update: (writes: readonly PendingWrite[]) => MaybePromise<readonly PendingWrite[]>;
  /** The config with the context that nodes get. */
  readonly context: (config: RunnableConfig) => MaybePromise<RunnableConfig>;
}

/** A graph as the engine runs it. */
export interface PregelGraph {
  readonly name: string;
  readonly nodes: ReadonlyMap<string, PregelNode>;
  readonly channels: ReadonlyMap<string, BaseChannel>;
  readonly inputChannel: string;
  /** Throws a `RefusedError` for an input that the graph cannot take. */
  readonly checkInput: (value: unknown) => void;
  /** What `invoke` returns. */
  readonly outputChannels: string | readonly string[];
  /** What streams and `getState` show; the output channels unless said otherwise. */
  readonly streamChannels?: readonly string[];
  /** Absent where nothing is checked. */
  readonly schemas?: GraphSchemas;
  /** For every channel the nodes that it starts, sorted by name. */
  readonly triggerToNodes: ReadonlyMap<string, readonly string[]>;
}

export interface StreamEvent {
  readonly mode: StreamMode;
  readonly payload: unknown;
}

export interface StateTask {
  readonly id: string;
  readonly name: string;
  readonly path: readonly unknown[];
  readonly error?: unknown;
  readonly interrupts: readonly Interrupt[];
  /** What the task wrote, by channel; absent until it has finished. */
  readonly result?: unknown;
}

export interface StateSnapshot<Values = Record<string, unknown>> {
  readonly values: Values;
  /** Names of the nodes that run next. */
  readonly next: readonly string[];
  readonly config: RunnableConfig;
  readonly metadata?: CheckpointMetadata;
  /** ISO 8601. */
  readonly createdAt?: string;
  readonly parentConfig?: RunnableConfig;
  readonly tasks: readonly StateTask[];
}

export interface TaskFailure {
  readonly node: string;
  readonly taskId: string;
  readonly error: unknown;
}

/**
 * How a run ended. `refused`: it was not started and nothing was changed. `failed`: `failures` names the nodes that
 * threw; none when the engine itself could not go on (recursion limit, a refused update).
 */
export type RunOutcome =
  | { readonly status: "success"; readonly checkpointId?: string }
  | {
      readonly status: "interrupted";
      readonly checkpointId: string;
      readonly interrupts: readonly Interrupt[];
    }
  | {
      readonly status: "failed";
      readonly checkpointId?: string;
      readonly error: unknown;
      readonly failures: readonly TaskFailure[];
    }
  | { readonly status: "cancelled"; readonly checkpointId?: string; readonly reason: unknown }
  | { readonly status: "refused"; readonly error: Error };
