import type { BaseChannel } from "../channels/base.ts";
import type {
  CheckpointConfigurable,
  CheckpointMetadata,
  MaybePromise,
  PendingWrite,
} from "../checkpoint/types.ts";
import type { BaseStore } from "../checkpoint/store/base-store.ts";
import type { Interrupt } from "../interrupt-error.ts";
import type { StreamMode } from "../stream-modes.ts";
import type { CachePolicy } from "./cache-policy.ts";
import type { Waiting } from "./question.ts";
import type { RunControl } from "./run-control.ts";
import type { LimitReached } from "./limits.ts";
import type { RetryPolicy } from "./retry.ts";
import type { Duration, Time } from "./time.ts";
import type { TimeoutPolicy } from "./timeout.ts";
import type { MessageOptions, TextMessage } from "./text-message.ts";
import type { ResponseSchema } from "./response-schema.ts";
import type { Usage } from "./usage.ts";

export type { StreamMode };

export interface InterruptOptions {
  /** What an answer has to be: a Standard Schema is checked, a JSON Schema is shown with the question. */
  readonly responseSchema?: ResponseSchema;
  /** When nobody has answered so long after the question was asked first, `default` is the answer. */
  readonly expiresIn?: Duration;
  /** As `expiresIn`, at a time. */
  readonly expiresAt?: Time;
  /** Goes with `expiresIn` or `expiresAt`. */
  readonly default?: unknown;
}

/** What a caller of a graph may say. `Context` is handed to nodes and never stored in a checkpoint. */
export interface RunnableConfig<Context = unknown> {
  readonly configurable?: CheckpointConfigurable;
  /** Supersteps of one run, 25 unless said otherwise. */
  readonly recursionLimit?: number;
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  /** How long the run may take, in milliseconds: then it is aborted. */
  readonly timeout?: number;
  readonly context?: Context;
  readonly runId?: string;
  /** How many tasks of a superstep run at the same time; all of them unless said otherwise. */
  readonly maxConcurrency?: number;
  /** Asks the run to stop between two supersteps. Nodes get one in any case. */
  readonly control?: RunControl;
  /** LangChain callbacks, handed on to nodes. */
  readonly callbacks?: unknown;
}

/** Where in a run a node is called, and for which time. */
export interface ExecutionInfo {
  readonly checkpointId: string;
  readonly checkpointNs: string;
  readonly taskId: string;
  readonly threadId: string | undefined;
  readonly runId: string | undefined;
  /**
   * An idempotency key for what the task does outside: the same for every attempt, after restarts too, and another one for
   * every task and every call of a `task()`. A UUID.
   */
  readonly effectKey: string;
  /** Counted from 1: a retry policy makes further attempts. */
  readonly nodeAttempt: number;
  /** Milliseconds since 1970. */
  readonly nodeFirstAttemptTime: number;
}

/** The server on which a run takes place, and who has started it. */
export interface ServerInfo {
  readonly assistantId: string;
  readonly graphId: string;
  readonly user?: { readonly identity: string; readonly [key: string]: unknown };
}

/** The type of the chunks of a `writer<Chunk>`. */
export type InferWriterType<Write> = Write extends (chunk: infer Chunk) => void ? Chunk : unknown;

export interface Writer<Chunk = unknown> {
  /** Emits a chunk of the stream mode `custom`. */
  (chunk: Chunk): void;
  /**
   * Emits text, piece by piece as it comes, in the stream mode `messages`, and returns the whole message. What a model
   * client of any kind gives as a stream of text can be passed through.
   */
  message(parts: AsyncIterable<string> | Iterable<string>, options?: MessageOptions): Promise<TextMessage>;
}

/** Asks a question: see `interrupt`. */
export type Ask = <Value, Answer = unknown>(value: Value, options?: InterruptOptions) => Answer;

/** What a node gets as its second argument. `Asking` and `Chunk` are what its graph was given as `interrupt` and `writer`. */
export interface NodeConfig<
  Context = unknown,
  Asking = unknown,
  Chunk = unknown,
> extends RunnableConfig<Context> {
  readonly signal: AbortSignal;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly writer: Writer<InferWriterType<Chunk>>;
  /** `interrupt`, or what the graph was given in its place: a record of questions by name, each with its types. */
  readonly interrupt: unknown extends Asking ? Ask : Asking;
  readonly executionInfo: ExecutionInfo;
  /** Where the run takes place on a server that says so. */
  readonly serverInfo?: ServerInfo;
  /** Long-term memory, when the graph was compiled with one. */
  readonly store?: BaseStore;
  /** Tells an `idleTimeout` that the node is at work. */
  readonly heartbeat: () => void;
  /** Counts what the node has used, by names of your own, against the limits of the run: `{ tokens: 12, usd: 0.01 }`. */
  readonly reportUsage: (used: Usage) => void;
}

/** What the writers of a node may look at. */
export interface WriteScope {
  readonly config: NodeConfig;
  /** Writes as they are applied and stored. */
  adopt(writes: readonly PendingWrite[]): readonly PendingWrite[];
  /** The named channels with the node's own writes applied to them, as a conditional edge sees the state. */
  readFresh(channels: string | readonly string[], writes: readonly PendingWrite[]): unknown;
}

/** A node as the engine runs it: what starts it, what it reads, what it does, and what its output means for channels. */
export interface EngineNode {
  readonly name: string;
  readonly triggers: readonly string[];
  /** One channel: its value. Several: an object of those that have a value. */
  readonly channels: string | readonly string[];
  /** Channels that must have a value for the node to run. */
  readonly requires?: readonly string[];
  /** Makes the node's input of what it reads; the arguments of a Send are the input as they are. */
  readonly mapper?: (read: unknown) => unknown;
  /** Hidden nodes appear in no stream. */
  readonly hidden: boolean;
  /** The graphs that it runs, as far as they are declared. */
  readonly subgraphs?: readonly Subgraph[];
  readonly run: (input: unknown, config: NodeConfig) => unknown;
  /** It writes nothing, whatever it returns. */
  readonly isSilent?: boolean;
  readonly write: (output: unknown, scope: WriteScope) => MaybePromise<readonly PendingWrite[]>;
  readonly retryPolicy?: RetryPolicy;
  readonly timeout?: TimeoutPolicy;
  /** The node that runs in the same superstep when this one has failed. */
  readonly errorHandlerNode?: string;
  readonly cachePolicy?: CachePolicy;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Whether it waits until nothing else is left to run; its channels see to that. */
  readonly defer?: boolean;
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

/** A graph that can run inside a task of another. */
export interface Subgraph {
  readonly lg_is_pregel: true;
  readonly graph: PregelGraph;
  /** A saver of its own; true: a history of its own in the saver of the graph around it; false: no saver at all. */
  readonly checkpointer: unknown;
}

/** A graph as the engine runs it. */
export interface PregelGraph {
  readonly name: string;
  readonly nodes: ReadonlyMap<string, EngineNode>;
  readonly channels: ReadonlyMap<string, BaseChannel>;
  /** One channel: it takes the input as it is. Several: each takes its key of the input. */
  readonly inputChannels: string | readonly string[];
  /** Throws a `RefusedError` for an input that the graph cannot take. */
  readonly checkInput: (value: unknown) => void;
  /** Throws an `InvalidArgumentError` for the keys of an update from outside when none of them is of the state. */
  readonly checkUpdate?: (keys: readonly string[]) => void;
  /** What `invoke` returns. */
  readonly outputChannels: string | readonly string[];
  /** What streams and `getState` show; the output channels unless said otherwise. */
  readonly streamChannels?: string | readonly string[];
  /** Absent where nothing is checked. */
  readonly schemas?: GraphSchemas;
  /** What nodes find as `config.interrupt`, in place of the function. */
  readonly interrupt?: unknown;
  /** For every channel the nodes that it starts, sorted by name. */
  readonly triggerToNodes: ReadonlyMap<string, readonly string[]>;
}

export interface StreamEvent {
  readonly mode: StreamMode;
  readonly payload: unknown;
  /** The graph it comes from, as the parts of its namespace; absent for the one that was started. */
  readonly namespace?: readonly string[];
  /** The checkpoints of the graph, and what is stored of its tasks, do not say the same. */
  readonly isUnstored?: true;
}

export interface StateTask {
  readonly id: string;
  readonly name: string;
  readonly path: readonly unknown[];
  readonly error?: unknown;
  readonly interrupts: readonly Interrupt[];
  /** What it waits for without asking; absent when that is nothing. */
  readonly waiting?: readonly Waiting[];
  /** What the task wrote, by channel; absent until it has finished. */
  readonly result?: unknown;
  /** Of the graph that the task runs: where to read its state, or, when asked for, the state. */
  readonly state?: RunnableConfig | StateSnapshot;
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
 * threw; none when the engine itself could not go on (recursion limit, a refused update). `limited`: one of the limits of
 * the run was reached before a superstep.
 */
export type RunOutcome =
  | { readonly status: "success"; readonly checkpointId?: string }
  | {
      readonly status: "interrupted";
      readonly checkpointId: string;
      readonly interrupts: readonly Interrupt[];
      readonly waiting: readonly Waiting[];
    }
  | {
      readonly status: "failed";
      readonly checkpointId?: string;
      readonly error: unknown;
      readonly failures: readonly TaskFailure[];
    }
  | ({ readonly status: "limited"; readonly checkpointId: string } & LimitReached)
  | { readonly status: "cancelled"; readonly checkpointId?: string; readonly reason: unknown }
  | { readonly status: "refused"; readonly error: Error };
