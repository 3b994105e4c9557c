export { Command, isCommand } from "./command.ts";
export type { CommandParams } from "./command.ts";
export { END, INTERRUPT, START, WAITING } from "./constants.ts";
export type { Environment } from "./environment.ts";
export { getConfig, interrupt } from "./interrupt.ts";
export { sleep, sleepUntil, waitForEvent } from "./wait.ts";
export type { WaitForEventOptions } from "./wait.ts";
export type { EventTimeout, ReceivedEvent } from "./waited.ts";
export type { Duration, Time } from "./time.ts";
export type { Wait, Waiting } from "./question.ts";
export { Channel } from "./low-level/channel.ts";
export type {
  MultipleChannelSubscriptionOptions,
  SingleChannelSubscriptionOptions,
} from "./low-level/channel.ts";
export { ChannelWrite } from "./low-level/channel-write.ts";
export { Pregel } from "./low-level/pregel.ts";
export type { PregelParams } from "./low-level/pregel.ts";
export { PregelNode } from "./low-level/pregel-node.ts";
export type { PregelNodeArgs } from "./low-level/pregel-node.ts";
export { isLimitReached, LimitReachedError } from "./limits.ts";
export type { LimitReached, RunLimits } from "./limits.ts";
export type { Usage } from "./usage.ts";
export { RunnableGraph } from "./runnable-graph.ts";
export type { HistoryOptions, ReadOptions } from "./read-state.ts";
export type {
  Checkpointer,
  InvokeOptions,
  GraphOptions,
  RunOptions,
  StreamOptions,
} from "./pregel-options.ts";
export { parseRunInput } from "./run-input.ts";
export type { RunInput } from "./run-input.ts";
export { isSend, Send } from "./send.ts";
export type { MessageOptions, TextMessage } from "./text-message.ts";
export type { ResponseSchema, StandardSchema } from "./response-schema.ts";
export type { StateUpdate } from "./update-state.ts";
export type { InferInterruptInputType, InferInterruptResumeType } from "./infer-interrupt.ts";
export type { RunStream, StreamCall } from "./run-stream.ts";
export type { CheckpointChunk, Chunks, DebugChunk, StreamTypes, TaskChunk } from "./stream-types.ts";
export type {
  Ask,
  ExecutionInfo,
  InferWriterType,
  InterruptOptions,
  NodeConfig,
  PregelGraph,
  EngineNode,
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
