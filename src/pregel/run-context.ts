import type { BaseCheckpointSaver } from "../checkpoint/saver.ts";
import type { BaseStore } from "../checkpoint/store/base-store.ts";
import type { ChannelVersion, CheckpointConfig } from "../checkpoint/types.ts";
import type { NextVersion } from "./apply.ts";
import type { Breakpoints } from "./breakpoints.ts";
import type { Durability } from "./durability.ts";
import type { EnclosingTask } from "./enclosing-task.ts";
import type { Environment } from "./environment.ts";
import type { LimitWatch, RunStart } from "./limits.ts";
import type { WritesCache } from "./cache-policy.ts";
import type { Answers } from "./question.ts";
import type { Span } from "./span.ts";
import type { PregelGraph, RunnableConfig, StreamEvent, StreamMode } from "./types.ts";

export type Saver = BaseCheckpointSaver<ChannelVersion>;

/** All that one run works with, given from outside. */
export interface RunContext {
  readonly graph: PregelGraph;
  readonly saver: Saver | undefined;
  readonly environment: Environment;
  readonly config: RunnableConfig;
  readonly recursionLimit: number;
  readonly modes: ReadonlySet<StreamMode>;
  /** What chunks of `values` and `updates` show: one channel, or a record of several. */
  readonly outputKeys: string | readonly string[];
  /** A chunk of `values` follows the superstep that has changed one of these. */
  readonly watchedKeys: string | readonly string[];
  /** Modes that are wanted of the graphs inside its tasks too. */
  readonly nestedModes: ReadonlySet<StreamMode>;
  /** The ids of the messages that were shown; shared with the runs inside. */
  readonly seenMessages: Set<string>;
  /** Takes a chunk; must not throw. */
  readonly emit: (event: StreamEvent) => void;
  /**
   * Called when the run has ended well, with what the mode `values` would have shown last: reading them at every superstep
   * costs as much as there are channels.
   */
  readonly onResult: ((values: unknown) => void) | undefined;
  readonly signal: AbortSignal;
  /** How long the run may take, in milliseconds. */
  readonly timeout: number | undefined;
  /** Called right before the first commit that holds the run's input: after it, a run is re-entered without its input. */
  readonly onInputApplied: (lastStep: number, start: RunStart | undefined, step: number) => void;
  /** Of the run that was started, also where this one is inside of it. */
  readonly limits: LimitWatch | undefined;
  /** The step up to which the run may go, where an earlier attempt has begun to count. */
  readonly lastStep: number | undefined;
  /** Who wants to see what it does. */
  readonly span: Span | undefined;
  readonly onInterrupted: "refuse" | "discard";
  readonly breakpoints: Breakpoints | undefined;
  readonly store: BaseStore | undefined;
  readonly cache: WritesCache | undefined;
  readonly durability: Durability;
  /** How long a superstep may take, in milliseconds. */
  readonly stepTimeout: number | undefined;
  /** An earlier attempt of the same run was cut off: breakpoints that it did not get past hold. */
  readonly isReentry: boolean;
  /** Where graphs inside tasks are to stand: checkpoint ids by namespace. Of a run that was named a checkpoint inside a task. */
  readonly standsAt?: Readonly<Record<string, string>>;
  /** For a graph inside a task of another: that task, and what the checkpoints around it say. */
  readonly nesting?: Nesting;
}

/** How a run is a part of another. */
export interface Nesting {
  readonly task: EnclosingTask;
  /** The checkpoint of each graph around it, by namespace: `parents` of its own checkpoints. */
  readonly parents: Readonly<Record<string, string>>;
  /** The answers given there. */
  readonly answers: Answers;
  /** Whether its namespace holds the history of all visits, not of this task alone. */
  readonly keepsHistory: boolean;
  /** How many graphs the task has called before. */
  readonly ordinal: number;
}

export function nextVersionOf(saver: Saver | undefined): NextVersion {
  if (saver !== undefined) return (current) => saver.getNextVersion(current);
  return (current) => (typeof current === "number" ? current : 0) + 1;
}

/** As `checkpointConfig`, for a saver: it also gets what else the caller's `configurable` says. */
export function saverConfig(
  { configurable = {} }: CheckpointConfig | RunnableConfig,
  checkpointId?: string,
): CheckpointConfig {
  const { checkpoint_id: _id, thread_ts: _ts, checkpoint_map: _map, ...given } = configurable;
  return {
    configurable:
      checkpointId === undefined
        ? { checkpoint_ns: "", ...given }
        : { checkpoint_ns: "", ...given, checkpoint_id: checkpointId },
  };
}

/** Addresses a checkpoint of the run's thread; the newest one when no id is given. */
export function checkpointConfig(
  config: CheckpointConfig | RunnableConfig,
  checkpointId?: string,
): CheckpointConfig {
  const { thread_id, checkpoint_ns = "" } = config.configurable ?? {};
  if (thread_id === undefined)
    return {
      configurable:
        checkpointId === undefined ? { checkpoint_ns } : { checkpoint_ns, checkpoint_id: checkpointId },
    };
  return {
    configurable:
      checkpointId === undefined
        ? { thread_id, checkpoint_ns }
        : { thread_id, checkpoint_ns, checkpoint_id: checkpointId },
  };
}
