import { isPlainObject } from "../values/containers.ts";
import type { CheckpointTuple, PendingWrite } from "../checkpoint/types.ts";
import {
  CheckpointNotFoundError,
  InvalidArgumentError,
  RefusedError,
  TidemarkError,
  messageOf,
} from "../errors.ts";
import { InvalidUpdateError } from "../graph-errors.ts";
import { applyWrites, type AppliedTask } from "./apply.ts";
import { onlyAttempt } from "./attempt-scope.ts";
import { applyBeside, waitingTasks, type KeptTask } from "./apply-edit.ts";
import { commitEdit } from "./branch.ts";
import { finishedTasks } from "./error-handler.ts";
import { COPY, END, INPUT, UPDATE_TRIGGER } from "./constants.ts";
import { isLaterVersion, type GraphState } from "./graph-state.ts";
import { hydrated } from "./hydrate.ts";
import { inputWrites } from "./input-writes.ts";
import { LoopState } from "./loop-state.ts";
import { nodeConfig, writeScope } from "./node-config.ts";
import { nextVersionOf, type RunContext, saverConfig } from "./run-context.ts";
import type { PlannedTask } from "./plan.ts";
import { pullPath, taskPathKey } from "./task-path.ts";
import { withFinishedTasks } from "./snapshot.ts";
import { uuid5 } from "../uuid5.ts";
import type { EngineNode } from "./types.ts";
import { normaliseWrites } from "./writes.ts";

export interface StateUpdate {
  /** What a node would have returned; null: nothing. */
  readonly values: unknown;
  /** The node whose output it is to be: its edges decide what runs next. `END`: nothing is left to run. */
  readonly asNode?: string;
}

/** Updates that are made at once, as if their nodes had run side by side. */
export type UpdateStep = readonly [StateUpdate, ...StateUpdate[]];

/** The updates of each step. Throws a `RefusedError` where there are none. */
export function updateSteps(
  supersteps: readonly { readonly updates: readonly StateUpdate[] }[],
): readonly UpdateStep[] {
  if (supersteps.length === 0)
    throw new InvalidArgumentError("invalid_update", "No supersteps provided: there is nothing to apply.");
  return supersteps.map(({ updates: [first, ...others] }): UpdateStep => {
    if (first === undefined)
      throw new InvalidArgumentError("invalid_update", "No updates provided: each step needs one.");
    return [first, ...others];
  });
}

/**
 * Edits the state as if a node had returned the values: a new checkpoint under the named one (a branch), or under the
 * newest. At the newest, named or not, what finished tasks have written counts; when that is what cannot be
 * applied, it is left out and their nodes run again. Tasks that wait for an answer stay next, unless the edit is made as
 * their node, or as `END`. Returns the id of the new checkpoint.
 */
export async function updateState(run: RunContext, updates: UpdateStep): Promise<string> {
  const named = run.config.configurable?.checkpoint_id;
  const head = await run.saver?.getTuple(saverConfig(run.config));
  const found =
    named === undefined || named === head?.checkpoint.id
      ? head
      : await run.saver?.getTuple(saverConfig(run.config, named));
  const tuple = await hydrated(run.graph, run.saver, found);
  if (tuple === undefined && named !== undefined) throw new CheckpointNotFoundError(named);
  if (head !== undefined) run.environment.checkpointIds.observe(head.checkpoint.id);
  if (updates.some((update) => update.asNode === COPY)) return copyCheckpoint(run, tuple, updates);

  const loop = new LoopState(run, tuple);
  // The first checkpoint of a thread that is edited before it ran takes the place of the superstep of `__start__`.
  if (tuple === undefined && updates[0].asNode !== INPUT) loop.step = -1;
  const left = tuple !== undefined && tuple === head ? applyFinished(loop, tuple) : NONE;
  return applyUpdates(loop, updates, left);
}

/** The tasks of the superstep that have not finished. */
interface LeftTasks {
  /** All of the superstep, the finished ones too. */
  readonly planned: readonly PlannedTask[];
  readonly all: readonly PlannedTask[];
  readonly waiting: readonly KeptTask[];
}

const NONE: LeftTasks = { planned: [], all: [], waiting: [] };

async function applyUpdates(loop: LoopState, updates: UpdateStep, left: LeftTasks): Promise<string> {
  if (updates.length > 1 && updates.some(({ asNode }) => asNode === undefined))
    throw new InvalidUpdateError('Each of several updates of a step needs its "asNode".');
  const named = updates.map((update): StateUpdate => {
    if (update.asNode !== undefined || update.values === null) return update;
    return { ...update, asNode: defaultNode(loop.state) };
  });
  const isInput = named.some((update) => update.asNode === INPUT);
  if (named.length > 1) requireNodesOnly(named);
  const isUndecided = undecidedBy(named, left.all);
  const waiting = left.waiting.filter(({ task }) => isUndecided(task));
  if (isInput) await applyInput(loop, named[0]?.values);
  else if (named[0]?.asNode === END) clearTasks(loop);
  else await applyAsNodes(loop, named, waiting);
  if (!isInput) loop.state.updated = undefined;
  const unfinished = new Set(left.all);
  return commitEdit(
    loop,
    isInput ? "input" : "update",
    left.planned,
    (task) => unfinished.has(task) && isUndecided(task),
  );
}

/** An edit as a node takes the place of what the node would have written, one as `END` of all that is left. */
function undecidedBy(
  updates: readonly StateUpdate[],
  tasks: readonly PlannedTask[],
): (task: PlannedTask) => boolean {
  const nodes = updates.map(({ asNode }) => asNode);
  if (nodes.includes(END)) return () => false;
  return ({ name }) =>
    tasks.filter((task) => task.name === name).length > nodes.filter((node) => node === name).length;
}

function requireNodesOnly(updates: readonly StateUpdate[]): void {
  for (const { asNode } of updates) {
    if (asNode === INPUT)
      throw new InvalidUpdateError("An update as input must be the only one of its step.");
    if (asNode === END) throw new InvalidUpdateError("An update as END must be the only one of its step.");
  }
}

/**
 * Puts a copy of the checkpoint beside it. `values` may be a list of `[values, asNode]`: updates that are made at once
 * on top of the copy.
 */
async function copyCheckpoint(
  run: RunContext,
  tuple: CheckpointTuple | undefined,
  [update, ...others]: UpdateStep,
): Promise<string> {
  if (others.length > 0) throw new InvalidUpdateError("A copy must be the only update of its step.");
  if (tuple === undefined) throw new InvalidUpdateError("The thread has no checkpoint that could be copied.");
  const loop = new LoopState(run, tuple);
  loop.standAt(tuple.parentConfig?.configurable?.checkpoint_id);
  const { id } = await loop.commit("fork");
  const [first, ...more] = followUps(update.values);
  return first === undefined ? id : applyUpdates(loop, [first, ...more], NONE);
}

function followUps(values: unknown): StateUpdate[] {
  if (!Array.isArray(values)) return [];
  return values.filter(Array.isArray).map(([inner, asNode]: unknown[]): StateUpdate => {
    return typeof asNode === "string" ? { values: inner, asNode } : { values: inner };
  });
}

/** Takes the finished tasks into the state, unless it is they who cannot be applied. Returns the others. */
function applyFinished(loop: LoopState, tuple: CheckpointTuple): LeftTasks {
  const outside = loop.pending.outside();
  if (outside.length > 0) loop.applyOutside(outside);
  const tasks = loop.plan();
  const finished = finishedTasks(loop.run.graph, tasks, loop.pending);
  const done = new Set(finished.map(({ pathKey }) => pathKey));
  const waiting = waitingTasks(loop, tasks);
  const left = { planned: tasks, all: tasks.filter(({ pathKey }) => !done.has(pathKey)), waiting };
  if (withFinishedTasks(loop.run.graph, tuple).state === undefined) return left;
  if (finished.length > 0) applyBeside(loop, finished, waiting);
  return left;
}

async function applyInput(loop: LoopState, values: unknown): Promise<void> {
  loop.applyOutside(await inputWrites(loop.run.graph, values));
}

/** All planned tasks count as done without having written anything. */
function clearTasks(loop: LoopState): void {
  const tasks = loop.plan().map((task): AppliedTask => ({ ...task, writes: [] }));
  if (tasks.length > 0) applyWrites(loop.state, tasks, nextVersionOf(loop.run.saver));
}

async function applyAsNodes(
  loop: LoopState,
  updates: readonly StateUpdate[],
  waiting: readonly KeptTask[],
): Promise<void> {
  const tasks: AppliedTask[] = [];
  for (const [index, { asNode, values }] of updates.entries()) {
    if (asNode === undefined) continue;
    const node = loop.run.graph.nodes.get(asNode);
    if (node === undefined) throw unknownNode(asNode);
    if (node.isSilent) throw silentNode(asNode);
    tasks.push({
      name: asNode,
      pathKey: taskPathKey([UPDATE_TRIGGER, index]),
      triggers: [UPDATE_TRIGGER],
      writes: await writesAs(loop, node, values, index),
    });
  }
  if (tasks.length > 0) applyBeside(loop, tasks, waiting);
}

function silentNode(node: string): InvalidUpdateError {
  return new InvalidUpdateError(
    `Node "${node}" writes to no channel, so that an update as this node would be lost. Name one that writes.`,
    { details: { node } },
  );
}

function unknownNode(node: string): RefusedError {
  return new RefusedError(
    "unknown_node",
    `The update is to be as node "${node}", which this graph does not have.`,
    { details: { node } },
  );
}

async function writesAs(
  loop: LoopState,
  node: EngineNode,
  values: unknown,
  index: number,
): Promise<readonly PendingWrite[]> {
  if (isPlainObject(values)) loop.run.graph.checkUpdate?.(Object.keys(values));
  const task = {
    id: uuid5(
      index === 0 ? UPDATE_TRIGGER : `${UPDATE_TRIGGER}:${index}`,
      loop.checkpointId ?? "00000000-0000-0000-0000-000000000000",
    ),
    name: node.name,
    path: pullPath(node.name),
    triggers: [UPDATE_TRIGGER],
  };
  const config = nodeConfig(loop, task, onlyAttempt(loop), () => {
    throw new TidemarkError("outside_of_task", "interrupt() was called outside of a running node.");
  });
  try {
    return normaliseWrites(await node.write(values, writeScope(loop, config)), loop.state);
  } catch (error) {
    if (error instanceof RefusedError || error instanceof InvalidUpdateError) throw error;
    throw new InvalidUpdateError(`The update as node "${node.name}" cannot be applied: ${messageOf(error)}`, {
      details: { node: node.name },
      cause: error,
    });
  }
}

/** The node that ran last, or the input when none has. The one that takes in the input counts too. */
function defaultNode(state: GraphState): string {
  const names = [...state.graph.nodes.keys()];
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  const lastSeen = names.flatMap((name) => {
    const versions = Object.values(state.seen[name] ?? {});
    const newest = versions.reduce<(typeof versions)[number] | undefined>(
      (a, b) => (isLaterVersion(b, a) ? b : a),
      undefined,
    );
    return newest === undefined ? [] : [{ name, newest }];
  });
  const start = names.find((name) => state.graph.nodes.get(name)?.hidden);
  if (lastSeen.length === 0 && start !== undefined) return start;
  const newestFirst = lastSeen.toSorted((a, b) =>
    a.newest === b.newest ? 0 : isLaterVersion(a.newest, b.newest) ? -1 : 1,
  );
  const [last, second] = newestFirst;
  if (last === undefined || last.newest === second?.newest) {
    throw new InvalidUpdateError(
      'It is not clear as which node the update is to be, since no single one ran last: say so with "asNode".',
    );
  }
  return last.name;
}
