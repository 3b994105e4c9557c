/** What may be told of a run while it goes on, by LangGraph's names. */
export const STREAM_MODES = [
  "values",
  "updates",
  "custom",
  "messages",
  "tasks",
  "checkpoints",
  "debug",
  "tools",
] as const;

export type StreamMode = (typeof STREAM_MODES)[number];
