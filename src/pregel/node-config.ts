import type { PendingWrite } from "../checkpoint/types.ts";
import { adopt, handOut } from "../adopt.ts";
import { updateChannel } from "./apply.ts";
import type { AttemptScope } from "./attempt-scope.ts";
import { NAMESPACE_END, NAMESPACE_SEPARATOR, NODE_ERROR } from "./constants.ts";
import { setOwn, type GraphState } from "./graph-state.ts";
import type { LoopState } from "./loop-state.ts";
import type { PlannedTask } from "./plan.ts";
import type { ExecutionInfo, NodeConfig, WriteScope } from "./types.ts";
import { normaliseWrites } from "./writes.ts";

/** The config that a node gets: the caller's, and where in the run it is. `ask` answers `interrupt`. */
export function nodeConfig(
  loop: LoopState,
  task: Pick<PlannedTask, "id" | "name" | "path" | "triggers" | "handles" | "namespace">,
  attempt: AttemptScope,
  ask: (value: unknown) => unknown,
): NodeConfig {
  const { run } = loop;
  const own = loop.namespace === "" ? task.name : `${loop.namespace}${NAMESPACE_SEPARATOR}${task.name}`;
  const namespace = task.namespace ?? own;
  const checkpointNs = `${namespace}${NAMESPACE_END}${task.id}`;
  return {
    ...run.config,
    ...(task.handles === undefined
      ? {}
      : { configurable: { ...run.config.configurable, [NODE_ERROR]: task.handles } }),
    signal: attempt.signal,
    metadata: {
      ...run.config.metadata,
      langgraph_step: loop.step + 1,
      langgraph_node: task.name,
      langgraph_triggers: task.triggers,
      langgraph_path: task.path,
      langgraph_checkpoint_ns: checkpointNs,
    },
    writer: (chunk) => {
      if (loop.hasEnded || attempt.isOver) return;
      attempt.progress();
      if (run.modes.has("custom")) run.emit({ mode: "custom", payload: chunk });
    },
    heartbeat: attempt.heartbeat,
    ...(run.store === undefined ? {} : { store: run.store }),
    executionInfo: executionInfo(loop, task.id, checkpointNs, attempt),
    // The caller of `interrupt` says what type it expects: an answer comes from outside and is not checked here.
    interrupt: <Value, Answer>(value: Value): Answer => ask(value) as Answer,
  };
}

function executionInfo(
  loop: LoopState,
  taskId: string,
  checkpointNs: string,
  attempt: AttemptScope,
): ExecutionInfo {
  const { configurable, runId } = loop.run.config;
  return {
    checkpointId: loop.checkpointId ?? "",
    checkpointNs,
    taskId,
    threadId: configurable?.thread_id,
    runId,
    nodeAttempt: attempt.number,
    nodeFirstAttemptTime: attempt.firstTime,
  };
}

/** What a node's writers may look at: the state as its own writes, and those `sent` while it ran, leave it. */
export function writeScope(
  loop: LoopState,
  config: NodeConfig,
  sent: readonly PendingWrite[] = [],
): WriteScope {
  return {
    config,
    readFresh: (names, writes) => readFresh(loop.state, names, normaliseWrites([...sent, ...writes])),
  };
}

function readFresh(
  state: GraphState,
  names: readonly string[],
  writes: readonly PendingWrite[],
): Record<string, unknown> {
  const fresh = state.readAll(names);
  for (const name of new Set(writes.map(([channel]) => channel))) {
    const channel = state.channels.get(name);
    if (channel === undefined || !names.includes(name)) continue;
    const copy = channel.fromCheckpoint(channel.checkpoint(), adopt);
    const values = writes.filter(([written]) => written === name).map(([, value]) => value);
    updateChannel(name, copy, values);
    if (copy.isAvailable()) setOwn(fresh, name, handOut(adopt(copy.get())));
  }
  return fresh;
}
