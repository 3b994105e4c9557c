export { Command, isCommand } from "./command.ts";
export type { CommandParams } from "./command.ts";
export { END, INTERRUPT, START } from "./constants.ts";
export type { Environment } from "./environment.ts";
export { getConfig, interrupt } from "./interrupt.ts";
export { Pregel } from "./pregel.ts";
export type { HistoryOptions, ReadOptions } from "./read-state.ts";
export type {
  Checkpointer,
  InvokeOptions,
  PregelOptions,
  RunOptions,
  StreamOptions,
} from "./pregel-options.ts";
export { parseRunInput } from "./run-input.ts";
export type { RunInput } from "./run-input.ts";
export { isSend, Send } from "./send.ts";
export type { MessageOptions, TextMessage } from "./stream-messages.ts";
export type { ResponseSchema, StandardSchema } from "./response-schema.ts";
export type { StateUpdate } from "./update-state.ts";
export type {
  InterruptOptions,
  NodeConfig,
  PregelGraph,
  PregelNode,
  RunnableConfig,
  RunOutcome,
  StateSnapshot,
  StateTask,
  StreamEvent,
  StreamMode,
  TaskFailure,
  Subgraph,
  WriteScope,
  Writer,
} from "./types.ts";
