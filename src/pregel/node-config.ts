import type { PendingWrite } from "../checkpoint/types.ts";
import { adopt, handOut } from "../values/adopt.ts";
import { updateChannel, writesByChannel } from "./apply.ts";
import type { AttemptScope } from "./attempt-scope.ts";
import { commonConfig } from "./common-config.ts";
import { NODE_ERROR } from "./constants.ts";
import type { GraphState } from "./graph-state.ts";
import { setOwn } from "../values/set-own.ts";
import type { LoopState } from "./loop-state.ts";
import { segmentsOf, taskNamespace } from "./namespace.ts";
import type { PlannedTask } from "./plan.ts";
import { isAmong } from "./stream.ts";
import { callbacksFor, streamText } from "./stream-messages.ts";
import { SCOPE } from "./task-context.ts";
import { taskEffectKey } from "./task-id.ts";
import type { TaskScope } from "./task-scope.ts";
import type { MessageOptions, TextMessage } from "./text-message.ts";
import type { Ask, ExecutionInfo, InterruptOptions, NodeConfig, WriteScope, Writer } from "./types.ts";
import type { Usage } from "./usage.ts";
import { adoptWrites } from "./writes.ts";

/** The config that a node gets: the caller's, and where in the run it is. `ask` answers `interrupt`. */
export function nodeConfig(
  loop: LoopState,
  task: Pick<PlannedTask, "id" | "name" | "path" | "triggers" | "caller" | "handles"> &
    Partial<Pick<PlannedTask, "node">>,
  attempt: AttemptScope,
  ask: (value: unknown, options?: InterruptOptions) => unknown,
  scope?: TaskScope,
): NodeConfig {
  const { run } = loop;
  const alike = (loop.alike ??= commonConfig(run));
  const checkpointNs = taskNamespace(task.caller ?? loop.namespace, task.name, task.id);
  const metadata: Record<string, unknown> = {
    ...alike.metadata,
    langgraph_step: loop.step + 1,
    langgraph_node: task.name,
    langgraph_triggers: task.triggers,
    langgraph_path: task.path,
    langgraph_checkpoint_ns: checkpointNs,
    checkpoint_ns: checkpointNs,
  };
  // Most tasks have none of what is assigned here: a spread in the middle of an object takes time also for nothing.
  if (task.node?.metadata !== undefined) Object.assign(metadata, task.node.metadata);
  const configurable: NodeConfig["configurable"] = {
    ...run.config.configurable,
    checkpoint_ns: checkpointNs,
  };
  if (task.handles !== undefined) Object.assign(configurable, { [NODE_ERROR]: task.handles });
  const config = {
    ...alike.config,
    configurable,
    signal: attempt.signal,
    metadata,
    writer: writerOf(loop, task, metadata, attempt, scope),
    heartbeat: attempt.heartbeat,
    reportUsage: (used: Usage) => loop.reportUsage(task.id, used),
    executionInfo: new Execution(loop, task.id, checkpointNs, attempt),
    // The caller of `interrupt` says what type it expects: an answer comes from outside and is not checked here.
    interrupt: (run.graph.interrupt ?? ask) as Ask,
    [SCOPE]: scope,
  };
  const callbacks = callbacksFor(loop, task.id);
  return callbacks === undefined ? config : { ...config, ...callbacks };
}

function writerOf(
  loop: LoopState,
  { id: taskId, caller }: Pick<PlannedTask, "id" | "caller">,
  metadata: NodeConfig["metadata"],
  attempt: AttemptScope,
  told: { messages: number } = { messages: 0 },
): Writer {
  const { run } = loop;
  // What a called task writes is shown as that of a graph inside its caller.
  const place = caller === undefined ? {} : { namespace: segmentsOf(caller) };
  const writer = (chunk: unknown): void => {
    if (loop.hasEnded || attempt.isOver) return;
    attempt.progress();
    if (run.modes.has("custom")) run.emit({ mode: "custom", payload: chunk, ...place });
  };
  writer.message = (
    parts: AsyncIterable<string> | Iterable<string>,
    options: MessageOptions = {},
  ): Promise<TextMessage> => {
    const ordinal = told.messages++;
    return streamText(loop, metadata, parts, { id: `run-${taskId}-${ordinal}`, ...options });
  };
  return writer;
}

class Execution implements ExecutionInfo {
  readonly checkpointId: string;
  readonly checkpointNs: string;
  readonly taskId: string;
  readonly threadId: string | undefined;
  readonly runId: string | undefined;
  readonly nodeAttempt: number;
  readonly nodeFirstAttemptTime: number;

  constructor({ run, checkpointId }: LoopState, taskId: string, checkpointNs: string, attempt: AttemptScope) {
    this.checkpointId = checkpointId ?? "";
    this.checkpointNs = checkpointNs;
    this.taskId = taskId;
    this.threadId = run.config.configurable?.thread_id;
    this.runId = run.config.runId;
    this.nodeAttempt = attempt.number;
    this.nodeFirstAttemptTime = attempt.firstTime;
  }

  get effectKey(): string {
    const run = this.checkpointId === "" ? this.runId : undefined;
    return taskEffectKey(this.threadId ?? "", run ?? "", this.taskId);
  }
}

/** What a node's writers may look at: the state as its own writes, and those `sent` while it ran, leave it. */
export function writeScope(
  loop: LoopState,
  config: NodeConfig,
  sent: readonly PendingWrite[] = [],
): WriteScope {
  return {
    config,
    adopt: (writes) => adoptWrites(writes, loop.state),
    readFresh(names, writes) {
      const all = sent.length === 0 ? writes : [...sent, ...writes];
      return readFresh(loop.state, names, adoptWrites(all, loop.state));
    },
  };
}

function readFresh(
  state: GraphState,
  names: string | readonly string[],
  writes: readonly PendingWrite[],
): unknown {
  if (typeof names === "string") return readFreshRecord(state, [names], writes)[names];
  return readFreshRecord(state, names, writes);
}

function readFreshRecord(
  state: GraphState,
  names: readonly string[],
  writes: readonly PendingWrite[],
): Record<string, unknown> {
  const fresh = state.readAll(names);
  for (const [name, values] of writesByChannel(state, [{ writes }])) {
    const channel = state.channels.get(name);
    if (channel === undefined || !isAmong(names, name)) continue;
    const copy = channel.fromCheckpoint(channel.checkpoint(), adopt);
    updateChannel(name, copy, values);
    if (copy.isAvailable()) setOwn(fresh, name, handOut(adopt(copy.get())));
  }
  return fresh;
}
