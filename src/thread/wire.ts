import type { RunnableConfig, StateSnapshot, StateTask } from "../pregel/types.ts";
import type { RunEnd } from "./run-end.ts";

/** The wire's dialect: snake_case, JSON. */

/** What a run answers when it has ended. */
export function wireAnswer(threadId: string, runId: string, end: RunEnd, values: unknown): unknown {
  return {
    thread_id: threadId,
    run_id: runId,
    status: end.status,
    values,
    next: end.next,
    interrupts: end.interrupts,
    checkpoint_id: end.checkpointId ?? null,
  };
}

export function wireState(threadId: string, snapshot: StateSnapshot): unknown {
  return {
    values: snapshot.values,
    next: snapshot.next,
    tasks: snapshot.tasks.map(wireTask),
    metadata: snapshot.metadata ?? null,
    created_at: snapshot.createdAt ?? null,
    checkpoint: wireCheckpoint(threadId, snapshot.config),
    parent_checkpoint:
      snapshot.parentConfig === undefined ? null : wireCheckpoint(threadId, snapshot.parentConfig),
    interrupts: snapshot.tasks.flatMap((task) => task.interrupts),
  };
}

export function wireCheckpoint(threadId: string, config: RunnableConfig): unknown {
  return {
    thread_id: threadId,
    checkpoint_ns: config.configurable?.checkpoint_ns ?? "",
    checkpoint_id: config.configurable?.checkpoint_id ?? null,
  };
}

function wireTask(task: StateTask): unknown {
  return {
    id: task.id,
    name: task.name,
    path: task.path,
    error: task.error ?? null,
    interrupts: task.interrupts,
    result: task.result ?? null,
    checkpoint: null,
    state: null,
  };
}
