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
export type {
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
  WriteScope,
} from "./types.ts";
