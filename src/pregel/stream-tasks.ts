import type { PendingWrite } from "../checkpoint/types.ts";
import { describeError } from "../error-record.ts";
import type { TaskResult } from "./attempt.ts";
import type { LoopState } from "./loop-state.ts";
import { PUSH, RETURN } from "./constants.ts";
import { inputOf, isCalled, isTriggered, type PlannedTask } from "./plan.ts";
import { shownQuestions, shownWaits, type Question } from "./question.ts";
import { checkpointConfig } from "./run-context.ts";
import { isOutput, markOf, resultOf, shownChannels, writesByChannel } from "./stream.ts";
import { namespaceInside } from "./subgraphs.ts";
import type { StreamMode } from "./types.ts";

/** The chunks of the stream modes `tasks`, `checkpoints` and `debug`, which wraps both, in LangGraph's shapes. */

/** These tasks begin. */
export function emitTasks(loop: LoopState, tasks: readonly PlannedTask[]): void {
  if (!isWanted(loop, "tasks")) return;
  for (const task of tasks) {
    if (task.node?.hidden) continue;
    const metadata = metadataOf(loop, task);
    const chunk = {
      id: task.id,
      name: task.name,
      input: inputOf(loop.state, task),
      triggers: task.triggers.filter(
        (trigger) => trigger === PUSH || isTriggered(loop.state, task.name, trigger),
      ),
      interrupts: [],
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    };
    emit(loop, "tasks", "task", loop.step + 1, chunk, task);
  }
}

/** What the caller and the node say of a task; where it is, the chunk says itself. */
function metadataOf({ run: { config } }: LoopState, { node }: PlannedTask): Record<string, unknown> {
  const given = Object.entries({ ...config.metadata, ...node?.metadata }).filter(
    ([key]) => !OF_TASK.has(key),
  );
  const tags = config.tags?.filter((tag) => !tag.startsWith("seq:step")) ?? [];
  return { ...Object.fromEntries(given), ...(tags.length === 0 ? {} : { tags }) };
}

const OF_TASK: ReadonlySet<string> = new Set([
  "thread_id",
  "checkpoint_id",
  "checkpoint_ns",
  "checkpoint_map",
  "langgraph_step",
  "langgraph_node",
  "langgraph_triggers",
  "langgraph_path",
  "langgraph_checkpoint_ns",
]);

/** This task has come to a result, or waits. */
export function emitTaskResult(loop: LoopState, task: PlannedTask, result: TaskResult): void {
  if (!isWanted(loop, "tasks") || task.node?.hidden) return;
  // The questions of a task that another has called are the other's too, who shows them.
  if (result.status === "interrupted" && isCalled(task)) return;
  const chunk = {
    id: task.id,
    name: task.name,
    result: result.status === "done" ? writesByChannel(visibleWrites(loop, result.writes)) : {},
    ...pausesOf(result.status === "interrupted" ? result.questions : []),
    error: "error" in result ? describeError(result.error) : null,
  };
  emit(loop, "tasks", "task_result", loop.step + 1, chunk, task);
}

/** The checkpoint that the run stands at. */
export function emitCheckpoint(loop: LoopState): void {
  const { run, metadata, checkpointId } = loop;
  if (run.saver === undefined || checkpointId === undefined || !isWanted(loop, "checkpoints")) return;
  const tasks = loop.plan();
  emit(loop, "checkpoints", "checkpoint", loop.step, {
    config: configOf(loop, checkpointId),
    values: loop.state.readAll(shownChannels(run.graph)) ?? null,
    metadata,
    next: tasks.map((task) => task.name),
    tasks: tasks.map((task) => taskOf(loop, task)),
    ...(loop.parentId === undefined ? {} : { parentConfig: configOf(loop, loop.parentId) }),
  });
}

function taskOf(loop: LoopState, task: PlannedTask): unknown {
  const error = loop.pending.errorOf(task.id);
  const output = loop.pending.outputOf(task.id);
  const namespace = namespaceInside(task.node?.subgraphs, loop.namespace, task);
  const configurable = { ...checkpointConfig(loop.run.config).configurable, checkpoint_ns: namespace };
  return {
    id: task.id,
    name: task.name,
    path: task.path,
    ...pausesOf(loop.pending.questionsOf(task.id)),
    ...(output === undefined || error !== undefined ? {} : { result: outputOf(loop, output) }),
    ...(error === undefined ? {} : { error }),
    ...(namespace === undefined ? {} : { state: { configurable } }),
  };
}

function pausesOf(questions: readonly Question[]): Record<string, unknown> {
  const waiting = shownWaits(questions);
  return { interrupts: shownQuestions(questions), ...(waiting.length === 0 ? {} : { waiting }) };
}

function configOf(loop: LoopState, checkpointId: string): unknown {
  const { configurable } = checkpointConfig(loop.run.config, checkpointId);
  const parents = loop.run.nesting?.parents;
  return {
    configurable:
      parents === undefined
        ? configurable
        : { ...configurable, checkpoint_map: { ...parents, [loop.namespace]: checkpointId } },
  };
}

/** What a task has come to; a `task()` what it has returned. */
export function outputOf(loop: LoopState, writes: readonly PendingWrite[]): unknown {
  const returned = writes.find(([channel]) => channel === RETURN);
  return returned === undefined ? resultOf(loop.run.graph, visibleWrites(loop, writes)) : returned[1];
}

function visibleWrites({ run: { graph } }: LoopState, writes: readonly PendingWrite[]): PendingWrite[] {
  return writes.filter(([channel]) => isOutput(graph, channel));
}

function isWanted({ run }: LoopState, mode: StreamMode): boolean {
  return run.modes.has(mode) || run.modes.has("debug");
}

function emit(
  loop: LoopState,
  mode: StreamMode,
  type: string,
  step: number,
  payload: unknown,
  task?: PlannedTask,
): void {
  const { run } = loop;
  const mark = markOf(loop, task);
  if (run.modes.has(mode)) run.emit({ mode, payload, ...mark });
  if (!run.modes.has("debug")) return;
  const timestamp = new Date(run.environment.now()).toISOString();
  run.emit({ mode: "debug", payload: { step, type, timestamp, payload }, ...mark });
}
