import type { JsonObject } from "../../directory/protocol.ts";
import type { RunLimits } from "../../pregel/limits.ts";
import type { StreamMode } from "../../stream-modes.ts";

/** What becomes of the runs under way when another one comes: it is refused, waits, ends them, or undoes and ends them. */
export type MultitaskStrategy = "reject" | "enqueue" | "interrupt" | "rollback";

/** All that a run is started with. */
export interface RunRequest {
  /** Absent: the thread's own, or the only one there is. */
  readonly graph?: string;
  /** What the caller has named: the id of an assistant, or a graph. */
  readonly assistant?: string;
  readonly input: RequestedInput;
  readonly config: RequestedConfig;
  readonly context?: unknown;
  readonly checkpointId?: string;
  /** The run is refused when the thread's newest checkpoint is another one when its turn comes. */
  readonly ifMatch?: string;
  /** Who gives the answers, for the record. */
  readonly answeredBy?: string;
  /** For whom, where that is another. */
  readonly onBehalfOf?: string;
  readonly onInterrupted: "refuse" | "discard";
  /** Absent: it waits for the runs before it. */
  readonly multitask?: MultitaskStrategy;
  /** How long the run waits before it enters the queue, in milliseconds. */
  readonly delay?: number;
  /** How long the run may take, in milliseconds. */
  readonly timeLimit?: number;
  /** Nodes at which the run stops, to be continued with no input. */
  readonly interruptBefore?: "*" | readonly string[];
  readonly interruptAfter?: "*" | readonly string[];
  /** How far the run may go before it pauses. */
  readonly limits?: RunLimits;
  /** What listeners may want to hear of. */
  readonly modes: readonly StreamMode[];
  /** The same as LangGraph's platform says it, when the run was started in its words: then its events are told in them. */
  readonly langGraphModes?: readonly LangGraphMode[];
  /** Whether they want to hear of graphs inside nodes too. */
  readonly subgraphs?: boolean;
  /** Listeners to the thread hear all there is, in the words of LangGraph's protocol of threads. */
  readonly isForProtocol?: boolean;
  /** Where it is told how the run came out; the graph's own, if it has one, when it is absent. */
  readonly webhook?: string;
  /** The trace that the run is a part of: the header of the request that has started it. */
  readonly traceparent?: string;
  /** What a thread says of itself that is made for the run. */
  readonly threadMetadata?: JsonObject;
}

export type RequestedInput =
  | { readonly kind: "continue" }
  | {
      readonly kind: "input";
      readonly value: unknown;
      /** On a thread that asks something it is the answer. */
      readonly mayAnswer?: boolean;
      /** Its sender has said what it does to a run under way, and so knows of that: while one goes on it is no answer. */
      readonly isFollowing?: boolean;
    }
  /** Answers by interrupt id. */
  | { readonly kind: "answers"; readonly answers: readonly (readonly [id: string, value: unknown])[] }
  | ({ readonly kind: "command" } & RequestedCommand);

export interface RequestedCommand {
  /** The answer to the one question there is. */
  readonly resume?: unknown;
  /** By channel, or pairs of a channel and a value. */
  readonly update?: Readonly<Record<string, unknown>> | readonly (readonly [string, unknown])[];
  readonly goto: readonly RequestedGoto[];
}

/** A node, or a node with an input of its own. */
export type RequestedGoto = string | { readonly node: string; readonly input: unknown };

export interface RequestedConfig {
  readonly recursionLimit?: number;
  readonly configurable?: Readonly<Record<string, unknown>>;
  /** Of a cron: which of its keys say who starts its runs. */
  readonly callerKeys?: readonly string[];
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** What LangGraph's platform calls the modes. */
export type LangGraphMode = StreamMode | "messages-tuple" | "events" | "lifecycle";
