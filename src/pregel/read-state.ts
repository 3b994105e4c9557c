import type { CheckpointConfig, CheckpointTuple } from "../checkpoint/types.ts";
import { CheckpointNotFoundError, InvalidArgumentError } from "../errors.ts";
import { INTERRUPT } from "./constants.ts";
import { newestOnBranch } from "./history-branch.ts";
import { hydrated } from "./hydrate.ts";
import { stepsOf } from "./namespace.ts";
import { PendingWrites } from "./pending-writes.ts";
import type { Answers } from "./question.ts";
import { saverConfig, type Saver } from "./run-context.ts";
import { snapshotOf } from "./snapshot.ts";
import { atNamespace, graphToRead, locate, namespaceInside } from "./subgraphs.ts";
import type { PregelGraph, RunnableConfig, StateSnapshot, StateTask } from "./types.ts";

export interface ReadOptions {
  /** The states of the graphs inside the tasks too, instead of where to read them. */
  readonly subgraphs?: boolean;
}

export interface HistoryOptions {
  readonly limit?: number;
  readonly before?: RunnableConfig;
  readonly filter?: Readonly<Record<string, unknown>>;
}

/** The state of the root graph, or of the one in the config's namespace, at the named checkpoint or the newest. */
export async function readState(
  root: PregelGraph,
  saver: Saver,
  asked: RunnableConfig,
  options: ReadOptions = {},
): Promise<StateSnapshot> {
  const config = located(root, asked);
  const { checkpoint_ns: namespace = "", checkpoint_map } = config.configurable ?? {};
  const named = config.configurable?.checkpoint_id ?? checkpoint_map?.[namespace];
  const found = await saver.getTuple(saverConfig(config, named));
  const graph = graphToRead(root, namespace, found);
  const tuple = await hydrated(graph, saver, found);
  if (tuple === undefined && named !== undefined) throw new CheckpointNotFoundError(named);
  if (tuple === undefined) return { values: {}, next: [], config: asked, tasks: [] };
  const answers = await answersAround(saver, tuple);
  const snapshot = snapshotOf(graph, tuple, { isHead: named === undefined, ...(answers && { answers }) });
  return options.subgraphs ? withNestedStates(root, graph, saver, tuple, snapshot) : snapshot;
}

export async function* readHistory(
  root: PregelGraph,
  saver: Saver,
  asked: RunnableConfig,
  options: HistoryOptions,
): AsyncGenerator<StateSnapshot, void, undefined> {
  const config = located(root, asked);
  const { limit, before, filter } = options;
  if (limit !== undefined && !(limit >= 0)) {
    throw new InvalidArgumentError("invalid_limit", `limit must not be below 0, not ${limit}.`, {
      details: { limit },
    });
  }
  const namespace = config.configurable?.checkpoint_ns ?? "";
  let isEmpty = true;
  const listed = saver.list(saverConfig(config, config.configurable?.checkpoint_id), {
    ...(limit === undefined ? {} : { limit }),
    ...(before === undefined ? {} : { before: before as CheckpointConfig }),
    ...(filter === undefined ? {} : { filter }),
  });
  for await (const tuple of listed) {
    isEmpty = false;
    const graph = graphToRead(root, namespace, tuple);
    yield snapshotOf(graph, await hydrated(graph, saver, tuple), { isHead: false });
  }
  if (isEmpty && locate(root, namespace).graph === undefined) graphToRead(root, namespace, undefined);
}

/** A nested graph's questions are answered at the checkpoints of the graphs around it. */
async function answersAround(saver: Saver, tuple: CheckpointTuple): Promise<Answers | undefined> {
  const parents = Object.entries(tuple.metadata?.parents ?? {});
  const isAsking = (tuple.pendingWrites ?? []).some(([, channel]) => channel === INTERRUPT);
  if (parents.length === 0 || !isAsking) return undefined;
  let answers: Answers | undefined;
  const outermostFirst = parents.toSorted(([a], [b]) => stepsOf(a).length - stepsOf(b).length);
  for (const [namespace, id] of outermostFirst) {
    const configurable = { ...tuple.config.configurable, checkpoint_ns: namespace, checkpoint_id: id };
    const outer = await saver.getTuple({ configurable });
    answers = new PendingWrites(outer?.pendingWrites, answers).answers();
  }
  return answers;
}

async function withNestedStates(
  root: PregelGraph,
  graph: PregelGraph,
  saver: Saver,
  tuple: CheckpointTuple,
  snapshot: StateSnapshot,
): Promise<StateSnapshot> {
  const tasks = await Promise.all(
    snapshot.tasks.map(async (task): Promise<StateTask> => {
      const config = await nestedConfig({ root, graph, saver, tuple }, task);
      if (config === undefined) return task;
      return { ...task, state: await readState(root, saver, config, { subgraphs: true }) };
    }),
  );
  return { ...snapshot, tasks };
}

interface Reading {
  readonly root: PregelGraph;
  /** The one whose checkpoint it is. */
  readonly graph: PregelGraph;
  readonly saver: Saver;
  readonly tuple: CheckpointTuple;
}

function located(root: PregelGraph, config: RunnableConfig): RunnableConfig {
  return atNamespace(config, locate(root, config.configurable?.checkpoint_ns ?? "").address);
}

/** Of a history that is shared by all visits the part up to the checkpoint that is read. */
async function nestedConfig(
  { root, graph, saver, tuple }: Reading,
  task: StateTask,
): Promise<RunnableConfig | undefined> {
  const { thread_id: threadId, checkpoint_ns = "" } = tuple.config.configurable ?? {};
  const subgraphs = graph.nodes.get(task.name)?.subgraphs;
  const namespace = namespaceInside(subgraphs, checkpoint_ns, task);
  if (namespace === undefined) return undefined;
  const configurable = {
    ...(threadId === undefined ? {} : { thread_id: threadId }),
    checkpoint_ns: namespace,
  };
  if (subgraphs?.[0]?.checkpointer !== true) return { configurable };
  const { address } = locate(root, namespace);
  const head = await saver.getTuple({ configurable: { ...configurable, checkpoint_ns: address } });
  if (head === undefined) return { configurable };
  const rootId = tuple.metadata?.parents[""] ?? tuple.checkpoint.id;
  const newest = await newestOnBranch({ saver, threadId, rootId }, address, head);
  if (newest === undefined || newest.checkpoint.id === head.checkpoint.id) return { configurable };
  return { configurable: { ...configurable, checkpoint_id: newest.checkpoint.id } };
}
