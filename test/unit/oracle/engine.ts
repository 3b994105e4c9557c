import * as theirLibrary from "@langchain/langgraph";
import * as ourLibrary from "tidemark";

/**
 * What a test needs of either library, typed as loosely as the two have it in common. A graph that is built through this
 * type is built by the same code on both.
 */
export interface Library {
  readonly StateGraph: new (state: unknown) => Builder;
  readonly Annotation: ((options?: unknown) => unknown) & { Root(spec: Record<string, unknown>): unknown };
  readonly Command: new (params: Record<string, unknown>) => object;
  readonly Send: new (node: string, args: unknown, options?: object) => object;
  readonly Overwrite: new (value: unknown) => object;
  readonly MemorySaver: new () => Saver;
  readonly RunControl: new () => RunControl;
  readonly StateSchema: new (fields: Record<string, unknown>) => unknown;
  readonly ReducedValue: new (schema: unknown, options: object) => unknown;
  readonly UntrackedValue: new (schema: unknown) => unknown;
  readonly interrupt: (value: unknown, options?: unknown) => unknown;
  readonly task: (
    options: string | object,
    run: (...args: never[]) => unknown,
  ) => (...args: unknown[]) => Promise<unknown>;
  readonly entrypoint: EntrypointFactory;
  readonly getPreviousState: () => unknown;
  readonly getWriter: () => (chunk: unknown) => void;
  readonly pushMessage: (message: unknown, options?: { readonly stateKey?: string | null }) => unknown;
}

export interface RunControl {
  readonly drainRequested: boolean;
  readonly drainReason: string | undefined;
  requestDrain(reason?: string): void;
}

export interface EntrypointFactory {
  (
    options: { name: string; checkpointer?: Saver | boolean; cache?: unknown },
    run: (input: never) => unknown,
  ): Compiled;
  final(parts: { value?: unknown; save?: unknown }): unknown;
}

export type State = Record<string, unknown>;
export type NodeFunction = (state: State, config: NodeConfig) => unknown;

export interface NodeConfig {
  readonly writer?: (chunk: unknown) => void;
  readonly signal?: AbortSignal;
  readonly heartbeat?: () => void;
  readonly executionInfo?: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

export interface Builder {
  addNode(name: string, action: NodeFunction | Compiled, options?: Record<string, unknown>): Builder;
  addEdge(source: string | readonly string[], target: string): Builder;
  addConditionalEdges(source: string, path: (state: State) => unknown, pathMap?: unknown): Builder;
  compile(options?: CompileOptions): Compiled;
}

export interface CompileOptions {
  readonly checkpointer?: Saver | boolean;
  readonly [key: string]: unknown;
}

export interface Config {
  readonly configurable?: Record<string, unknown>;
  readonly [key: string]: unknown;
}

export interface Snapshot {
  readonly values: State;
  readonly next: readonly string[];
  readonly config: Config;
  readonly metadata?: { readonly source: string; readonly step: number };
  readonly parentConfig?: Config;
  readonly tasks: readonly SnapshotTask[];
}

export interface SnapshotTask {
  readonly id: string;
  readonly name: string;
  readonly path: readonly unknown[];
  readonly error?: unknown;
  readonly interrupts: readonly { readonly id?: string; readonly value?: unknown }[];
  readonly result?: unknown;
  readonly state?: Config | Snapshot;
}

export interface HistoryOptions {
  readonly limit?: number;
  readonly filter?: Readonly<Record<string, unknown>>;
  readonly before?: Config | undefined;
}

export interface Compiled {
  invoke(input: unknown, config?: Config): Promise<State>;
  stream(input: unknown, config?: Config): AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>;
  getState(config: Config, options?: { subgraphs?: boolean }): Promise<Snapshot>;
  getStateHistory(config: Config, options?: HistoryOptions): AsyncIterable<Snapshot>;
  clearCache?(): Promise<void>;
  updateState(config: Config, values: unknown, asNode?: string): Promise<Config>;
  bulkUpdateState(
    config: Config,
    steps: readonly { updates: readonly { values: unknown; asNode?: string }[] }[],
  ): Promise<Config>;
}

export interface SavedTuple {
  readonly config: Config;
  readonly checkpoint: {
    readonly id: string;
    readonly channel_values: Record<string, unknown>;
    readonly channel_versions: Record<string, unknown>;
    readonly versions_seen: Record<string, Record<string, unknown>>;
  };
  readonly metadata?: {
    readonly source: string;
    readonly step: number;
    readonly parents?: Readonly<Record<string, string>>;
  };
  readonly parentConfig?: Config;
  readonly pendingWrites?: readonly (readonly [string, string, unknown])[];
}

export interface Saver {
  put(config: Config, checkpoint: { readonly id: string }, ...rest: unknown[]): Promise<Config>;
  putWrites(
    config: Config,
    writes: readonly (readonly [string, unknown])[],
    taskId: string,
    taskPath?: string,
  ): Promise<void>;
  list(config: Config): AsyncIterable<SavedTuple>;
}

export const START = "__start__";
export const END = "__end__";

// The two have different types for what is the same at run time: that it is, is what the tests are about.
export const ours = ourLibrary as unknown as Library;
export const theirs = theirLibrary as unknown as Library;
