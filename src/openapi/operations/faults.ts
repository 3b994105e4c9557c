import type { ErrorCode } from "../../http/errors.ts";

/** What several routes can be refused with. */

export const OF_THREAD = ["thread_not_found"] as const satisfies readonly ErrorCode[];

export const OF_DIRECTORY = [
  "directory_missing",
  "directory_unavailable",
] as const satisfies readonly ErrorCode[];

/** Where an assistant may be named. */
export const OF_ASSISTANT = [
  ...OF_DIRECTORY,
  "assistant_not_found",
  "unknown_graph",
] as const satisfies readonly ErrorCode[];

/** Before a run is taken in. */
export const OF_START = [
  "thread_not_found",
  "checkpoint_not_found",
  "unknown_graph",
  "graph_required",
  "graph_mismatch",
  "empty_input",
  "invalid_input",
  "invalid_command",
  "invalid_limits",
  "invalid_webhook",
  "unknown_node",
  "context_too_large",
  "value_too_large",
  "interrupt_not_pending",
  "interrupt_answered",
  "interrupt_ambiguous",
  "thread_interrupted",
  "thread_busy",
  "thread_empty",
] as const satisfies readonly ErrorCode[];

/** When the end of a run is waited for. */
export const OF_END = [
  "run_cancelled",
  "thread_deleted",
  "run_timed_out",
  "run_pending",
  "blob_unavailable",
  "response_too_large",
] as const satisfies readonly ErrorCode[];

/** Where a state is read. */
export const OF_READING = [
  "thread_not_found",
  "blob_unavailable",
  "response_too_large",
] as const satisfies readonly ErrorCode[];
