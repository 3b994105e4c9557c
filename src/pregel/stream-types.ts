import type { StateSnapshot, StreamMode } from "./types.ts";

/** What the chunks of a graph are made of. */
export interface StreamTypes {
  /** What a node writes. */
  readonly update: unknown;
  /** What nodes emit by their writer. */
  readonly custom: unknown;
  /** What `stream` gives when no mode is named. */
  readonly mode: StreamMode;
}

/** A task, when it begins (`input`) or when it ends (`result`). */
export interface TaskChunk {
  readonly id: string;
  readonly name: string;
  readonly interrupts: readonly unknown[];
  readonly input?: unknown;
  readonly triggers?: readonly string[];
  readonly result?: unknown;
  readonly error?: unknown;
}

export type CheckpointChunk<Values> = Pick<
  StateSnapshot<Values>,
  "config" | "metadata" | "next" | "parentConfig" | "tasks" | "values"
>;

export interface DebugChunk {
  readonly type: string;
  readonly step: number;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly payload: unknown;
}

/** The chunks by mode. */
export interface Chunks<Values, Types extends StreamTypes> {
  readonly values: Values;
  /** By node. */
  readonly updates: Readonly<Record<string, Types["update"]>>;
  readonly custom: Types["custom"];
  readonly messages: readonly [message: unknown, metadata: Readonly<Record<string, unknown>>];
  readonly tasks: TaskChunk;
  readonly checkpoints: CheckpointChunk<Values>;
  readonly debug: DebugChunk;
  readonly tools: unknown;
}

export type PairOf<Mode extends StreamMode, Values, Types extends StreamTypes> = {
  [M in Mode]: [mode: M, chunk: Chunks<Values, Types>[M]];
}[Mode];

export type TripleOf<Mode extends StreamMode, Values, Types extends StreamTypes> = {
  [M in Mode]: [namespace: readonly string[], mode: M, chunk: Chunks<Values, Types>[M]];
}[Mode];
