/** What happens in a run, in the words of LangGraph's protocol of threads, before it has its number. */
export interface ProtocolEvent {
  readonly method: ProtocolMethod;
  /** The nodes and tasks that lead to where it happens; empty for the graph that was started. */
  readonly namespace: readonly string[];
  readonly node?: string;
  readonly data: unknown;
}

export type ProtocolMethod =
  | "values"
  | "updates"
  | "checkpoints"
  | "messages"
  | "tools"
  | "lifecycle"
  | "input.requested"
  | "input.answered"
  | "tasks"
  | "custom";

/** The channel on which clients hear it. */
export function channelOf(method: string): string {
  return method.startsWith("input.") ? "input" : method;
}
