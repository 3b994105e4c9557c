import type { CheckpointTuple } from "../checkpoint/types.ts";
import { InvalidArgumentError } from "../errors.ts";
import { wasAskedAt } from "./asked.ts";
import { moveInto } from "./branch-nested.ts";
import { PARENT_TASK } from "./constants.ts";
import { checkpointsOfCall } from "./find-question.ts";
import { MultipleSubgraphsError } from "./nested-errors.ts";
import { newestOnBranch } from "./history-branch.ts";
import { hydrated } from "./hydrate.ts";
import { segmentsOf } from "./namespace.ts";
import type { Origin } from "./origins.ts";
import { saverConfig, type Nesting, type RunContext, type Saver } from "./run-context.ts";
import { withoutOwnHandlers } from "./stream-callbacks.ts";
import type { TaskScope } from "./task-scope.ts";
import type { RunnableConfig, StreamEvent } from "./types.ts";

/**
 * A run inside a task: its checkpoints lie in a namespace of the task, in the saver of the graph around it (`own` is
 * used when that has none), and what it emits goes to the listeners of both. `checkpointer` is what the nested graph
 * was compiled with.
 */
export function nestedContext(own: RunContext, task: TaskScope, checkpointer: unknown): RunContext {
  const outer = task.loop.run;
  if (own.limits !== undefined) throw nestedLimits();
  const keepsHistory = checkpointer === true;
  const ordinal = task.graphs;
  const namespace = task.nextNamespace(keepsHistory);
  const saver = checkpointer === false ? undefined : (outer.saver ?? own.saver);
  const event = segmentsOf(namespace);
  return {
    ...own,
    saver,
    environment: outer.environment,
    config: nestedConfig(outer.config, own.config, namespace),
    recursionLimit: own.config.recursionLimit === undefined ? outer.recursionLimit : own.recursionLimit,
    modes: union(outer.nestedModes, own.modes),
    seenMessages: outer.seenMessages,
    nestedModes: union(outer.nestedModes, own.nestedModes),
    emit: ({ mode, payload, namespace: from }: StreamEvent) => {
      if (task.isOver) return;
      task.attempt.progress();
      const emitted = { mode, payload, namespace: from ?? event };
      if ((from === undefined ? own.modes : own.nestedModes).has(mode)) own.emit(emitted);
      if (outer.nestedModes.has(mode)) outer.emit(emitted);
    },
    signal:
      own.config.signal === undefined || own.config.signal === task.attempt.signal
        ? task.attempt.signal
        : AbortSignal.any([task.attempt.signal, own.config.signal]),
    store: own.store ?? outer.store,
    cache: own.cache ?? outer.cache,
    durability: outer.durability,
    isReentry: outer.isReentry,
    limits: outer.limits,
    span: task.loop.trace?.taskSpan(task.task.id),
    onInputApplied: () => undefined,
    // Whoever discarded the question of the task around it has discarded this one too.
    onInterrupted: "discard",
    nesting: { task, parents: task.parents(), answers: task.loop.pending.answers(), keepsHistory, ordinal },
  };
}

function nestedLimits(): InvalidArgumentError {
  return new InvalidArgumentError(
    "invalid_limits",
    "Limits are for the run that is started: a graph inside a node counts among what that uses. Leave them out here.",
  );
}

/** Keys of the metadata that every task is told anew. */
const OF_TASK = /^(langgraph_|(checkpoint_ns|thread_id|assistant_id|graph_id)$)/;

function nestedConfig(outer: RunnableConfig, own: RunnableConfig, namespace: string): RunnableConfig {
  const { metadata: outerMetadata, ...around } = outer;
  const { metadata: ownMetadata, ...inside } = own;
  const tags = new Set([...(outer.tags ?? []), ...(own.tags ?? [])]);
  // What the engine says of the task around is not true of the tasks within.
  const passed = Object.entries(ownMetadata ?? {}).filter(([key]) => !OF_TASK.test(key));
  const metadata = { ...outerMetadata, ...Object.fromEntries(passed) };
  const {
    checkpoint_id: _id,
    checkpoint_map: _map,
    ...configurable
  } = {
    ...outer.configurable,
    ...own.configurable,
  };
  return {
    ...around,
    ...inside,
    configurable: { ...configurable, checkpoint_ns: namespace },
    ...(tags.size === 0 ? {} : { tags: [...tags] }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(own.callbacks === undefined ? {} : { callbacks: withoutOwnHandlers(own.callbacks) }),
  };
}

function union<T>(left: ReadonlySet<T>, right: ReadonlySet<T>): ReadonlySet<T> {
  if (left.size === 0) return right;
  return right.size === 0 ? left : new Set([...left, ...right]);
}

/** Where a nested run begins: where it was left, when its task runs again; else at what `base` holds, if anything. */
export interface Visit {
  readonly left?: CheckpointTuple;
  readonly base?: CheckpointTuple;
}

export async function findVisit(run: RunContext): Promise<Visit> {
  const { saver, nesting } = run;
  if (saver === undefined || nesting === undefined) return {};
  const unstored = nesting.keepsHistory ? nesting.task.loop.noteUnstored() : undefined;
  const found = await saver.getTuple(saverConfig(run.config));
  const isNew = nesting.task.origins.all.length > 0 && !(await isVisited(run, found));
  const head = isNew ? ((await moveFromOrigin(run, nesting)) ?? found) : found;
  if (head === undefined) return {};
  run.environment.checkpointIds.observe(head.checkpoint.id);
  if (!nesting.keepsHistory) return { left: await hydrated(run.graph, saver, head) };
  const left = await findOwn(run, head);
  if (left !== undefined) return { left: await hydrated(run.graph, saver, left) };
  const { thread_id: threadId, checkpoint_ns = "" } = run.config.configurable ?? {};
  const base = await newestOnBranch(
    { saver, threadId, rootId: nesting.parents[""], unstored },
    checkpoint_ns,
    head,
  );
  return base === undefined ? {} : { base: await hydrated(run.graph, saver, base) };
}

/** Whether this task has run the graph. */
async function isVisited(run: RunContext, head: CheckpointTuple | undefined): Promise<boolean> {
  if (head === undefined || !run.nesting?.keepsHistory) return head !== undefined;
  return (await findOwn(run, head)) !== undefined;
}

/**
 * On a branch: the checkpoint at which the graph stands by what the task that this one is in the place of had done, moved
 * here. Which graph it is shows only now.
 */
async function moveFromOrigin(run: RunContext, nesting: Nesting): Promise<CheckpointTuple | undefined> {
  const { task, parents, keepsHistory, ordinal } = nesting;
  const namespace = run.config.configurable?.checkpoint_ns ?? "";
  for (const origin of task.origins.all) {
    const source = await standAtOrigin(run, origin, ordinal);
    if (source === undefined) continue;
    task.origins.take(origin);
    const given = task.loop.pending.answers();
    const answers = new Map(origin.anew.map((id) => [id, given.get(id)]));
    const target = { graph: run.graph, taskId: task.task.id, namespace, parents, keepsHistory, isLate: true };
    await moveInto(run, target, { answers }, source);
    return run.saver?.getTuple(saverConfig(run.config));
  }
  return undefined;
}

/** A graph that has gone on gives its task what the origins of the task had not. */
export async function leaveOrigins({ saver, config }: RunContext, nesting: Nesting): Promise<void> {
  const head = await saver?.getTuple(saverConfig(config));
  if (head?.metadata?.source !== "fork") nesting.task.origins.leave();
}

/** Where a question was asked that is answered anew; else where the graph has come to. */
async function standAtOrigin(
  run: RunContext,
  origin: Origin,
  ordinal: number,
): Promise<CheckpointTuple | undefined> {
  let newest: CheckpointTuple | undefined;
  for await (const tuple of checkpointsOfCall(run, origin.namespace, origin.taskId, ordinal)) {
    newest ??= tuple;
    if (origin.anew.length === 0) return newest;
    if (origin.anew.some((id) => wasAskedAt(tuple, id))) return tuple;
  }
  return newest;
}

/** The newest checkpoint that this task has made, among those made since the superstep began. */
async function findOwn(run: RunContext, head: CheckpointTuple): Promise<CheckpointTuple | undefined> {
  const task = run.nesting?.task;
  if (task === undefined) return undefined;
  const isOfSuperstep = (tuple: CheckpointTuple): boolean =>
    tuple.metadata?.parents[task.loop.namespace] === task.loop.checkpointId;
  const isOwn = (tuple: CheckpointTuple): boolean => tuple.metadata?.[PARENT_TASK] === task.task.id;
  if (!isOfSuperstep(head)) return undefined;
  if (isOwn(head)) return head;
  for await (const tuple of run.saver?.list(saverConfig(run.config)) ?? []) {
    if (!isOfSuperstep(tuple)) return undefined;
    if (isOwn(tuple)) return tuple;
  }
  return undefined;
}

/** The histories that a nested run is adding to, by saver. */
const visited = new WeakMap<Saver, Set<string>>();

/** One history has one run at a time. */
export function visiting<T>(run: RunContext, work: () => Promise<T>): Promise<T> {
  const { saver, nesting } = run;
  const isShared = saver !== undefined && nesting !== undefined && nesting.keepsHistory;
  return isShared ? visitingAlone(saver, run, work) : work();
}

async function visitingAlone<T>(saver: Saver, run: RunContext, work: () => Promise<T>): Promise<T> {
  const { thread_id = "", checkpoint_ns = "" } = run.config.configurable ?? {};
  const histories = visited.get(saver) ?? new Set<string>();
  visited.set(saver, histories);
  const key = JSON.stringify([thread_id, checkpoint_ns]);
  if (histories.has(key)) throw new MultipleSubgraphsError(checkpoint_ns);
  histories.add(key);
  try {
    return await work();
  } finally {
    histories.delete(key);
  }
}
