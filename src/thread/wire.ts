import { isObject } from "../values/containers.ts";
import type { Interrupt } from "../interrupt-error.ts";
import type { Waiting } from "../pregel/question.ts";
import type { RunnableConfig, StateSnapshot, StateTask, StreamEvent } from "../pregel/types.ts";
import { stringifyJson } from "../json.ts";
import type { RunEnd } from "./runs/run-end.ts";
import type { NamedRun } from "./runs/run-protocol.ts";

/** The wire's dialect: snake_case, JSON. */

/** What a run answers when it has ended. */
export function wireAnswer({ threadId, runId }: NamedRun, end: RunEnd, values: unknown): unknown {
  return {
    thread_id: threadId,
    run_id: runId,
    status: end.status,
    values,
    next: end.next,
    interrupts: end.interrupts,
    ...waitingOf(end.waiting),
    checkpoint_id: end.checkpointId ?? null,
  };
}

/** What a run answers to those who want its values alone; always an object. */
export function wireValues({ interrupts }: RunEnd, values: unknown): unknown {
  if (interrupts.length === 0) return values ?? {};
  const own = isObject(values) ? values : {};
  return { ...own, __interrupt__: interrupts };
}

export type WireState = Readonly<Record<string, unknown>>;

/** `own`: what is asked by no task. */
export function wireState(
  threadId: string,
  snapshot: StateSnapshot,
  own: readonly Interrupt[] = [],
): WireState {
  return {
    values: snapshot.values,
    next: snapshot.next,
    tasks: snapshot.tasks.map((task) => wireTask(threadId, task)),
    metadata: snapshot.metadata ?? null,
    created_at: snapshot.createdAt ?? null,
    // Null as long as nothing was written.
    checkpoint:
      snapshot.config.configurable?.checkpoint_id === undefined
        ? null
        : wireCheckpoint(threadId, snapshot.config),
    parent_checkpoint:
      snapshot.parentConfig === undefined ? null : wireCheckpoint(threadId, snapshot.parentConfig),
    interrupts: [...snapshot.tasks.flatMap((task) => task.interrupts), ...own],
    ...waitingOf(snapshot.tasks.flatMap((task) => task.waiting ?? [])),
  };
}

export function wireCheckpoint(threadId: string, config: RunnableConfig): unknown {
  const checkpointId = config.configurable?.checkpoint_id;
  return {
    thread_id: threadId,
    checkpoint_ns: config.configurable?.checkpoint_ns ?? "",
    ...(checkpointId !== undefined && { checkpoint_id: checkpointId }),
  };
}

/** The mode of the chunk, then, where it is asked for, the nodes and tasks that it comes from. */
export function eventName({ mode, namespace = [] }: StreamEvent, withSubgraphs: boolean): string {
  return withSubgraphs ? [mode, ...namespace].join("|") : mode;
}

/** Absent where nothing is waited for. */
export function waitingOf(waiting: readonly Waiting[] = []): { readonly waiting?: readonly Waiting[] } {
  return waiting.length === 0 ? {} : { waiting };
}

function wireTask(threadId: string, task: StateTask): unknown {
  const { state } = task;
  const isRead = state !== undefined && "tasks" in state;
  return {
    id: task.id,
    name: task.name,
    path: task.path,
    // As text: clients of LangGraph parse it.
    error: task.error === undefined ? null : stringifyJson(task.error),
    interrupts: task.interrupts,
    ...waitingOf(task.waiting),
    result: task.result ?? null,
    // Where the state of the graph inside the task is read, or that state.
    checkpoint: state === undefined || isRead ? null : wireCheckpoint(threadId, state),
    state: isRead ? wireState(threadId, state) : null,
  };
}
