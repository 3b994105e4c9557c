/**
 * Tidemark's authoring API: what a graph is written with. It runs in Node, browsers and workers alike.
 *
 * @module
 */
export {
  AnyValue,
  BaseChannel,
  BinaryOperatorAggregate,
  DeltaChannel,
  EphemeralValue,
  IsLastStep,
  LastValue,
  NamedBarrierValue,
  Overwrite,
  RemainingSteps,
  Topic,
  UntrackedValueChannel,
} from "./channels/index.ts";
export type { BinaryOperator, OverwriteUpdate, OverwriteUpdate as OverwriteValue } from "./channels/index.ts";
export {
  AsyncBatchedStore,
  BaseCache,
  BaseCheckpointSaver,
  BaseStore,
  InMemoryCache,
  InMemoryStore,
  MemorySaver,
  registerCodec,
} from "./checkpoint/index.ts";
export type { Codec, Item, SearchItem } from "./checkpoint/index.ts";
export {
  EmptyInputError,
  ThreadInterruptedError,
  TidemarkError,
  TidemarkError as BaseLangGraphError,
  UnknownInterruptError,
  UnknownNamespaceError,
  UnserializableError,
} from "./errors.ts";
export {
  ChannelLoadError,
  EmptyChannelError,
  FrozenStateError,
  GraphRecursionError,
  GraphValidationError,
  InvalidUpdateError,
  ReducerError,
  StateGraphInputError,
  UnknownNodeError,
  UnreachableNodeError,
} from "./graph-errors.ts";
export {
  GraphBubbleUp,
  GraphInterrupt,
  isGraphBubbleUp,
  isGraphInterrupt,
  isInterrupted,
} from "./interrupt-error.ts";
export { isParentCommand, MultipleSubgraphsError, ParentCommand } from "./pregel/nested-errors.ts";
export { InvalidResumeError, isInvalidResume, isUnknownInterruptError } from "./pregel/resume-error.ts";
export type { Interrupt } from "./interrupt-error.ts";
export * from "./graph/index.ts";
export {
  GraphDrained,
  isGraphDrained,
  isNodeError,
  isNodeTimeoutError,
  NodeError,
  NodeTimeoutError,
  StepTimeoutError,
} from "./pregel/policy-errors.ts";
export { GraphValueError, MissingCheckpointerError } from "./pregel/value-errors.ts";
export { copyCheckpoint, emptyCheckpoint } from "./pregel/checkpoints.ts";
export { RunControl } from "./pregel/run-control.ts";
export type { Durability } from "./pregel/durability.ts";
export type { CachePolicy } from "./pregel/cache-policy.ts";
export { durableFetch, type DurableFetchOptions } from "./graph/durable-fetch.ts";
export { getCurrentTaskInput, getStore, getWriter, reportUsage, writer } from "./pregel/task-functions.ts";
export type { RetryPolicy } from "./pregel/retry.ts";
export type { TimeoutPolicy } from "./pregel/timeout.ts";
export {
  Command,
  Command as CommandInstance,
  END,
  getConfig,
  INTERRUPT,
  interrupt,
  isCommand,
  isLimitReached,
  isSend,
  LimitReachedError,
  Send,
  sleep,
  sleepUntil,
  START,
  waitForEvent,
  WAITING,
} from "./pregel/index.ts";
export type {
  Ask,
  CheckpointChunk,
  Checkpointer,
  Chunks,
  CommandParams,
  DebugChunk,
  Duration,
  EventTimeout,
  ExecutionInfo,
  InferInterruptInputType,
  InferInterruptResumeType,
  InferWriterType,
  InterruptOptions,
  LimitReached,
  MessageOptions,
  NodeConfig,
  ReceivedEvent,
  ResponseSchema,
  RunLimits,
  RunnableConfig,
  RunOutcome,
  StateSnapshot,
  StateTask,
  StreamMode,
  StreamTypes,
  TaskChunk,
  TextMessage,
  Time,
  Usage,
  Waiting,
  WaitForEventOptions,
  Writer,
} from "./pregel/index.ts";
