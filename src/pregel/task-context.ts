import { AsyncContext } from "#async-context";
import type { NodeConfig } from "./types.ts";

/** What the functions a node may call from anywhere inside it know of the running task. */
export interface TaskContext {
  readonly config: NodeConfig;
  readonly input: unknown;
}

export const taskContext = new AsyncContext<TaskContext>();
