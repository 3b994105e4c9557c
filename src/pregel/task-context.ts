import { AsyncContext } from "#async-context";
import type { PendingWrite } from "../checkpoint/types.ts";
import type { NodeConfig } from "./types.ts";

/** What the functions a node may call from anywhere inside it know of the running task. */
export interface TaskContext {
  readonly config: NodeConfig;
  /** Adds writes to those that the node's output will mean. Writes to unknown channels are dropped. */
  readonly send?: (writes: readonly PendingWrite[]) => void;
  /** Shows a message in the stream, where one is listened to. */
  readonly emitMessage?: (message: object) => void;
  readonly input: unknown;
}

export const taskContext = new AsyncContext<TaskContext>();
