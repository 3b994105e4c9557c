/**
 * Tidemark's authoring API: what a graph is written with. It runs in Node, browsers and workers alike.
 *
 * @module
 */
export {
  AnyValue,
  BaseChannel,
  BinaryOperatorAggregate,
  EphemeralValue,
  LastValue,
  NamedBarrierValue,
  Overwrite,
  Topic,
  UntrackedValueChannel,
} from "./channels/index.ts";
export { BaseCheckpointSaver, MemorySaver } from "./checkpoint/index.ts";
export {
  EmptyChannelError,
  EmptyInputError,
  FrozenStateError,
  GraphBubbleUp,
  GraphInterrupt,
  GraphRecursionError,
  GraphValidationError,
  InvalidUpdateError,
  isGraphBubbleUp,
  isGraphInterrupt,
  isInterrupted,
  isInvalidResume,
  InvalidResumeError,
  isParentCommand,
  MultipleSubgraphsError,
  ParentCommand,
  ReducerError,
  ThreadInterruptedError,
  TidemarkError,
  UnknownInterruptError,
  UnknownNamespaceError,
  UnknownNodeError,
  UnreachableNodeError,
  UnserializableError,
} from "./errors.ts";
export type { Interrupt } from "./errors.ts";
export * from "./graph/index.ts";
export {
  Command,
  END,
  getConfig,
  INTERRUPT,
  interrupt,
  isCommand,
  isSend,
  Send,
  START,
} from "./pregel/index.ts";
export type {
  Checkpointer,
  InterruptOptions,
  MessageOptions,
  NodeConfig,
  ResponseSchema,
  RunnableConfig,
  RunOutcome,
  StateSnapshot,
  StateTask,
  StreamMode,
  TextMessage,
  Writer,
} from "./pregel/index.ts";
